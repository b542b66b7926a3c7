import Foundation

/// The zip archive that may follow a model's FlatBuffer and holds its associated files.
struct ZipArchive: Sendable {
    /// The maximum unpacked size of all packed files together: 64 MiB, a thousand times a large label file.
    static let maximumBytes = 64 << 20
    /// The maximum number of files in an archive.
    static let maximumFiles = 10_000

    private let data: Data
    private let directory: ZipDirectory
    private var entries: [ZipEntry] { directory.entries }

    /// The names of the packed files, in the order of the directory.
    var names: [String] { entries.map(\.name) }

    /// The total size of the unpacked files in bytes.
    var unpackedByteCount: Int { entries.reduce(0) { $0 + $1.count } }

    /// Finds the archive at the end of `data`; nil if there is no archive.
    init?(trailing data: Data) throws(ModelError) {
        do throws(ZipError) {
            directory = try ZipDirectory(
                byteCount: data.count,
                maximumFiles: Self.maximumFiles,
                read: { Self.read(data, $0, $1) }
            )
        } catch {
            switch error {
            case .noArchive: return nil
            case .damagedDirectory(let reason): throw Self.damaged(reason)
            case .tooManyFiles: throw Self.damaged("it holds more than \(Self.maximumFiles) files")
            case .damagedFile(let name, let reason): throw .corruptedAssociatedFile(named: name, reason: reason)
            }
        }
        self.data = data
        try check()
    }

    /// Rejects the tricks that let small archives claim a huge size: files that share bytes, and extreme sizes.
    private func check() throws(ModelError) {
        var spans: [Range<Int>] = []
        var total = 0
        for (index, entry) in entries.enumerated() {
            guard !entry.isEncrypted else { throw Self.damaged("entry \(index) of its directory is encrypted") }
            guard entry.count <= Self.maximumBytes - total else {
                throw Self.damaged("its files have more than \(Self.maximumBytes) bytes in total")
            }
            total += entry.count
            // The header has at least 30 bytes.
            guard entry.compressedCount <= data.count else {
                throw Self.damaged("entry \(index) of its directory reaches past the end")
            }
            spans.append(entry.headerOffset..<entry.headerOffset + 30 + entry.compressedCount)
        }
        spans.sort { $0.lowerBound < $1.lowerBound }
        for (span, next) in zip(spans, spans.dropFirst()) where next.lowerBound < span.upperBound {
            throw Self.damaged("the files at bytes \(span.lowerBound) and \(next.lowerBound) share bytes")
        }
    }

    /// The directory records for a file in which `count` other bytes precede the model. The packed files keep their
    /// positions and their compression.
    func directory(behind count: Int) throws(ModelError) -> Data {
        guard let records = directory.records(movedBy: count) else {
            throw Self.damaged("its directory has no room for the new positions of its files")
        }
        return records
    }

    /// The content of the file with that name.
    func content(of name: String) throws(ModelError) -> Data {
        guard let entry = entries.first(where: { $0.name == name }) else {
            throw .noAssociatedFile(named: name, available: names)
        }
        do throws(ZipError) {
            return try entry.content(atMost: Self.maximumBytes) { Self.read(data, $0, $1) }
        } catch {
            guard case .damagedFile(_, let reason) = error else { throw Self.damaged("it changed") }
            throw .corruptedAssociatedFile(named: name, reason: reason)
        }
    }

    private static func read(_ data: Data, _ offset: Int, _ count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= data.count, count <= data.count - offset else { return nil }
        return Data(data.dropFirst(offset).prefix(count))
    }

    private static func damaged(_ reason: String) -> ModelError {
        .corruptedAssociatedFile(named: "(archive)", reason: reason)
    }
}
