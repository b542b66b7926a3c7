import Foundation

/// An address that may be downloaded from: https anywhere, http on this machine alone.
struct DownloadAddress: Sendable, Hashable {
    let text: String
    let isSecure: Bool
    /// Whether it is this machine.
    let isLocal: Bool

    /// - Throws: `ModelCatalogError.invalidAddress`.
    init(_ text: String) throws(ModelCatalogError) {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .invalidAddress(text, reason: "it is no address") }
        // "http://127.0.0.1@elsewhere/" is elsewhere; readers of addresses have disagreed about such.
        guard parts.user == nil, parts.password == nil else {
            throw .invalidAddress(text, reason: "it has a user name in it")
        }
        self.text = text
        isLocal = Self.isLoopback(host)
        switch parts.scheme?.lowercased() {
        case "https":
            isSecure = true
        case "http" where isLocal:
            isSecure = false
        case "http":
            throw .invalidAddress(text, reason: "http can be listened to and changed on the way")
        default:
            throw .invalidAddress(text, reason: "it is not https")
        }
    }

    /// The address that an answer from here redirects to.
    ///
    /// - Throws: `ModelCatalogError.insecureRedirect` if it is not https, unless both are on this machine.
    func redirected(to location: String) throws(ModelCatalogError) -> DownloadAddress {
        guard let target = try? DownloadAddress(location), target.isSecure || !isSecure else {
            throw .insecureRedirect(from: text, to: location)
        }
        return target
    }

    private static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
        // Four numbers, so that 127.0.0.1.example.com is none.
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers.allSatisfy { $0 != nil } && numbers.first == 127
    }
}
