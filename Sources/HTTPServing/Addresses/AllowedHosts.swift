import Foundation

/// The hosts to which a server may connect on behalf of another party.
///
/// A host that is named in full may have any address, also in a private network, and with a port it is allowed at that port alone. A host that only matches a pattern, `*.example.org` or
/// `*`, must have public addresses, so that no request reaches the network behind the server.
package struct AllowedHosts: Sendable, Hashable {
    /// The right of a host.
    package enum Right: Sendable, Hashable {
        case anyAddress, publicAddress
    }

    private var names: Set<String> = []
    private var suffixes: [String] = []
    private var allowsAll = false

    /// Allows no host.
    package init() {}

    /// Reads hosts: `photos.example.org`, `photos.example.org:8080`, `*.example.org`, or `*` for all.
    ///
    /// - Returns: Nil if a text is neither.
    package init?(_ texts: [String]) {
        for text in texts.map({ $0.lowercased() }) {
            if text == "*" {
                allowsAll = true
            } else if text.hasPrefix("*."), Self.isHost(text.dropFirst(2)) {
                suffixes.append(String(text.dropFirst()))
            } else if Self.isHost(text[...]), Self.hasUsablePort(text) {
                names.insert(text)
            } else {
                return nil
            }
        }
    }

    /// Whether no host is allowed.
    package var isEmpty: Bool { names.isEmpty && suffixes.isEmpty && !allowsAll }

    /// The right of a host; nil if it is not allowed.
    ///
    /// - Parameter port: The port of the connection; nil for the hosts that are allowed at every port alone.
    package func right(of host: String, port: Int? = nil) -> Right? {
        let host = host.lowercased()
        if names.contains(host) { return .anyAddress }
        if let port, names.contains("\(host):\(port)") { return .anyAddress }
        return allowsAll || suffixes.contains { host.hasSuffix($0) } ? .publicAddress : nil
    }

    /// Whether the text after a single colon is a port. Addresses of IPv6 have several colons, and no port.
    private static func hasUsablePort(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return true }
        return !parts[0].isEmpty && UInt16(parts[1]).map { $0 > 0 } == true
    }

    private static func isHost(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 253
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (48...57).contains($0) || "-._:".utf8.contains($0)
            }
    }
}
