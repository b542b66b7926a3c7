import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore

/// The frame around the contents of every page.
struct ConsoleChrome: Sendable {
    struct Link: Sendable {
        var title: String
        var path: String
        var isCurrent: Bool
    }

    struct Account: Sendable {
        var project: String
        var actor: String
        var role: String
        var formToken: String
        var canPublish: Bool
        var isAdmin: Bool
        var isOwner: Bool
        var isAdministrator: Bool
        /// Whether the user can show other projects.
        var hasProjects: Bool
        /// Whether the user can have tokens.
        var isPerson: Bool
        /// Whether the hub knows which sessions are the user's.
        var hasSessions: Bool
    }

    struct Message: Sendable {
        var isError: Bool
        var text: String
    }

    let style = ConsoleAssets.path("console.css")
    let script = ConsoleAssets.path("console.js")
    let icon = ConsoleAssets.path("icon.svg")
    let boxesScript = ConsoleAssets.path("boxes.js")
    let drawingStyle = ConsoleAssets.path("drawing.css")
    let drawingScript = ConsoleAssets.path("drawing.js")
    var title: String
    var navigation: [Link] = []
    var account: Account?
    var message: Message?
    /// The status of the page, unless it states another.
    private(set) var status = HTTPResponse.Status.ok
    var isError: Bool { message?.isError == true }

    /// The frame of a form that is shown again with the reason why it was refused.
    init(title: String, visit: ConsoleVisit, error: HubError?) {
        self.init(title: title, visit: visit, message: error.map { Message(isError: true, text: $0.message) })
        status = error == nil ? .ok : .badRequest
    }

    init(title: String, visit: ConsoleVisit?, message: Message? = nil, section: String? = nil) {
        self.title = title
        self.message = message
        guard let visit else { return }
        let session = visit.session
        self.message = message ?? session.notice.map { Message(isError: $0.isError, text: $0.text) }
        let caller = visit.caller
        account = Account(
            project: session.project.id,
            actor: Self.ownName(of: session.actor),
            role: caller.role.rawValue,
            formToken: visit.hub.formToken(of: session),
            canPublish: caller.role >= .publisher,
            isAdmin: caller.role >= .editor,
            isOwner: caller.role >= .owner,
            isAdministrator: caller.identity.isAdministrator,
            hasProjects: caller.identity.onlyProject == nil,
            isPerson: caller.identity.person != nil,
            hasSessions: caller.identity.person != nil || session.claims != nil
        )
        let section = section ?? visit.path.first ?? "models"
        navigation = Console.sections.filter { caller.role >= $0.role }.map {
            Link(title: $0.title, path: "/console/\($0.name)", isCurrent: $0.name == section)
        }
    }

    /// A credential's name without its long id, or a provider's name of a person with the beginning of the lasting one: people choose their
    /// names at some providers, so that a name alone could be that of another person.
    static func name(of actor: String) -> String {
        if let person = person(of: actor) {
            let subject = person.subject
            return "\(person.name) (OpenID \(subject.count > 12 ? subject.prefix(12) + "…" : subject))"
        }
        guard let open = actor.firstIndex(of: "("), actor.hasSuffix(")") else {
            return actor == "local" ? "this machine" : actor
        }
        return String(actor[actor.index(after: open)...].dropLast())
    }

    /// The two names of a person whom a provider knows; nil for every other actor.
    private static func person(of actor: String) -> (name: Substring, subject: Substring)? {
        guard actor.hasSuffix(")"), let middle = actor.range(of: " (OpenID ", options: .backwards) else { return nil }
        return (actor[..<middle.lowerBound], actor[middle.upperBound...].dropLast())
    }

    /// The name of the user on the user's own pages.
    private static func ownName(of actor: String) -> String {
        person(of: actor).map { String($0.name) } ?? name(of: actor)
    }
}

/// A page: its frame and its contents.
struct ConsolePage<Content: Sendable>: Sendable {
    var chrome: ConsoleChrome
    var page: Content
}

extension Response {
    /// A page of the console.
    static func page<Content: Sendable>(
        _ template: String,
        _ chrome: ConsoleChrome,
        _ content: Content,
        status: HTTPResponse.Status? = nil
    ) -> Response {
        guard let text = ConsoleTemplates.render(template, ConsolePage(chrome: chrome, page: content)) else {
            return HubError(.internal, "The console has no template \(template).").response
        }
        return Response(
            status: status ?? chrome.status,
            headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }

    /// Redirects a browser after a form, so that reloading the page does not send the form again.
    static func seeOther(_ location: String, for request: APIRequest) throws -> Response {
        if request.wantsJSON { return try .json(["location": location]) }
        return Response(status: .seeOther, headers: [.location: location])
    }
}
