import Foundation

/// The parts of an address that may be printed.
///
/// Cameras take passwords before the host, in the path (`/user=admin&password=…`) and in the query, so messages have the scheme, the host
/// and the port alone.
package enum StreamAddress {
    /// The address up to its port. Where it is not certain which part is the host, the scheme alone.
    package static func printed(_ address: String) -> String {
        guard let scheme = scheme(of: address) else { return address }
        return "\(scheme)://\(authority(of: address) ?? "…")"
    }

    /// The host, without the brackets of an IPv6 address; nil where it is not certain.
    package static func host(of address: String) -> String? {
        guard let authority = authority(of: address) else { return nil }
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            return String(authority[authority.index(after: authority.startIndex)..<end])
        }
        return authority.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init)
    }

    /// The scheme, if it is one of those of streams.
    package static func scheme(of address: String) -> String? {
        // `URL(filePath:)` takes one of two slashes away.
        guard let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix(":/") else { return nil }
        let scheme = address[..<colon].lowercased()
        return VideoInput.schemes.contains(scheme) ? scheme : nil
    }

    /// The host and the port.
    private static func authority(of address: String) -> String? {
        guard let colon = address.firstIndex(of: ":") else { return nil }
        let rest = address[colon...].dropFirst().drop { $0 == "/" }
        let end = rest.firstIndex { "/?#\\".contains($0) } ?? rest.endIndex
        // An @ further on may belong to a password with a slash in it; then the text before it is not a host.
        guard !rest[end...].contains("@") else { return nil }
        let authority = rest[..<end].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return authority.isEmpty ? nil : String(authority)
    }
}
