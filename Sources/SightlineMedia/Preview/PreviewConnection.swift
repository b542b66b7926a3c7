import Foundation

/// A browser's connection to a preview server. It has a thread of its own, so that its calls may block, and nobody else waits for it.
struct PreviewConnection: Sendable {
    let descriptor: Int32
    let port: Int
    let site: any LoopbackSite
    let shared: PreviewState

    static let boundary = "sightline-frame"
    private static let requestTime = Duration.seconds(5)
    private static let (maximumRequest, maximumBody) = (8192, 1 << 16)

    /// Answers one request.
    func serve() {
        let deadline = ContinuousClock.now + Self.requestTime
        var request: [UInt8] = []
        while true {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0, ContinuousClock.now < deadline else { return }
            request += buffer.prefix(count)
            // Bytes after the request are ignored.
            if let head = HTTPRequestHead(request) {
                guard head.contentLength <= Self.maximumBody else {
                    return refuse("413 Content Too Large", "The request is too long.")
                }
                if request.count - head.byteCount >= head.contentLength {
                    let body = request.dropFirst(head.byteCount).prefix(head.contentLength)
                    return answer(head, Data(body))
                }
            } else if request.count > Self.maximumRequest {
                return refuse("431 Request Header Fields Too Large", "The request is too long.")
            }
        }
    }

    /// The names of the server in requests.
    private var hosts: [String] { ["127.0.0.1", "localhost", "127.0.0.1:\(port)", "localhost:\(port)"] }

    private func answer(_ head: HTTPRequestHead, _ body: Data) {
        // Another host name that resolves to this machine must not give access to the pictures.
        guard let host = head.host, hosts.contains(host) else {
            return refuse("403 Forbidden", "Open http://127.0.0.1:\(port)/ instead.")
        }
        if head.method == "POST", let answer = posted(body, head) {
            guard case .content(let content, let type) = answer else { return }
            return respond("200 OK", content, type: type)
        }
        guard head.method == "GET" else { return refuse("405 Method Not Allowed", "Only GET is answered.") }
        switch site.answer(to: head.path) {
        case .content(let content, let type):
            respond("200 OK", content, type: type)
        case .stream:
            guard shared.addViewer() else {
                return refuse("503 Service Unavailable", "Too many browsers watch; close one of them.")
            }
            stream()
            shared.removeViewer()
        case nil:
            refuse("404 Not Found", "There is a page at / and nothing else.")
        }
    }

    /// The answer to a posted request. A page of another site cannot send this type without asking first, which nothing answers.
    private func posted(_ body: Data, _ head: HTTPRequestHead) -> LoopbackAnswer? {
        head.contentType == "application/json" ? site.answer(toPosted: body, at: head.path) : nil
    }

    /// Sends one picture after another until the browser or the server ends.
    private func stream() {
        guard
            send(Self.head("200 OK", "Content-Type: multipart/x-mixed-replace; boundary=\(Self.boundary)\r\n"))
        else { return }
        var number = 0
        while !shared.isStopped, isOpen {
            guard let part = shared.part(after: number) else { continue }
            guard send(part.data) else { return }
            number = part.number
        }
    }

    /// Whether the browser has not left.
    private var isOpen: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
        return count > 0 || count < 0 && [EAGAIN, EWOULDBLOCK, EINTR].contains(errno)
    }

    private func refuse(_ status: String, _ sentence: String) {
        respond(status, Data(sentence.utf8), type: "text/plain; charset=utf-8")
    }

    private func respond(_ status: String, _ body: Data, type: String) {
        _ = send(Self.head(status, "Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n") + body)
    }

    private static func head(_ status: String, _ lines: String) -> Data {
        // The policy prevents pages of other sites from showing the pictures.
        Data(
            ("HTTP/1.1 \(status)\r\n\(lines)Cache-Control: no-store\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                + "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n").utf8
        )
    }

    /// Sends all bytes; false if the browser left, or took nothing for half a minute.
    private func send(_ data: Data) -> Bool {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var sent = 0
        while sent < data.count {
            let count = data.withUnsafeBytes { bytes in
                // The offset lies inside the bytes.
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return Foundation.send(descriptor, rest.baseAddress, rest.count, flags)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// The parts of an HTTP request's head that the preview server uses (RFC 9112).
struct HTTPRequestHead {
    let method: String
    /// The path without a query.
    let path: String
    /// The host in lower case.
    let host: String?
    /// The type of the body in lower case.
    let contentType: String?
    /// The size of the body in bytes.
    let contentLength: Int
    /// The size of the head in bytes.
    let byteCount: Int

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
        func field(_ name: String) -> String? {
            lines.dropFirst().lazy
                .compactMap { line -> String? in
                    guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { return nil }
                    return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces).lowercased()
                }
                .first
        }
        host = field("host")
        contentType = field("content-type")
        contentLength = field("content-length").flatMap(UInt32.init).map(Int.init) ?? 0
        byteCount = range.upperBound
    }
}
