import CCurl
import Foundation

/// The head of an answer.
struct HTTPHead: Sendable {
    var status = 0
    /// Values by lower-case name.
    var fields: [String: String] = [:]

    /// The number in a field; nil if there is none.
    func number(_ field: String) -> Int? {
        fields[field].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Where a partial answer begins and how long the whole is: `bytes 100-199/200`.
    var contentRange: (start: Int, total: Int?)? {
        guard let text = fields["content-range"], text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst("bytes ".count).split(separator: "/")
        guard parts.count == 2, let start = parts[0].split(separator: "-").first.flatMap({ Int($0) }), start >= 0 else {
            return nil
        }
        return (start, Int(parts[1]))
    }
}

/// One GET request over libcurl, which follows no redirects.
///
/// libcurl is used directly, and only when something is downloaded, since URLSession on Linux is the same library behind
/// fifty others whose loading costs every command 7 ms.
struct HTTPTransfer {
    /// How an exchange ended, apart from errors of the caller's.
    enum End {
        case complete(HTTPHead)
        case redirect(HTTPHead, to: String)
        /// The connection failed; the status is 0 if no answer had begun.
        case failed(HTTPHead, reason: String)
    }

    private static let problem: String? = ccurl_load().map { String(cString: $0) }

    /// Sends the request.
    ///
    /// - Parameters:
    ///   - headers: lines to add.
    ///   - onBody: takes each piece of the body, with the head before it; what it throws ends the transfer.
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

    /// The text of an array of characters that ends with 0.
    private static func text<Characters>(of characters: inout Characters) -> String {
        withUnsafeBytes(of: &characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// What the callbacks of one request share.
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
                // An answer may follow an interim one.
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
