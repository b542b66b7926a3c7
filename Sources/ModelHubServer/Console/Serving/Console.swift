import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird

/// The web pages at `/console`, for using the hub in a browser.
///
/// All changes use the same functions of ``Hub`` as the API, with the role of the signed-in user.
struct Console: Sendable {
    let hub: Hub
    let files: FileResponder
    let guesses: GuessLimiter

    /// A page, or a change that a form on a page requests.
    typealias Page = @Sendable (ConsoleVisit) async throws -> Response

    /// The sections of the console, each with the role that it needs.
    static let sections: [(title: String, name: String, role: Role)] = [
        ("Models", "models", .viewer), ("Data sets", "datasets", .viewer), ("Remote Config", "config", .viewer),
        ("Experiments", "experiments", .viewer),
        ("Rollouts", "rollouts", .viewer), ("Activity", "activity", .editor),
        ("People", "people", .owner), ("Keys", "keys", .owner), ("Sessions", "sessions", .owner),
        ("Webhooks", "webhooks", .owner),
    ]

    func add(to routes: inout RouteTable) {
        routes.onAnyMethod(at: "console/assets/{hash}/{name}") { request in
            await answer(request) { _ in try ConsoleAssets.response(request["name"]) }
        }
        routes.on(.get, .head, .post, at: "console/sign-in") { request in
            await answer(request) { _ in
                if request.method == .post { try request.checkOrigin() }
                return try await signIn(request)
            }
        }
        if hub.openID != nil {
            routes.on(.get, at: "console/sign-in/provider") { request in
                await answer(request) { _ in try await beginOpenIDSignIn(request) }
            }
            routes.on(.get, at: OpenIDSettings.answerPath) { request in
                await answer(request) { _ in try await endOpenIDSignIn(request) }
            }
        }
        routes.on(.get, .head, at: "") { request in
            guard request.acceptsPages else { throw HubError.nothingHere }
            return try .seeOther("/console", for: request)
        }
        page(at: "console", in: &routes) { visit in try .seeOther("/console/models", for: visit.request) }
        form(at: "console/sign-out", for: .viewer, in: &routes, use: signOut)
        page(at: "console/activity", for: .editor, in: &routes, use: activity)
        addModels(to: &routes)
        addEvaluations(to: &routes)
        addDataSets(to: &routes)
        addConfig(to: &routes)
        addExperiments(to: &routes)
        addRollouts(to: &routes)
        addProjects(to: &routes)
        addPeople(to: &routes)
        addKeys(to: &routes)
        addSessions(to: &routes)
        addWebhooks(to: &routes)
        routes.otherwise(below: "console") { request in
            await respond(to: request, for: .viewer) { _ in throw HubError(.notFound, "There is no such page.") }
        }
    }

    /// Adds a page for signed-in users with a role in the shown project.
    func page(
        at path: String,
        for role: Role = .viewer,
        in routes: inout RouteTable,
        use page: @escaping Page
    ) {
        routes.onConsole([.get, .head], at: path, for: role) { await respond(to: $0, for: role, signedIn: page) }
    }

    /// Adds a change by signed-in users with a role in the shown project.
    func form(
        at path: String,
        for role: Role = .publisher,
        in routes: inout RouteTable,
        use change: @escaping Page
    ) {
        routes.onConsole([.post], at: path, for: role) { await respond(to: $0, for: role, signedIn: change) }
    }

    /// Responds to a request of a signed-in user; all other users are asked to sign in first.
    private func respond(to request: APIRequest, for role: Role, signedIn page: @escaping Page) async -> Response {
        await answer(request) { visit in
            if request.method == .post { try request.checkOrigin() }
            guard [.get, .head, .post].contains(request.method) else {
                throw HubError.methodNotAllowed("GET, HEAD, POST")
            }
            let isPage = request.method != .post && !request.wantsJSON
            guard let id = request.cookie(Self.cookieName(request)),
                let session = try await hub.session(id: id, takingNotice: isPage),
                let known = try await visitor(of: session, request)
            else { return try signInFirst(request) }
            visit = known
            try known.caller.require(role)
            return try await page(known)
        }
    }

    /// The visit of a session's user: in the shown project, or in another one if the user lost the role in it. Nil if
    /// the user no longer has a role.
    private func visitor(of session: ConsoleSession, _ request: APIRequest) async throws -> ConsoleVisit? {
        guard let identity = try await hub.identity(of: session) else { return nil }
        var session = session
        var caller = Caller(identity, in: session.project)
        if caller == nil, let other = try await hub.projects(of: identity).first {
            session.project = other
            caller = Caller(identity, in: other)
        }
        return caller.map { ConsoleVisit(request: request, hub: hub, session: session, caller: $0) }
    }

    /// Responds to a request; errors become pages, for the visit if it is known.
    private func answer(
        _ request: APIRequest,
        _ body: (inout ConsoleVisit?) async throws -> Response
    ) async -> Response {
        var visit: ConsoleVisit?
        var response: Response
        do {
            response = try await body(&visit)
        } catch {
            response = errorPage(.answer(to: error, request.logger, hub.failures), request, visit)
        }
        for (name, value) in Self.protection where response.headers[name] == nil { response.headers[name] = value }
        return response
    }

    /// Headers that prevent a page from loading, running, sending or embedding anything foreign.
    private static let protection: [(HTTPField.Name, String)] = [
        (.contentSecurityPolicy, contentSecurityPolicy(picturesFrom: "'self'")),
        (.xFrameOptions, "DENY"), (.xContentTypeOptions, "nosniff"), (.referrerPolicy, "same-origin"),
        (.openerPolicy, "same-origin"), (.resourcePolicy, "same-origin"),
        (.permissionsPolicy, "camera=(), microphone=(), geolocation=()"), (.cacheControl, "no-store"),
    ]

    static func contentSecurityPolicy(picturesFrom pictures: String) -> String {
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src \(pictures); connect-src 'self'; "
            + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
            + "trusted-types 'none'"
    }

    /// An error, as a page or as JSON for the console's script.
    private func errorPage(_ error: HubError, _ request: APIRequest, _ visit: ConsoleVisit?) -> Response {
        if request.wantsJSON {
            let status = HTTPResponse.Status(code: error.httpStatus)
            var response = (try? Response.json(["error": error.message], status: status)) ?? Response(status: status)
            if error.endsConnection { response.headers[.connection] = "close" }
            if let rest = error.retryAfter { response.headers[.retryAfter] = "\(rest.wholeSeconds)" }
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
        if let rest = error.retryAfter { page.headers[.retryAfter] = "\(rest.wholeSeconds)" }
        if let allowed = error.allowedMethods { page.headers[.allow] = allowed }
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
        try await hub.records.update(session)
    }
}
