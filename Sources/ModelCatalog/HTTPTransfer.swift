import CCurl
import Foundation
import ModelHubProtocol

/// The head of a response.
struct HTTPHead: Sendable {
    var status = 0
    /// Values by lower-case name.
    var fields: [String: String] = [:]

    /// The parts that matter for a file.
    var ofFile: ResponseHead { ResponseHead(status: status) { fields[$0] } }
}

/// A single GET request over libcurl, which follows no redirects.
///
/// libcurl is loaded directly, and only for downloads. URLSession on Linux uses the same library together with fifty
/// others, and loading these would cost every command 7 ms. AsyncHTTPClient, with which apps and hubs exchange files,
/// would link SwiftNIO and TLS into every command. Both follow the rules of `FileTransfer`.
struct HTTPTransfer {
    /// The end of an exchange, apart from errors of the caller.
    enum End {
        case complete(HTTPHead)
        case redirect(HTTPHead, to: String)
        /// The connection failed; the status is 0 if no response had begun.
        case failed(HTTPHead, reason: String)
        /// libcurl cannot be used.
        case unavailable(reason: String)
    }

    private static let problem: String? = ccurl_load().map { String(cString: $0) }

    /// Sends the request.
    ///
    /// - Parameters:
    ///   - headers: Header lines to add.
    ///   - onBody: Receives each piece of the body together with the head. An error that it throws ends the transfer.
    static func get<Failure: Error>(
        _ address: DownloadAddress,
        headers: [String],
        onBody: (HTTPHead, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) -> End {
        if let problem { return .unavailable(reason: problem) }
        // The callbacks run inside ccurl_get, on this thread; the exchange outlives them.
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
                perform(address, headers: headers, exchange: exchange, result: &result)
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

    private static func perform(
        _ address: DownloadAddress,
        headers: [String],
        exchange: Exchange,
        result: inout CCurlResult
    ) {
        let lines = headers.map { strdup($0) }
        defer { lines.forEach { free($0) } }
        let pointers = lines.compactMap { $0.map { UnsafePointer($0) } }.map { Optional($0) }
        pointers.withUnsafeBufferPointer { pointers in
            address.text.withCString { url in
                "Sightline".withCString { userAgent in
                    var request = CCurlRequest()
                    request.url = url
                    request.isSecure = address.isSecure
                    request.isLocal = address.isLocal
                    request.userAgent = userAgent
                    request.headers = pointers.baseAddress
                    request.headerCount = pointers.count
                    request.context = Unmanaged.passUnretained(exchange).toOpaque()
                    request.onHeader = { context, bytes, count in
                        Exchange.of(context)?.read(header: UnsafeRawBufferPointer(start: bytes, count: count))
                        return true
                    }
                    request.onBody = { context, bytes, count in
                        Exchange.of(context)?.read(body: UnsafeRawBufferPointer(start: bytes, count: count)) ?? false
                    }
                    ccurl_get(&request, &result)
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
