import Foundation
import Synchronization

/// A small HTTP server on this machine that answers as a test wants, one request a connection.
public final class LoopbackServer: Sendable {
    /// A request.
    public struct Request: Sendable {
        /// The path with the query.
        public var path: String
        /// Values by lower-case name.
        public var headers: [String: String]
        /// The body; empty without a `Content-Length`.
        public var body = Data()

        /// Where a range begins that goes to the end: `bytes=100-`.
        public var rangeStart: Int? {
            headers["range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
        }
    }

    /// A response.
    public struct Response: Sendable {
        var status: Int
        var headers: [String: String]
        var body: Data
        /// The connection is closed after this many bytes of the body, though more are announced.
        var cutAfter: Int?

        /// Creates a response.
        public init(status: Int = 200, headers: [String: String] = [:], body: Data = Data(), cutAfter: Int? = nil) {
            (self.status, self.headers, self.body, self.cutAfter) = (status, headers, body, cutAfter)
        }

        /// A file, or the part of it that is asked for.
        public static func file(_ data: Data, for request: Request, version: String? = nil, cutAfter: Int? = nil)
            -> Response
        {
            var headers = ["Content-Type": "application/octet-stream"]
            if let version { headers["ETag"] = version }
            let isSame = request.headers["if-range"].map { $0 == version } ?? true
            guard let start = request.rangeStart, isSame else {
                return Response(headers: headers, body: data, cutAfter: cutAfter)
            }
            guard start < data.count else { return Response(status: 416, headers: headers) }
            headers["Content-Range"] = "bytes \(start)-\(data.count - 1)/\(data.count)"
            return Response(status: 206, headers: headers, body: data.dropFirst(start), cutAfter: cutAfter)
        }

        /// A redirect.
        public static func redirect(to location: String, status: Int = 302) -> Response {
            Response(status: status, headers: ["Location": location])
        }
    }

    /// For example `http://127.0.0.1:41234`.
    public let address: String
    private let listener: Int32
    private let received = Mutex<[Request]>([])

    /// The requests so far.
    public var requests: [Request] { received.withLock { $0 } }

    /// Starts to answer at a free port.
    public init(_ answer: @escaping @Sendable (Request) -> Response) throws {
        let (listener, port) = try Loopback.listener()
        self.listener = listener
        address = "http://127.0.0.1:\(port)"
        Loopback.accept(at: listener) { [weak self] connection in
            if let request = Self.read(connection) {
                self?.received.withLock { $0.append(request) }
                Self.send(answer(request), to: connection)
            }
            close(connection)
        }
    }

    deinit { Loopback.stop(listener) }

    private static func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var head: [UInt8]?
        while head == nil {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer.prefix(count)
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            head = Array(bytes[..<end.lowerBound])
            bytes.removeSubrange(..<end.upperBound)
        }
        let lines = String(decoding: head ?? [], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[line[..<colon].lowercased()] = value
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        while bytes.count < length {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer.prefix(count)
        }
        return Request(path: String(words[1]), headers: headers, body: Data(bytes.prefix(length)))
    }

    private static func send(_ response: Response, to connection: Int32) {
        var headers = response.headers
        headers["Content-Length"] = headers["Content-Length"] ?? "\(response.body.count)"
        headers["Connection"] = "close"
        let head =
            "HTTP/1.1 \(response.status) Answer\r\n" + headers.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
        Loopback.send(Array(head.utf8) + response.body.prefix(response.cutAfter ?? .max), to: connection)
    }
}
