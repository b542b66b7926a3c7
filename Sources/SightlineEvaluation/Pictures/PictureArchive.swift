import Foundation
import TensorFlowLite

/// A zip archive of pictures, which is never unpacked to disk.
///
/// The file stays open, so replacing it under its name has no effect. Untrusted archives are safe: numbers and sizes
/// are limited before anything is unpacked. Paths that lead out of the archive, duplicate paths, links, encryption,
/// files that share bytes, and files with an extreme compression ratio are rejected.
struct PictureArchive: Sendable {
    /// The files' paths, sorted. A backslash counts as a slash, because old packers wrote backslashes.
    let paths: [String]

    private let entries: [String: ZipEntry]
    private let file: OpenArchive
    private let limits: LabeledPictures.Limits

    /// Pictures hardly shrink. A picture of a single color may shrink a lot, but is small then.
    private static let maximumRatio = 200
    /// Smaller files may have any ratio.
    private static let unsuspiciousBytes = 1 << 20

    /// Reads an archive's directory.
    ///
    /// - Throws: `EvaluationError.unreadable`, `.notAnArchive`, `.unsafeArchive` or `.tooManyPictures`.
    init(contentsOf url: URL, limits: LabeledPictures.Limits) throws(EvaluationError) {
        let path = url.path(percentEncoded: false)
        let file = try OpenArchive(path: path)
        let directory: ZipDirectory
        do throws(ZipError) {
            directory = try ZipDirectory(
                byteCount: file.byteCount,
                // Folders also have entries.
                maximumFiles: limits.maximumPictures + limits.maximumFolders,
                read: file.read
            )
        } catch {
            switch error {
            case .noArchive:
                throw .notAnArchive(path: path, reason: "it does not end like a zip archive, or is cut short")
            case .damagedDirectory(let reason):
                throw .notAnArchive(path: path, reason: reason)
            case .tooManyFiles:
                throw .tooManyPictures(path: path, maximum: limits.maximumPictures)
            case .damagedFile(let name, let reason):
                throw .notAnArchive(path: path, reason: "\(name): \(reason)")
            }
        }
        var check = ArchiveCheck(path: path, byteCount: file.byteCount, limits: limits)
        for entry in directory.entries { try check.add(entry) }
        try check.finish()
        entries = check.files
        paths = check.files.keys.sorted()
        self.file = file
        self.limits = limits
    }

    /// The unpacked size of a file, as the archive's list says.
    func byteCount(of path: String) -> Int { entries[path]?.count ?? 0 }

    /// Unpacks a file.
    func data(at path: String) throws(EvaluationError) -> Data {
        guard let entry = entries[path] else {
            throw .unreadable(path: path, reason: "the archive has no such file")
        }
        do throws(ZipError) {
            return try entry.content(atMost: limits.maximumFileBytes, read: file.read)
        } catch {
            guard case .damagedFile(_, let reason) = error else {
                throw .unreadable(path: path, reason: "the archive is damaged")
            }
            throw .unreadable(path: path, reason: "in the archive \(reason)")
        }
    }

    /// Checks the entries of an archive and rejects unsafe entries.
    private struct ArchiveCheck {
        let path: String
        let byteCount: Int
        let limits: LabeledPictures.Limits
        var files: [String: ZipEntry] = [:]
        private var spans: [Range<Int>] = []
        private var totalBytes = 0

        init(path: String, byteCount: Int, limits: LabeledPictures.Limits) {
            self.path = path
            self.byteCount = byteCount
            self.limits = limits
        }

        mutating func add(_ entry: ZipEntry) throws(EvaluationError) {
            func unsafe(_ reason: String) -> EvaluationError {
                .unsafeArchive(path: path, entry: String(entry.name.prefix(200)), reason: reason)
            }
            let name = entry.name.replacing("\\", with: "/")
            let isFolder = name.hasSuffix("/")
            let parts = (isFolder ? name.dropLast() : name[...]).split(separator: "/", omittingEmptySubsequences: false)
            guard !parts.isEmpty, !name.contains("\0"), parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
            else { throw unsafe("has a path that leads out of the archive or is empty") }
            if let mode = entry.mode, mode & 0xF000 == 0xA000 { throw unsafe("is a link") }
            if isFolder || parts.contains(where: { PictureListing.isHidden($0) }) { return }
            if entry.isEncrypted { throw unsafe("is encrypted") }
            if files.updateValue(entry, forKey: name) != nil { throw unsafe("occurs twice") }
            guard files.count <= limits.maximumPictures else {
                throw .tooManyPictures(path: path, maximum: limits.maximumPictures)
            }
            let (total, overflow) = totalBytes.addingReportingOverflow(entry.count)
            guard !overflow, total <= limits.maximumTotalBytes else {
                throw unsafe("brings the total size to more than \(limits.maximumTotalBytes) bytes")
            }
            totalBytes = total
            if entry.count > PictureArchive.unsuspiciousBytes,
                entry.count / PictureArchive.maximumRatio > entry.compressedCount
            {
                throw unsafe("unpacks to more than \(PictureArchive.maximumRatio) times its size")
            }
            // The header has at least 30 bytes.
            guard entry.compressedCount <= byteCount else { throw unsafe("reaches past the end") }
            spans.append(entry.headerOffset..<entry.headerOffset + entry.compressedCount + 30)
        }

        /// Rejects files that share bytes: with these, small archives claim a huge size.
        mutating func finish() throws(EvaluationError) {
            spans.sort { $0.lowerBound < $1.lowerBound }
            for (span, next) in zip(spans, spans.dropFirst()) where next.lowerBound < span.upperBound {
                let shared = files.first { $0.value.headerOffset == next.lowerBound }?.key ?? ""
                throw .unsafeArchive(path: path, entry: shared, reason: "shares bytes with another entry")
            }
        }
    }
}

/// The open file of an archive, which several threads may read at the same time.
///
/// The file is read and not mapped: if another program shortens a mapped file, the process ends.
private final class OpenArchive: Sendable {
    let byteCount: Int
    private let descriptor: Int32

    init(path: String) throws(EvaluationError) {
        // Opening a pipe that has no writer must not wait.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        byteCount = isFile ? Int(status.st_size) : 0
        guard isFile else { throw .unreadable(path: path, reason: "it is neither a folder nor a regular file") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The bytes at an offset, or nil if there are fewer.
    @Sendable func read(_ offset: Int, _ count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= byteCount, count <= byteCount - offset else { return nil }
        var data = Data(count: count)
        let isComplete = data.withUnsafeMutableBytes { memory in
            var done = 0
            while done < count {
                let found = pread(descriptor, memory.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
                if found < 0, errno == EINTR { continue }
                guard found > 0 else { return false }
                done += found
            }
            return true
        }
        return isComplete ? data : nil
    }
}
