import Foundation

/// The download of a file, which resumes an earlier interrupted download.
struct Download {
    static let maximumRedirects = 5
    /// The maximum size of a file whose length is unknown.
    static let maximumByteCount = 1 << 30

    let address: DownloadAddress
    /// The expected size of the file in bytes, if it was verified.
    let byteCount: Int?
    /// Whether the contents will be checked, so that pieces of two versions cannot be combined undetected.
    let isVerified: Bool
    let progress: (_ received: Int, _ expected: Int?) -> Void

    /// The origin of an incomplete file.
    struct Origin: Codable, Equatable {
        var address: String
        /// The server's name for the version of the file.
        var version: String?
    }

    /// Downloads to a file, after the bytes of an earlier attempt.
    ///
    /// - Returns: Whether the download resumed an earlier attempt.
    @discardableResult
    func run(into path: String) throws(ModelCatalogError) -> Bool {
        let file = try OpenFile(path)
        let origin = Origin.read(beside: path)
        var offset = try file.byteCount()
        var version = origin?.version
        if offset > 0, origin?.address != address.text || (version == nil && !isVerified) {
            try file.clear()
            (offset, version) = (0, nil)
        }
        if offset == byteCount, offset > 0 { return true }
        let start = offset
        switch try fetch(file, from: offset, version: version) {
        case .done(let resumed):
            try file.synchronize()
            return resumed && start > 0
        case .mustStartAgain:
            try file.clear()
            guard case .done = try fetch(file, from: 0, version: nil) else {
                throw .refused(address: address.text, status: 416)
            }
            try file.synchronize()
            return false
        }
    }

    private enum Outcome {
        case done(resumed: Bool)
        /// The server has no bytes beyond the existing ones.
        case mustStartAgain
    }

    /// Follows redirects to the file.
    private func fetch(
        _ file: borrowing OpenFile,
        from offset: Int,
        version: String?
    ) throws(ModelCatalogError) -> Outcome {
        var headers: [String] = []
        if offset > 0 {
            headers.append("Range: bytes=\(offset)-")
            if let version { headers.append("If-Range: \(version)") }
        }
        var current = address
        for _ in 0...Self.maximumRedirects {
            var body = Body(download: self, file: file.path, offset: offset)
            let end = try HTTPTransfer.get(current, headers: headers) { (head, bytes) throws(ModelCatalogError) in
                if try body.accepts(head, bytes, at: current) {
                    if body.mustClear { try file.clear() }
                    try file.append(bytes)
                    try body.count(bytes)
                }
            }
            switch end {
            case .redirect(_, let location):
                current = try current.redirected(to: location)
            case .complete(let head) where head.status == 416 && offset > 0:
                return .mustStartAgain
            case .complete(let head):
                guard [200, 206].contains(head.status) else {
                    throw .refused(address: current.text, status: head.status)
                }
                if body.received == 0 { throw .wrongSize(source: current.text, expected: byteCount ?? 1, found: 0) }
                return .done(resumed: body.isResumed)
            case .failed(let head, _) where [200, 206].contains(head.status):
                throw .interrupted(address: current.text, received: body.received, expected: body.expected)
            case .failed(_, let reason):
                throw .unreachable(address: current.text, reason: reason)
            }
        }
        throw .tooManyRedirects(address: address.text, limit: Self.maximumRedirects)
    }

    /// The body of a response, piece by piece.
    private struct Body {
        let download: Download
        /// The path of the file that receives the body.
        let file: String
        let offset: Int
        private(set) var received = 0
        private(set) var expected: Int?
        private(set) var isResumed = false
        /// Whether the existing bytes must be removed before the next piece.
        private(set) var mustClear = false
        private var hasBegun = false

        init(download: Download, file: String, offset: Int) {
            self.download = download
            self.file = file
            self.offset = offset
        }

        /// Whether a piece belongs to the file; pieces of redirects and errors do not.
        mutating func accepts(
            _ head: HTTPHead,
            _ bytes: UnsafeRawBufferPointer,
            at address: DownloadAddress
        ) throws(ModelCatalogError) -> Bool {
            guard head.status == 200 || head.status == 206 else { return false }
            mustClear = false
            if hasBegun { return true }
            hasBegun = true
            isResumed = head.status == 206
            if isResumed {
                guard let range = head.contentRange, range.start == offset else {
                    throw .unreachable(
                        address: address.text,
                        reason: "the server sent a different range than requested"
                    )
                }
                received = offset
                expected = range.total
            } else {
                mustClear = true
                expected = head.number("content-length")
            }
            if received == 0, Self.isWebPage(head, bytes) { throw .webPage(address: address.text) }
            if let expected { try check(expected, at: address) }
            // Stored at once, because the next piece may never arrive.
            try Download.Origin(address: download.address.text, version: head.fields["etag"]?.strongVersion)
                .write(beside: file)
            return true
        }

        mutating func count(_ bytes: UnsafeRawBufferPointer) throws(ModelCatalogError) {
            received += bytes.count
            let limit = download.byteCount ?? Download.maximumByteCount
            guard received <= limit else {
                throw .wrongSize(source: download.address.text, expected: limit, found: received)
            }
            download.progress(received, expected ?? download.byteCount)
        }

        private func check(_ announced: Int, at address: DownloadAddress) throws(ModelCatalogError) {
            let isRight = download.byteCount.map { $0 == announced } ?? (announced <= Download.maximumByteCount)
            guard isRight else {
                throw .wrongSize(
                    source: address.text,
                    expected: download.byteCount ?? Download.maximumByteCount,
                    found: announced
                )
            }
        }

        private static func isWebPage(_ head: HTTPHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
            // Servers often state a wrong type for models. A model identifies itself in bytes 4 to 7.
            if bytes.dropFirst(4).prefix(4).elementsEqual("TFL3".utf8) { return false }
            if head.fields["content-type"]?.lowercased().hasPrefix("text/html") == true { return true }
            let text = String(decoding: bytes.prefix(256), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
            return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
        }
    }
}

extension Download.Origin {
    private static func path(beside file: String) -> String { file + ".origin" }

    /// The stored origin of a partial file; nil if it is missing or damaged.
    static func read(beside file: String) -> Download.Origin? {
        (try? Data(contentsOf: URL(filePath: path(beside: file)))).flatMap {
            try? JSONDecoder().decode(Self.self, from: $0)
        }
    }

    func write(beside file: String) throws(ModelCatalogError) {
        let note: Data
        do {
            note = try JSONEncoder().encode(self)
        } catch {
            throw .file(path: file, reason: "\(error)")
        }
        let output = try OpenFile(Self.path(beside: file))
        try output.clear()
        try output.append(note)
    }

    /// Removes the stored origin.
    static func remove(beside file: String) {
        unlink(path(beside: file))
    }
}

extension String {
    /// The text as a version of a file, if it changes with every byte of the file: a weak ETag does not.
    fileprivate var strongVersion: String? {
        hasPrefix("\"") && utf8.allSatisfy { (0x21...0x7E).contains($0) } ? self : nil
    }
}
