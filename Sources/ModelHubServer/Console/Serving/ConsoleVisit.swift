import Foundation
import HTTPServing
import HTTPTypes

/// A request of a signed-in user.
struct ConsoleVisit: Sendable {
    let request: APIRequest
    let hub: Hub
    let session: ConsoleSession
    /// The user, as the caller of operations in the shown project.
    let caller: Caller

    var identity: Identity { caller.identity }

    /// The parts of the path after `/console`.
    var path: ArraySlice<String> { request.path.dropFirst() }

    /// Throws an error if a form does not belong to this session.
    func checkFormToken(_ token: String?) throws(HubError) {
        guard let token, hub.isFormToken(token, of: session) else {
            throw HubError(
                .permissionDenied,
                "The form does not belong to your session; load the page again and repeat the change."
            )
        }
    }
}

extension APIRequest {
    /// Whether the console's own script sent the request, which expects JSON instead of pages.
    var wantsJSON: Bool { headers[.accept]?.hasPrefix("application/json") == true }

    /// Whether the sender is a browser that opens a page; programs seldom ask for HTML.
    var acceptsPages: Bool { headers[.accept]?.contains("text/html") == true }

    /// The hub's scheme, host and port for this client.
    var ownOrigin: String {
        guard let scheme = base.range(of: "://") else { return base }
        return String(base[..<scheme.upperBound] + base[scheme.upperBound...].prefix { $0 != "/" }).lowercased()
    }

    /// Whether the browser uses TLS, as far as the hub knows.
    var isSecure: Bool { base.hasPrefix("https://") }

    /// Throws an error for a change that another site requests through the browser. Clients other than browsers send no
    /// origin.
    func checkOrigin() throws(HubError) {
        let isOwn = headers[.fetchSite].map { $0 == "same-origin" } ?? true
        guard isOwn, headers[.origin].map({ $0.lowercased() == ownOrigin }) ?? true else {
            throw HubError(
                .permissionDenied,
                "The request comes from another site than the console (\(ownOrigin)); open the console at that address, or set the "
                    + "hub's address with --public-address."
            )
        }
    }

    /// A cookie's value.
    func cookie(_ name: String) -> String? {
        for header in headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == name {
                    return parts[1].trimmingCharacters(in: .whitespaces)
                }
            }
        }
        return nil
    }
}
