import DurableFiles
import Foundation
import SightlineLocks

/// Features of pictures, kept on disk by the picture's bytes and the network, so that a second training reads only new pictures.
///
/// A file holds records of one size: the SHA-256 of the picture, the features, and the beginning of the SHA-256 of both. Records are
/// only appended. A half-written record of a killed process, or a damaged one, is computed again. The file may be
/// removed at any time; one that grows beyond a limit starts over.
final class FeatureCache: Sendable {
    private struct State {
        /// Open for reading and appending; nil if there is no file.
        var file: Int32?
        /// The positions of the records by picture.
        var records: [Digest: Int] = [:]
        var pending = Data()
    }

    /// The SHA-256 of a picture's bytes.
    typealias Digest = [UInt8]

    private let state: Mutex<State>
    private let byteCount: Int
    private static let digestLength = 32
    private static let checkLength = 4
    private static let maximumBytes = 2 << 30
    /// So many bytes are written at a time.
    private static let pieceSize = 32 << 10
    private var recordLength: Int { Self.digestLength + byteCount + Self.checkLength }

    /// Opens the features that a network gave.
    ///
    /// - Parameters:
    ///   - folder: The folder of all networks' files; nil to keep nothing.
    ///   - network: A text that changes when a picture has other features.
    ///   - byteCount: The bytes of the features of a picture.
    init(in folder: URL?, network: String, byteCount: Int) {
        self.byteCount = byteCount
        state = Mutex(State())
        guard let folder else { return }
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = SHA256.hexadecimalDigest(of: Data("1 \(network) \(byteCount)".utf8)) + ".features"
        let path = folder.appending(path: name).path(percentEncoded: false)
        let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard file >= 0 else { return }
        var status = stat()
        let length = fstat(file, &status) == 0 ? Int(status.st_size) : 0
        if length > Self.maximumBytes { _ = ftruncate(file, 0) }
        let records = length > Self.maximumBytes ? [:] : index(file, length)
        state.withLock { $0 = State(file: file, records: records) }
    }

    deinit {
        flush()
        state.withLock { if let file = $0.file { close(file) } }
    }

    /// The positions of all whole records. Behind a record that another process wrote only in part, later ones may lie anywhere, so
    /// each record is found by its check.
    private func index(_ file: Int32, _ length: Int) -> [Digest: Int] {
        var records: [Digest: Int] = [:]
        var place = 0
        while place + recordLength <= length {
            guard let record = read(file, place, recordLength), isWhole(record) else {
                // Starts over where the damage ends: the file is not worth more.
                _ = ftruncate(file, off_t(place))
                break
            }
            records[Digest(record.prefix(Self.digestLength))] = place
            place += recordLength
        }
        if place + recordLength > length, place < length { _ = ftruncate(file, off_t(place)) }
        return records
    }

    private func isWhole(_ record: Data) -> Bool {
        let content = record.prefix(record.count - Self.checkLength)
        return Data(Self.digest(of: content).prefix(Self.checkLength)) == record.suffix(Self.checkLength)
    }

    private func read(_ file: Int32, _ place: Int, _ count: Int) -> Data? {
        var data = Data(count: count)
        let found = data.withUnsafeMutableBytes { pread(file, $0.baseAddress, count, off_t(place)) }
        return found == count ? data : nil
    }

    /// The SHA-256 of bytes.
    static func digest(of bytes: some ContiguousBytes) -> Digest {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.digest
    }

    /// The features of a picture; nil if they are not known.
    subscript(digest: Digest) -> Data? {
        state.withLock { state in
            guard let file = state.file, let place = state.records[digest],
                let record = read(file, place, recordLength), isWhole(record)
            else { return nil }
            return Data(record.dropFirst(Self.digestLength).dropLast(Self.checkLength))
        }
    }

    /// Keeps the features of a picture. A disk that is full only costs the time to compute them again.
    func keep(_ features: Data, of digest: Digest) {
        guard features.count == byteCount else { return }
        let content = Data(digest) + features
        let record = content + Data(Self.digest(of: content).prefix(Self.checkLength))
        let isFull = state.withLock { state in
            guard state.file != nil else { return false }
            state.pending += record
            return state.pending.count >= Self.pieceSize
        }
        if isFull { flush() }
    }

    /// Removes what a full disk took of the last write, unless another process has written behind it.
    private static func remove(_ count: Int, from file: Int32) {
        let end = lseek(file, 0, SEEK_CUR)
        var status = stat()
        if end >= off_t(count), fstat(file, &status) == 0, status.st_size == end {
            _ = ftruncate(file, end - off_t(count))
        }
    }

    /// Writes the features in memory.
    func flush() {
        state.withLock { state in
            guard let file = state.file, !state.pending.isEmpty else { return }
            let pending = state.pending
            state.pending = Data()
            // With O_APPEND, one write of a local file system is not mixed with those of other processes.
            let written = pending.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            if written != pending.count {
                if written > 0 { Self.remove(written, from: file) }
                close(file)
                state.file = nil
            }
        }
    }
}
