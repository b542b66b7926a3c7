public import Foundation
import WebTransfer

/// A file behind an address, for programs that need its bytes once.
public enum WebFile {
    /// Reads a file over HTTP or HTTPS with libcurl, after at most five redirects. An https address never leads to an http address.
    ///
    /// The call blocks the thread. It gives up when a server sends nothing for 30 seconds.
    ///
    /// - Parameter limit: the largest number of bytes.
    /// - Throws: `WebFileError`.
    public static func read(_ address: String, atMost limit: Int) throws(WebFileError) -> Data {
        var place = try DownloadAddress.ofWeb(address)
        for _ in 0...Download.maximumRedirects {
            var data = Data()
            let end = try HTTPTransfer.send(place.request()) { (head, bytes) throws(WebFileError) in
                guard head.status == 200 else { return }
                guard data.count + bytes.count <= limit else {
                    throw WebFileError(address: address, reason: "it has more than \(limit) bytes")
                }
                data.append(contentsOf: bytes)
            }
            switch end {
            case .complete(let head) where head.status == 200: return data
            case .complete(let head):
                throw WebFileError(address: address, reason: "the server returned status \(head.status)")
            case .failed(_, let reason): throw WebFileError(address: address, reason: reason)
            case .unavailable(let reason):
                throw WebFileError(address: address, reason: reason, advice: "install the package libcurl4")
            case .redirect(_, let target):
                let next = try DownloadAddress.ofWeb(target)
                guard next.isSecure || !place.isSecure else {
                    throw WebFileError(address: address, reason: "it redirects from https to http")
                }
                place = next
            }
        }
        throw WebFileError(address: address, reason: "it redirects more than \(Download.maximumRedirects) times")
    }
}

/// The reason why a file behind an address cannot be read.
public struct WebFileError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// The address.
    public let address: String
    /// The reason, as a clause.
    public let reason: String
    /// The next step, as a clause.
    public var advice = "check the address and the network"

    /// One sentence with the failure and the next step.
    public var description: String { "\(address) cannot be read: \(reason); \(advice)." }

    /// The same sentence.
    public var errorDescription: String? { description }
}

extension DownloadAddress {
    /// An address of any host, also over http.
    fileprivate static func ofWeb(_ text: String) throws(WebFileError) -> DownloadAddress {
        do throws(ModelCatalogError) {
            return try DownloadAddress(text, allowsPlainHTTP: true)
        } catch .invalidAddress(_, let reason) {
            throw WebFileError(address: text, reason: reason)
        } catch {
            throw WebFileError(address: text, reason: "\(error)")
        }
    }
}
