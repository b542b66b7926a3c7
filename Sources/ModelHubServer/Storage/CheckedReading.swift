import Crypto
import NIOCore

extension StoredFile {
    /// The file, whose bytes are compared with its hash while they are read.
    ///
    /// The last piece of a part comes after the whole file had the right hash, so a reader never has all bytes of a part that may
    /// be wrong. Reading a part therefore reads the whole file.
    func checked(against hash: BlobHash) -> StoredFile {
        StoredFile(byteCount: byteCount) { range in
            let reading = CheckedReading(self, hash, range)
            return StoredFile.Bytes { try await reading.next() }
        }
    }
}

/// Reads a part of a file, and compares the whole file with its hash.
private actor CheckedReading {
    private let hash: BlobHash
    private let part: Range<Int>
    private var pieces: StoredFile.Bytes.AsyncIterator
    private var digest: SHA256? = SHA256()
    private var position = 0
    /// The newest piece of the part.
    private var held: ByteBuffer?

    init(_ file: StoredFile, _ hash: BlobHash, _ part: Range<Int>) {
        self.hash = hash
        self.part = part
        pieces = file.bytes.makeAsyncIterator()
    }

    /// The next piece; nil at the end of the part.
    ///
    /// - Throws: `.dataLoss` in place of the last piece if the file has another hash.
    func next() async throws -> ByteBuffer? {
        while digest != nil {
            var pieces = self.pieces
            let piece = try await pieces.next(isolation: self)
            self.pieces = pieces
            guard let piece else { return try last() }
            piece.withUnsafeReadableBytes { digest?.update(bufferPointer: $0) }
            let start = position
            position += piece.readableBytes
            let wanted = part.clamped(to: start..<position)
            guard !wanted.isEmpty else { continue }
            let earlier = held
            held = piece.getSlice(at: piece.readerIndex + wanted.lowerBound - start, length: wanted.count)
            if let earlier { return earlier }
        }
        return nil
    }

    private func last() throws(HubError) -> ByteBuffer? {
        defer { (digest, held) = (nil, nil) }
        guard let digest, BlobHash(digest.finalize()) == hash else { throw HubError.otherBytes(hash.text) }
        return held
    }
}

extension HubError {
    /// The error for a file whose bytes are not those of its name.
    static func otherBytes(_ name: String) -> HubError {
        HubError(
            .dataLoss,
            "The storage of the hub delivered other bytes than those of the file \(name); run `sightline hub verify --deep`.",
            retryAfter: .seconds(30)
        )
    }
}
