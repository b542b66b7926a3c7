import CCurl
import Foundation

/// The head of a response.
struct HTTPHead: Sendable {
    var status = 0
    /// Values by lower-case name.
    var fields: [String: String] = [:]

    /// The number in a field; nil if the field is missing or not a number.
    func number(_ field: String) -> Int? {
        fields[field].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The start of a partial response and the total length: `bytes 100-199/200`.
    var contentRange: (start: Int, total: Int?)? {
        guard let text = fields["content-range"], text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst("bytes ".count).split(separator: "/")
        guard parts.count == 2, let start = parts[0].split(separator: "-").first.flatMap({ Int($0) }), start >= 0 else {
            return nil
        }
        return (start, Int(parts[1]))
    }
}

/// A single GET request over libcurl, which follows no redirects.
///
/// libcurl is loaded directly, and only for downloads. URLSession on Linux uses the same library together with fifty
/// others, and loading these would cost every command 7 ms.
struct HTTPTransfer {
    /// The end of an exchange, apart from errors of the caller.
    enum End {
        case complete(HTTPHead)
        case redirect(HTTPHead, to: String)
        /// The connection failed; the status is 0 if no response had begun.
        case failed(HTTPHead, reason: String)
    }

    private static let problem: String? = ccurl_load().map { String(cString: $0) }

    /// Sends the request.
    ///
    /// - Parameters:
    ///   - headers: Header lines to add.
    ///   - onBody: Receives each piece of the body together with the head. An error that it throws ends the transfer.
    static func get(
        _ address: DownloadAddress,
        headers: [String],
        onBody: (HTTPHead, UnsafeRawBufferPointer) throws(ModelCatalogError) -> Void
    ) throws(ModelCatalogError) -> End {
        if let problem { throw .noDownloads(reason: problem) }
        // The callbacks run inside ccurl_get, on this thread; the exchange outlives them.
        var result = CCurlResult()
        let (head, error) = withoutActuallyEscaping(onBody) { onBody in
            let exchange = Exchange(onBody)
            withExtendedLifetime(exchange) {
                perform(address, headers: headers, exchange: exchange, result: &result)
            }
            return (exchange.head, exchange.error)
        }
        if let error { throw error }
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
        private(set) var error: ModelCatalogError?
        private let onBody: (HTTPHead, UnsafeRawBufferPointer) throws(ModelCatalogError) -> Void

        init(_ onBody: @escaping (HTTPHead, UnsafeRawBufferPointer) throws(ModelCatalogError) -> Void) {
            self.onBody = onBody
        }

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

        func read(body: UnsafeRawBufferPointer) -> Bool {
            do throws(ModelCatalogError) {
                try onBody(head, body)
                return true
            } catch {
                self.error = error
                return false
            }
        }
    }
}
