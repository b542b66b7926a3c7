import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird

/// Signing in with an account of an OpenID Connect provider.
extension Console {
    /// The cookie comes back with the provider's redirect, which another site causes, so it is `Lax`; that of the session stays `Strict`.
    private static func attemptCookie(_ value: String, for request: APIRequest, lifetime: Duration) -> String {
        let place = request.isSecure ? "Path=/; Secure" : "Path=/console"
        return
            "\(attemptCookieName(request))=\(value); \(place); HttpOnly; SameSite=Lax; Max-Age=\(lifetime.components.seconds)"
    }

    private static func attemptCookieName(_ request: APIRequest) -> String {
        request.isSecure ? "__Host-sightline-sign-in" : "sightline-sign-in"
    }

    /// Sends the browser to the provider.
    func beginOpenIDSignIn(_ request: APIRequest) async throws -> Response {
        let begun = try await hub.beginOpenIDSignIn(target: Self.localPath(request.query["to"]))
        var response = Response(status: .seeOther, headers: [.location: begun.address])
        response.headers[.setCookie] = Self.attemptCookie(
            begun.cookie,
            for: request,
            lifetime: OpenIDAttempt.lifetime
        )
        return response
    }

    /// Receives the browser from the provider.
    func endOpenIDSignIn(_ request: APIRequest) async throws -> Response {
        let code = request.query["code"] ?? ""
        do {
            let attempt = try hub.openIDAttempt(
                cookie: request.cookie(Self.attemptCookieName(request)) ?? "",
                state: request.query["state"] ?? ""
            )
            if let error = request.query["error"] {
                let reason = OpenIDRefusal(code: error, explanation: request.query["error_description"])
                throw HubError(.unauthenticated, "The sign-in provider did not sign you in: \(reason). Sign in again.")
            }
            guard (1...4096).contains(code.utf8.count) else {
                throw HubError(.unauthenticated, "The sign-in provider did not sign you in; sign in again.")
            }
            let opened = try await hub.openSession(openIDCode: code, of: attempt)
            try await endEarlierSession(request)
            // A redirect would still be part of the other site's request, for which browsers hold the session's cookie back.
            let target = Self.localPath(attempt.target)
            var response = Response.page(
                "signed-in",
                ConsoleChrome(title: "Signed in", visit: nil),
                SignedInPage(target: target)
            )
            response.headers[.refresh] = "0; url=\(target)"
            response.headers[values: .setCookie] = [
                Self.cookie(opened.id, for: request, lifetime: ConsoleSession.lifetime),
                Self.attemptCookie("", for: request, lifetime: .zero),
            ]
            return response
        } catch let error as HubError
            where [.unauthenticated, .permissionDenied, .unavailable, .failedPrecondition].contains(error.code)
        {
            if error.isWrongCredential { try guesses.count(code, of: request) }
            var response = signInPage(code: "", target: "/console/models", error: error)
            response.headers[.setCookie] = Self.attemptCookie("", for: request, lifetime: .zero)
            return response
        }
    }

    private struct SignedInPage {
        var target: String
    }
}

extension HTTPField.Name {
    /// Opens another page after a time.
    static let refresh = named("refresh")
}
