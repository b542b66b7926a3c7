import Foundation
import HTTPTypes
import ModelHubProtocol

/// Projects, people, keys and sessions.
extension HubConnection {
    /// A path of the hub's own API that does not belong to a project. Each part is percent-encoded.
    func ofHub(_ parts: String..., verb: String = "") -> String {
        "/hub/v1/" + parts.map { Self.encoded($0) }.joined(separator: "/") + verb
    }

    /// Sends a request and returns the resource in the response.
    func resource<Resource: Decodable>(
        _ type: Resource.Type,
        _ method: HTTPRequest.Method,
        _ target: String,
        json: (some Encodable)? = String?.none
    ) async throws -> Resource {
        try HubConnection.decoded(type, from: try await send(method, target, json: json))
    }

    /// Fetches a list page by page.
    func list<Page: ListResource>(_ type: Page.Type, at path: String) async throws -> [Page.Element] {
        var elements: [Page.Element] = []
        var tokens = PageTokens()
        while true {
            let data = try await send(.get, "\(path)?pageSize=100&pageToken=\(Self.encoded(tokens.token))")
            let page = try HubConnection.decoded(type, from: data)
            elements += page.elements
            guard try tokens.advance(behind: data, to: page.nextPageToken) else { return elements }
        }
    }
}

/// A page of a list.
protocol ListResource: Decodable {
    associatedtype Element
    var elements: [Element] { get }
    var nextPageToken: String? { get }
}

extension ProjectPage: ListResource { var elements: [ProjectResource] { projects } }
extension PersonPage: ListResource { var elements: [PersonResource] { people } }
extension KeyPage: ListResource { var elements: [KeyResource] { keys } }
extension SessionPage: ListResource { var elements: [SessionResource] { sessions } }
