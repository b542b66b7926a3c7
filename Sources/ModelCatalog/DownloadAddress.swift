import Foundation
import ModelHubProtocol
import WebTransfer

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
        isLocal = HTTPRequest.isLoopback(host)
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

    /// A GET request for the address.
    func request(headers: [String] = []) -> HTTPRequest {
        HTTPRequest(text, isSecure: isSecure, isLocal: isLocal, headers: headers)
    }
}

extension HTTPHead {
    /// The parts that matter for a file.
    var ofFile: ResponseHead { ResponseHead(status: status) { fields[$0] } }
}
