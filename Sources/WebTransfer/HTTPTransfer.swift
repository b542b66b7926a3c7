import CCurl
import Foundation

/// The head of a response.
package struct HTTPHead: Sendable {
    /// The status; 0 if no response has begun.
    package var status = 0
    /// Values by lower-case name.
    package var fields: [String: String] = [:]

    /// Creates a head, by default that of a response that has not begun.
    package init(status: Int = 0, fields: [String: String] = [:]) { (self.status, self.fields) = (status, fields) }
}

/// A single request over libcurl, which follows no redirects and blocks the thread.
///
/// libcurl is loaded directly, and only for requests. URLSession on Linux uses the same library together with fifty
/// others, and loading these would cost every command 7 ms. AsyncHTTPClient, with which apps and hubs exchange files,
/// would link SwiftNIO and TLS into every command.
package enum HTTPTransfer {
    /// The end of an exchange, apart from errors of the caller.
    package enum End {
        /// The response came whole.
        case complete(HTTPHead)
        /// The response names another address.
        case redirect(HTTPHead, to: String)
        /// The connection failed; the status is 0 if no response had begun.
        case failed(HTTPHead, reason: String)
        /// libcurl cannot be used.
        case unavailable(reason: String)
    }

    /// The reason for which libcurl cannot be used; nil if it can.
    package static let problem: String? = ccurl_load().map { String(cString: $0) }

    /// Sends a request.
    ///
    /// - Parameter onBody: Receives each piece of the body together with the head. An error that it throws ends the transfer.
    package static func send<Failure: Error>(
        _ request: HTTPRequest,
        onBody: (HTTPHead, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) -> End {
        if let problem { return .unavailable(reason: problem) }
        // The callbacks run inside ccurl_send, on this thread; the exchange outlives them.
        var result = CCurlResult()
        var failure: Failure?
        let head = withoutActuallyEscaping(onBody) { onBody in
            let exchange = Exchange { head, bytes in
                do throws(Failure) {
                    try onBody(head, bytes)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            return withExtendedLifetime(exchange) {
                perform(request, exchange: exchange, result: &result)
                return exchange.head
            }
        }
        if let failure { throw failure }
        let redirect = text(of: &result.redirect)
        switch result.code {
        case 0 where (300..<400).contains(head.status) && !redirect.isEmpty:
            return .redirect(head, to: redirect)
        case 0:
            return .complete(head)
        default:
            return .failed(head, reason: text(of: &result.message))
        }
    }

    private static func perform(_ sent: HTTPRequest, exchange: Exchange, result: inout CCurlResult) {
        let lines = sent.headers.map { strdup($0) }
        defer { lines.forEach { free($0) } }
        let pointers = lines.compactMap { $0.map { UnsafePointer($0) } }.map { Optional($0) }
        var request = CCurlRequest()
        request.isSecure = sent.isSecure
        request.isLocal = sent.isLocal
        request.timeoutMilliseconds = sent.timeout.map { max(Int($0 / .milliseconds(1)), 1) } ?? 0
        request.context = Unmanaged.passUnretained(exchange).toOpaque()
        request.onHeader = { context, bytes, count in
            Exchange.of(context)?.read(header: UnsafeRawBufferPointer(start: bytes, count: count))
            return true
        }
        request.onBody = { context, bytes, count in
            Exchange.of(context)?.read(body: UnsafeRawBufferPointer(start: bytes, count: count)) ?? false
        }
        // Each pointer is used inside the closure that lends it.
        pointers.withUnsafeBufferPointer { pointers in
            sent.address.withCString { url in
                "Sightline".withCString { userAgent in
                    request.url = url
                    request.userAgent = userAgent
                    request.headers = pointers.baseAddress
                    request.headerCount = pointers.count
                    guard let body = sent.body else { return ccurl_send(&request, &result) }
                    body.withUnsafeBytes { bytes in
                        request.isPost = true
                        request.body = bytes.baseAddress
                        request.bodyCount = bytes.count
                        ccurl_send(&request, &result)
                    }
                }
            }
        }
    }

    /// The text of a zero-terminated array of characters.
    private static func text<Characters>(of characters: inout Characters) -> String {
        withUnsafeBytes(of: &characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The state that the callbacks of a request share.
    private final class Exchange {
        private(set) var head = HTTPHead()
        /// Receives a piece of the body; false ends the transfer.
        private let onBody: (HTTPHead, UnsafeRawBufferPointer) -> Bool

        init(_ onBody: @escaping (HTTPHead, UnsafeRawBufferPointer) -> Bool) { self.onBody = onBody }

        static func of(_ context: UnsafeMutableRawPointer?) -> Exchange? {
            context.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
        }

        func read(header bytes: UnsafeRawBufferPointer) {
            let line = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            if line.hasPrefix("HTTP/") {
                // A final response may follow an interim response.
                head = HTTPHead(status: line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
            } else if let colon = line.firstIndex(of: ":") {
                let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                head.fields[line[..<colon].lowercased()] = value
            }
        }

        func read(body: UnsafeRawBufferPointer) -> Bool { onBody(head, body) }
    }
}
