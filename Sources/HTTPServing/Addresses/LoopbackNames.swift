/// The names by which the programs of a machine reach a server on loopback.
///
/// A web page can give the name of its own host the address 127.0.0.1 (DNS rebinding). A browser then takes the server for a part of the
/// page's site, but its requests still have the page's name in the field `Host`.
package struct LoopbackNames: Sendable, Hashable {
    private let others: Set<String>

    /// Creates the names `localhost`, `NAME.localhost`, `127.0.0.1` and all other addresses of loopback.
    ///
    /// - Parameter others: Further names, such as that of a proxy on this machine, without ports.
    package init(and others: [String] = []) { self.others = Set(others.map { $0.lowercased() }) }

    /// Whether a field `Host` has one of the names, with or without a port.
    package func contains(_ authority: String) -> Bool {
        let host = Self.host(of: authority.lowercased())
        if host == "localhost" || host.hasSuffix(".localhost") || others.contains(host) { return true }
        switch ClientNetwork(host) {
        case .ipv4(let number): return number >> 24 == 127
        case .ipv6: return host == "::1"
        case .named: return false
        }
    }

    /// Whether a text can be the name of a host, without a port.
    package static func isName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case 97...122, 65...90, 48...57, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
                default: false
                }
            }
    }

    /// The host without its port, brackets and final dot.
    private static func host(of authority: String) -> String {
        if authority.first == "[" { return String(authority.dropFirst().prefix { $0 != "]" }) }
        let host = authority.prefix { $0 != ":" }
        return String(host.hasSuffix(".") ? host.dropLast() : host)
    }
}
