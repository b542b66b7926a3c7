import Foundation

/// A browser's connection to a preview server. Its owner closes it. No call blocks.
final class PreviewConnection {
    let descriptor: Int32
    private(set) var isClosed = false
    /// Whether the browser requested the stream.
    private(set) var isViewer = false
    private var request: [UInt8] = []
    private var output = Data()
    private var sent = 0
    private var closesAfterOutput = false
    /// The last sent picture.
    private var number = 0
    /// The time at which the connection is given up.
    private var deadline = ContinuousClock.now + PreviewConnection.requestTime

    static let boundary = "sightline-frame"
    private static let requestTime = Duration.seconds(5)
    private static let sendingTime = Duration.seconds(30)
    private static let maximumRequest = 8192

    private let site: any LoopbackSite
    private let port: Int

    /// - Parameters:
    ///   - descriptor: the socket.
    ///   - site: the answers to requests.
    ///   - port: the port of the server.
    init(_ descriptor: Int32, site: any LoopbackSite, port: Int) {
        (self.descriptor, self.site, self.port) = (descriptor, site, port)
    }

    deinit { close(descriptor) }

    var wantsToSend: Bool { sent < output.count }

    /// Whether everything is sent, and no picture newer than a given picture was sent.
    func isIdleViewer(since number: Int) -> Bool { isViewer && !wantsToSend && self.number <= number }

    /// Reads and sends as much as possible without blocking, and closes a finished connection.
    ///
    /// - Parameters:
    ///   - part: the newest picture as a part of a stream; empty if there is none.
    ///   - number: that picture's number.
    ///   - hasRoom: whether another browser may watch the stream.
    func work(part: Data, number: Int, hasRoom: Bool) {
        receive(hasRoom: hasRoom)
        if isViewer, !wantsToSend, number > self.number, !part.isEmpty { start(part, number: number) }
        send()
        let isWaiting = wantsToSend || !isViewer
        if isWaiting, ContinuousClock.now > deadline { isClosed = true }
    }

    private func start(_ part: Data, number: Int) {
        self.number = number
        output = part
        sent = 0
        deadline = .now + Self.sendingTime
    }

    // MARK: The request

    private func receive(hasRoom: Bool) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count == 0 || count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR { isClosed = true }
        // Bytes after the request are ignored.
        guard count > 0, !isViewer, !closesAfterOutput else { return }
        request += buffer.prefix(count)
        if let head = HTTPRequestHead(request) {
            answer(head, hasRoom: hasRoom)
        } else if request.count > Self.maximumRequest {
            refuse("431 Request Header Fields Too Large", "The request is too long.")
        }
    }

    /// The names of the server in requests.
    private var hosts: [String] { ["127.0.0.1", "localhost", "127.0.0.1:\(port)", "localhost:\(port)"] }

    private func answer(_ head: HTTPRequestHead, hasRoom: Bool) {
        // Another host name that resolves to this machine must not give access to the pictures.
        guard let host = head.host, hosts.contains(host) else {
            return refuse("403 Forbidden", "Open http://127.0.0.1:\(port)/ instead.")
        }
        guard head.method == "GET" else { return refuse("405 Method Not Allowed", "Only GET is answered.") }
        switch site.answer(to: head.path) {
        case .content(let content, let type):
            respond("200 OK", content, type: type)
        case .stream:
            guard hasRoom else {
                return refuse("503 Service Unavailable", "Too many browsers watch; close one of them.")
            }
            output = Data(
                Self.head("200 OK", "Content-Type: multipart/x-mixed-replace; boundary=\(Self.boundary)\r\n").utf8
            )
            isViewer = true
            deadline = .now + Self.sendingTime
        case nil:
            refuse("404 Not Found", "There is a page at / and nothing else.")
        }
    }

    private func refuse(_ status: String, _ sentence: String) {
        respond(status, Data(sentence.utf8), type: "text/plain; charset=utf-8")
    }

    private func respond(_ status: String, _ body: Data, type: String) {
        let head = Self.head(status, "Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n")
        output = Data(head.utf8) + body
        closesAfterOutput = true
        deadline = .now + Self.requestTime
    }

    private static func head(_ status: String, _ lines: String) -> String {
        // The policy prevents pages of other sites from showing the pictures.
        "HTTP/1.1 \(status)\r\n\(lines)Cache-Control: no-store\r\nCross-Origin-Resource-Policy: same-origin\r\n"
            + "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    }

    // MARK: Sending

    private func send() {
        while wantsToSend, !isClosed {
            let count = output.withUnsafeBytes { bytes in
                // The offset lies inside the bytes.
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                #if canImport(Darwin)
                    return Foundation.send(descriptor, rest.baseAddress, rest.count, 0)
                #else
                    return Foundation.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                #endif
            }
            guard count > 0 else {
                if errno == EINTR { continue }
                if errno != EAGAIN, errno != EWOULDBLOCK { isClosed = true }
                return
            }
            sent += count
            deadline = .now + Self.sendingTime
        }
        if closesAfterOutput { isClosed = true }
    }
}

/// The parts of an HTTP request's head that the preview server uses (RFC 9112).
struct HTTPRequestHead {
    let method: String
    /// The path without a query.
    let path: String
    /// The host in lower case.
    let host: String?

    /// Parses the received bytes; nil if the end of the head is still missing.
    init?(_ bytes: [UInt8]) {
        let end = Array("\r\n\r\n".utf8)
        guard let range = bytes.firstRange(of: end) else { return nil }
        let lines = String(decoding: bytes[..<range.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        method = words.first.map(String.init) ?? ""
        path =
            words.dropFirst().first?.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init)
            ?? ""
        host =
            lines.dropFirst().lazy
            .compactMap { line -> String? in
                guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "host" else { return nil }
                return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces).lowercased()
            }
            .first
    }
}
