import DurableFiles

/// The rules by which a file arrives in one or several exchanges. Received bytes are kept, and the next exchange asks for
/// the rest.
///
/// The transfer sends nothing itself, so it serves any HTTP library: ask it for the header fields of a request, give it
/// the head of the response, each piece of the body, and the end.
///
/// ```swift
/// var transfer = FileTransfer(into: file, size: .exactly(4_000_000), tag: "\"v1\"")
/// for field in transfer.requestFields { … }
/// try transfer.begin(head)
/// try transfer.receive(bytes)
/// try transfer.end()
/// ```
package struct FileTransfer {
    /// The known size of a file in bytes.
    package enum Size: Sendable, Hashable {
        case exactly(Int)
        case atMost(Int)

        /// Whether a file may have a size.
        func permits(_ byteCount: Int) -> Bool {
            switch self {
            case .exactly(let size): byteCount == size
            case .atMost(let limit): byteCount <= limit
            }
        }

        /// The size that no file exceeds.
        package var limit: Int {
            switch self {
            case .exactly(let size), .atMost(let size): size
            }
        }
    }

    /// A reason why an exchange did not bring the rest of the file.
    package enum Failure: Error, Sendable, Hashable {
        /// The server answered with another status.
        case refused(status: Int, retryAfter: Duration?)
        /// The server sent another part than the one that was asked for.
        case otherPart
        /// The server has fewer bytes than have arrived.
        case nothingBeyond(byteCount: Int)
        /// The file has another size.
        case wrongSize(expected: Int, found: Int)
        /// The body ended too early.
        case interrupted(received: Int, expected: Int?)
        /// The disk refused the bytes.
        case file(DurableFileError)

        /// Whether another exchange may bring the rest.
        package var isTransient: Bool {
            switch self {
            case .refused(let status, _): ResponseHead.isTransient(status)
            case .otherPart, .nothingBeyond, .interrupted: true
            case .wrongSize, .file: false
            }
        }
    }

    /// The file, with the bytes so far.
    package let file: PartialFile
    private let size: Size
    private let tag: String?
    private var announced: Int?

    /// Creates a transfer.
    ///
    /// - Parameters:
    ///   - file: The bytes so far.
    ///   - size: The known size, if any.
    ///   - tag: The entity tag of the bytes so far, in quotes. A server with another file then sends all of it.
    package init(into file: PartialFile, size: Size, tag: String?) {
        (self.file, self.size, self.tag) = (file, size, tag)
    }

    /// The size of the file, if it is known by now.
    package var byteCount: Int? {
        if case .exactly(let size) = size { size } else { announced }
    }

    /// The header fields of the next request.
    package var requestFields: [(name: String, value: String)] {
        guard file.byteCount > 0 else { return [] }
        return [("range", ByteRange.header(from: file.byteCount))] + (tag.map { [("if-range", $0)] } ?? [])
    }

    /// Takes the head of a response. If the server sends the whole file, earlier bytes are removed.
    package mutating func begin(_ head: ResponseHead) throws(Failure) {
        switch head.status {
        case 200:
            try storing { () throws(DurableFileError) in try file.clear() }
            announced = head.contentLength
        case 206 where file.byteCount > 0:
            guard let range = head.contentRange, let part = range.part, part.lowerBound == file.byteCount,
                range.byteCount.map({ part.upperBound == $0 }) ?? true
            else {
                try storing { () throws(DurableFileError) in try file.clear() }
                throw .otherPart
            }
            announced = range.byteCount ?? head.contentLength.map { $0 + part.lowerBound }
        case 416 where file.byteCount > 0:
            let count = file.byteCount
            try storing { () throws(DurableFileError) in try file.clear() }
            throw .nothingBeyond(byteCount: count)
        default:
            throw .refused(status: head.status, retryAfter: head.retryAfter)
        }
        if let announced, !size.permits(announced) { throw .wrongSize(expected: size.limit, found: announced) }
    }

    /// Takes a piece of the body.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        guard bytes.count <= size.limit - file.byteCount else {
            throw .wrongSize(expected: size.limit, found: file.byteCount + bytes.count)
        }
        try storing { () throws(DurableFileError) in try file.append(bytes) }
    }

    /// Takes the end of the body, and checks that the file is complete. No file is empty.
    package func end() throws(Failure) {
        guard file.byteCount > 0 else { throw .wrongSize(expected: max(byteCount ?? 1, 1), found: 0) }
        guard byteCount.map({ file.byteCount == $0 }) ?? true else { throw interruption }
    }

    /// The failure of a body that ends here.
    package var interruption: Failure { .interrupted(received: file.byteCount, expected: byteCount) }

    private func storing(_ body: () throws(DurableFileError) -> Void) throws(Failure) {
        do throws(DurableFileError) { try body() } catch { throw .file(error) }
    }
}
