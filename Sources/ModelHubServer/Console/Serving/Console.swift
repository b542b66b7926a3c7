import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The web pages at `/console`, for using the hub in a browser.
///
/// All changes use the same functions of ``Hub`` as the API, with the role of the signed-in user.
struct Console: Sendable {
    let api: HubAPI

    var hub: Hub { api.hub }

    /// Responds to a request; errors become pages.
    func respond(to request: APIRequest, logger: Logger) async -> Response {
        var response = await answer(request, logger)
        for (name, value) in Self.protection where response.headers[name] == nil { response.headers[name] = value }
        if request.method == .head { response.body = ResponseBody() }
        return response
    }

    /// Headers that prevent a page from loading, running, sending or embedding anything foreign.
    private static let protection: [(HTTPField.Name, String)] = [
        (
            .contentSecurityPolicy,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
                + "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        (.xFrameOptions, "DENY"), (.xContentTypeOptions, "nosniff"), (.referrerPolicy, "same-origin"),
        (.openerPolicy, "same-origin"), (.resourcePolicy, "same-origin"),
        (.permissionsPolicy, "camera=(), microphone=(), geolocation=()"), (.cacheControl, "no-store"),
    ]

    private func answer(_ request: APIRequest, _ logger: Logger) async -> Response {
        var visit: ConsoleVisit?
        do {
            if request.path.count == 4, request.path[1] == "assets" {
                return try ConsoleAssets.response(request.path[3])
            }
            if request.method == .post { try request.checkOrigin() }
            guard [.get, .head, .post].contains(request.method) else { throw HubError.methodNotAllowed }
            if request.path.count == 2, request.path[1] == "sign-in" { return try await signIn(request, logger) }
            let isPage = request.method != .post && !request.wantsJSON
            if let id = request.cookie(Self.cookieName(request)),
                let session = try await hub.session(id: id, takingNotice: isPage)
            {
                visit = ConsoleVisit(request: request, hub: hub, session: session)
            }
            guard let visit else { return try signInFirst(request) }
            return try await route(visit)
        } catch {
            return errorPage(.answer(to: error, logger), request, visit)
        }
    }

    private func route(_ visit: ConsoleVisit) async throws -> Response {
        let rest = visit.path.dropFirst()
        switch (visit.path.first, visit.request.method) {
        case (nil, .get), (nil, .head): return try .seeOther("/console/models", for: visit.request)
        case ("sign-out", .post) where rest.isEmpty: return try await signOut(visit)
        case ("models", _): return try await models(visit, rest)
        case ("evaluations", _): return try await evaluations(visit, rest)
        case ("config", _): return try await config(visit, rest)
        case ("experiments", _): return try await experiments(visit, rest)
        case ("activity", .get) where rest.isEmpty: return try await activity(visit)
        default: throw HubError(.notFound, "There is no such page.")
        }
    }

    /// An error, as a page or as JSON for the console's script.
    private func errorPage(_ error: HubError, _ request: APIRequest, _ visit: ConsoleVisit?) -> Response {
        if request.wantsJSON {
            let status = HTTPResponse.Status(code: error.httpStatus)
            var response = (try? Response.json(["error": error.message], status: status)) ?? Response(status: status)
            if error.endsConnection { response.headers[.connection] = "close" }
            return response
        }
        struct Content: Sendable {
            var title: String
            var text: String
        }
        let title =
            switch error.httpStatus {
            case 404: "Not found"
            case 403: "Not allowed"
            case 429: "Too many requests"
            case 500...: "Something went wrong"
            default: "That did not work"
            }
        var page = Response.page(
            "error",
            ConsoleChrome(title: title, visit: visit),
            Content(title: title, text: error.message),
            status: .init(code: error.httpStatus)
        )
        if error.endsConnection { page.headers[.connection] = "close" }
        return page
    }

    /// Performs a change and redirects to a page that shows the result.
    func change(
        _ visit: ConsoleVisit,
        thenTo location: String,
        _ body: () async throws -> String
    ) async throws -> Response {
        try await say(isError: false, try await body(), to: visit)
        return try .seeOther(location, for: visit.request)
    }

    /// Stores a message for the next page.
    func say(isError: Bool, _ text: String, to visit: ConsoleVisit) async throws {
        var session = visit.session
        session.notice = .init(isError: isError, text: text)
        session.useTime = hub.now()
        try await hub.metadata.update(session)
    }
}
