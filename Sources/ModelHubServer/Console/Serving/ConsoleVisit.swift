import Foundation
import HTTPTypes

/// A request of somebody who is signed in.
struct ConsoleVisit: Sendable {
    let request: APIRequest
    let hub: Hub
    let session: ConsoleSession

    var caller: Caller { session.caller }

    /// The parts of the path behind `/console`.
    var path: ArraySlice<String> { request.path.dropFirst() }

    /// Refuses a form that was not given to this session.
    func checkFormToken(_ token: String?) throws(HubError) {
        guard let token, hub.isFormToken(token, of: session) else {
            throw HubError(
                .permissionDenied,
                "The form does not belong to your session; load the page again and repeat what you did."
            )
        }
    }
}

extension APIRequest {
    /// Whether the console's own script sent it, which wants JSON in place of pages.
    var wantsJSON: Bool { headers[.accept]?.hasPrefix("application/json") == true }

    /// The scheme, host and port of the hub as this client reaches it.
    var ownOrigin: String {
        guard let scheme = base.range(of: "://") else { return base }
        return String(base[..<scheme.upperBound] + base[scheme.upperBound...].prefix { $0 != "/" }).lowercased()
    }

    /// Whether the browser reaches the hub over TLS, as far as the hub knows.
    var isSecure: Bool { base.hasPrefix("https://") }

    /// Refuses a change that another site makes a browser ask for. What is no browser says nothing about it.
    func checkOrigin() throws(HubError) {
        let isOwn = headers[.fetchSite].map { $0 == "same-origin" } ?? true
        guard isOwn, headers[.origin].map({ $0.lowercased() == ownOrigin }) ?? true else {
            throw HubError(
                .permissionDenied,
                "The request comes from another site than the console's own (\(ownOrigin)); open the console at that address, or tell the "
                    + "hub its address with --public-address."
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
