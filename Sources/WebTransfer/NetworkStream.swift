import CCurl
import Foundation

/// A connection over libcurl that carries bytes in both directions, with TLS or without.
///
/// One thread opens, uses and waits for it; others only wake that thread. Use is safe across threads, because all that
/// ``wake()`` touches is a pipe, which lives until the last reference to the stream is gone.
package final class NetworkStream: @unchecked Sendable {
    /// The reason for which there is no connection.
    package struct Failure: Error, Sendable {
        package var reason: String
        /// Whether no known authority signed the certificate of the other side.
        package var isUntrusted = false
    }

    private let stream: OpaquePointer

    /// The reason for which libcurl cannot be used; nil if it can.
    package static var problem: String? { HTTPTransfer.problem }

    /// Connects, and blocks the thread until that has succeeded or failed.
    ///
    /// - Parameters:
    ///   - authorities: a file with certificates of authorities in PEM; nil for those of the system.
    package init(
        host: String,
        port: Int,
        isSecure: Bool,
        authorities: URL?,
        timeout: Duration
    ) throws(Failure) {
        if let problem = Self.problem { throw Failure(reason: problem) }
        var result = CCurlResult()
        let opened = ccurl_stream_open(
            "\(isSecure ? "https" : "http")://\(Self.place(host)):\(port)/",
            authorities?.path(percentEncoded: false),
            max(Int(timeout / .milliseconds(1)), 1),
            &result
        )
        guard let opened else {
            let reason = withUnsafeBytes(of: &result.message) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw Failure(reason: reason, isUntrusted: result.code == Self.untrustedPeer)
        }
        stream = opened
    }

    deinit { ccurl_stream_close(stream) }

    /// The form of a host in an address.
    private static func place(_ host: String) -> String {
        // An address of IPv6 may have a zone behind a percent sign (RFC 6874).
        guard !host.contains(":") else { return "[\(host.replacing("%", with: "%25"))]" }
        return host.addingPercentEncoding(withAllowedCharacters: .urlHostAllowed) ?? host
    }

    /// CURLE_PEER_FAILED_VERIFICATION.
    private static let untrustedPeer: Int32 = 60
    private static let lost = Failure(reason: "the connection was lost")

    /// Sends as many bytes as the connection takes now, and returns their number.
    package func send(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Int {
        guard !bytes.isEmpty else { return 0 }
        var count = 0
        let moved = bytes.withUnsafeBytes { ccurl_stream_send(stream, $0.baseAddress, $0.count, &count) }
        guard moved == CCURL_MOVED else { throw Self.lost }
        return count
    }

    /// Receives the bytes that are there, at most as many as the buffer has room for, and returns their number.
    package func receive(_ buffer: inout [UInt8]) throws(Failure) -> Int {
        var count = 0
        let moved = buffer.withUnsafeMutableBytes { ccurl_stream_receive(stream, $0.baseAddress, $0.count, &count) }
        guard moved == CCURL_MOVED else {
            throw moved == CCURL_ENDED ? Failure(reason: "the other side closed the connection") : Self.lost
        }
        return count
    }

    /// Blocks the thread until bytes may have come, until some can be sent if that is asked for, until ``wake()``, or for a time.
    package func wait(toSend: Bool, atMost time: Duration) {
        ccurl_stream_wait(stream, toSend, Int32(clamping: Int(time / .milliseconds(1))))
    }

    /// Ends the present wait, or the next one. Any thread may call this.
    package func wake() { ccurl_stream_wake(stream) }
}
