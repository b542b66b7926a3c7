import Foundation

/// An address that downloads may use: https everywhere, http only on this machine.
struct DownloadAddress: Sendable, Hashable {
    let text: String
    let isSecure: Bool
    /// Whether the address belongs to this machine.
    let isLocal: Bool

    /// - Parameter allowsPlainHTTP: whether http may also lead to other machines: for files that may change in transit.
    /// - Throws: `ModelCatalogError.invalidAddress`.
    init(_ text: String, allowsPlainHTTP: Bool = false) throws(ModelCatalogError) {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .invalidAddress(text, reason: "it is not a valid address") }
        // In "http://127.0.0.1@elsewhere/" the host is "elsewhere". Parsers of addresses disagree about this, so user
        // names are rejected.
        guard parts.user == nil, parts.password == nil else {
            throw .invalidAddress(text, reason: "it contains a user name")
        }
        self.text = text
        isLocal = Self.isLoopback(host)
        switch parts.scheme?.lowercased() {
        case "https":
            isSecure = true
        case "http" where isLocal || allowsPlainHTTP:
            isSecure = false
        case "http":
            throw .invalidAddress(text, reason: "http can be read and changed in transit")
        default:
            throw .invalidAddress(text, reason: "it is not https")
        }
    }

    /// The target of a redirect from this address.
    ///
    /// - Throws: `ModelCatalogError.insecureRedirect` if the target is not https, unless both are on this machine.
    func redirected(to location: String) throws(ModelCatalogError) -> DownloadAddress {
        guard let target = try? DownloadAddress(location), target.isSecure || !isSecure else {
            throw .insecureRedirect(from: text, to: location)
        }
        return target
    }

    private static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
        // Exactly four numbers, so that 127.0.0.1.example.com is not accepted.
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers.allSatisfy { $0 != nil } && numbers.first == 127
    }
}
