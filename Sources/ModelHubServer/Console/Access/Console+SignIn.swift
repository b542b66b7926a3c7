import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird

/// Signing in and out.
extension Console {
    private struct SignInPage {
        var code: String
        var target: String
        /// The address that begins a sign-in with an account of the provider; empty without a provider.
        var provider: String
    }

    /// With TLS the browser ensures that no other host set the cookie (RFC 6265bis, `__Host-`).
    static func cookieName(_ request: APIRequest) -> String {
        request.isSecure ? "__Host-sightline-console" : "sightline-console"
    }

    static func cookie(_ value: String, for request: APIRequest, lifetime: Duration) -> String {
        let place = request.isSecure ? "Path=/; Secure" : "Path=/console"
        return
            "\(cookieName(request))=\(value); \(place); HttpOnly; SameSite=Strict; Max-Age=\(lifetime.components.seconds)"
    }

    /// The maximum size of a form with a token or a code, and the next page.
    private static let signInBodyLimit = 16 << 10

    /// Shows the sign-in page, or accepts a token or the code of a link. The code is used up only when the button is
    /// pressed, because some programs fetch every link that they see.
    func signIn(_ request: APIRequest) async throws -> Response {
        guard request.method == .post else {
            let target = Self.localPath(request.query["to"])
            let code = request.query["code"] ?? ""
            do {
                if !code.isEmpty { try await hub.checkSignInLink(code: code) }
                return signInPage(code: code, target: target)
            } catch let error as HubError where error.code == .unauthenticated {
                return signInPage(code: "", target: target, error: error)
            }
        }
        let form = try await request.form(upTo: Self.signInBodyLimit)
        let target = Self.localPath(form["to"])
        let code = form["code"] ?? ""
        let token = (form["token"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        let opened: OpenedSession
        do {
            if code.isEmpty {
                guard !token.isEmpty else {
                    throw HubError(
                        .unauthenticated,
                        "Paste a token first; `sightline hub token create NAME` creates a token."
                    )
                }
                opened = try await hub.openSession(token: token)
            } else {
                opened = try await hub.openSession(code: code)
            }
        } catch let error as HubError where error.code == .unauthenticated || error.code == .failedPrecondition {
            if error.isWrongCredential { try guesses.count(code.isEmpty ? token : code, of: request) }
            return signInPage(code: "", target: target, error: error)
        }
        try await endEarlierSession(request)
        var response = Response(status: .seeOther, headers: [.location: target])
        response.headers[.setCookie] = Self.cookie(opened.id, for: request, lifetime: ConsoleSession.lifetime)
        return response
    }

    /// Ends the browser's previous session.
    func endEarlierSession(_ request: APIRequest) async throws {
        guard let id = request.cookie(Self.cookieName(request)),
            let old = try await hub.session(id: id, takingNotice: false)
        else { return }
        try await hub.end(old)
    }

    func signInPage(code: String, target: String, error: HubError? = nil) -> Response {
        var page = Response.page(
            "sign-in",
            ConsoleChrome(
                title: "Sign in",
                visit: nil,
                message: error.map { .init(isError: true, text: $0.message) }
            ),
            SignInPage(
                code: code,
                target: target,
                provider: hub.openID == nil ? "" : "/console/sign-in/provider?to=\(Self.encoded(target))"
            ),
            status: error.map { $0.code == .unavailable ? .serviceUnavailable : .unauthorized } ?? .ok
        )
        if let rest = error?.retryAfter { page.headers[.retryAfter] = "\(rest.wholeSeconds)" }
        return page
    }

    /// Redirects a request without a session to the sign-in page.
    func signInFirst(_ request: APIRequest) throws -> Response {
        if request.wantsJSON { return try .json(["error": HubError.signIn.message], status: .unauthorized) }
        guard request.method != .post else { return signInPage(code: "", target: "/console/models", error: .signIn) }
        var target = "/" + request.path.map(Self.encoded).joined(separator: "/")
        if target == "/console" { target = "/console/models" }
        let location = "/console/sign-in?to=\(Self.encoded(target))"
        return Response(status: .seeOther, headers: [.location: location])
    }

    /// Ends the session, here and in the browser.
    @Sendable
    func signOut(_ visit: ConsoleVisit) async throws -> Response {
        _ = try await ConsoleForm(visit)
        try await hub.end(visit.session)
        var response = Response(status: .seeOther, headers: [.location: "/console/sign-in"])
        response.headers[.setCookie] = Self.cookie("", for: visit.request, lifetime: .zero)
        return response
    }

    /// The page after signing in: a page of the console, never another site.
    static func localPath(_ text: String?) -> String {
        guard let text, text.hasPrefix("/console/"), text.utf8.count <= 1024,
            text.utf8.allSatisfy({ (33...126).contains($0) && $0 != 92 })
        else { return "/console/models" }
        return text
    }

    /// A part of a path or query, percent-encoded.
    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}
