import Foundation
import TensorFlowLite

/// A zip archive with a model in it: a `.task` file of MediaPipe, or a download of Teachable Machine or AutoML.
struct ModelBundle {
    /// A file of the archive.
    struct File: Sendable, Hashable {
        /// Its name without the folders.
        let name: String
        let content: Data
    }

    /// The `.tflite` or `.onnx` file.
    let model: File
    /// The label file beside it.
    let labels: File?
    /// Whether the label file may belong to another model of the archive.
    let isLabelGuess: Bool
    /// AutoML's `tflite_metadata.json` beside it.
    let autoMLMetadata: File?
    /// The paths of the archive's other models, for people.
    let otherModels: [String]

    /// The largest model that is unpacked.
    private static let maximumModelBytes = 512 << 20
    /// The largest file beside a model that is unpacked.
    private static let maximumTextBytes = 16 << 20
    private static let maximumFiles = 10_000
    private static let labelNames = ["labels.txt", "dict.txt", "labelmap.txt"]

    /// Reads an archive; nil if the file is not an archive, or is an archive of PyTorch with a model.
    ///
    /// - Throws: `LocalModelError.unreadable` or `.bundle`.
    init?(contentsOf url: URL) throws(LocalModelError) {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return nil }
        defer { try? handle.close() }
        guard let start = try? handle.read(upToCount: 512), start.starts(with: [0x50, 0x4B, 3, 4]),
            !start.withUnsafeBytes(ForeignFile.isPyTorchArchive),
            let byteCount = (try? handle.seekToEnd()).flatMap(Int.init(exactly:))
        else { return nil }
        let read: ZipDirectory.Read = { offset, count in
            guard offset >= 0, count >= 0, offset <= byteCount, count <= byteCount - offset else { return nil }
            guard count > 0 else { return Data() }
            guard (try? handle.seek(toOffset: UInt64(offset))) != nil,
                let data = try? handle.read(upToCount: count), data.count == count
            else { return nil }
            return data
        }
        let entries: [ZipEntry]
        do {
            entries = try ZipDirectory(byteCount: byteCount, maximumFiles: Self.maximumFiles, read: read).entries
        } catch {
            throw .bundle(path: url.path, reason: error.clause)
        }
        let names = entries.map(\.name)
        if !names.contains(where: Self.isModel), let other = ForeignFile(namesOfFiles: names) {
            throw .unusable(path: url.path, reason: ModelError(other))
        }
        do {
            try self.init(entries, read: read)
        } catch {
            throw .bundle(path: url.path, reason: error.clause)
        }
    }

    private static func isModel(_ name: String) -> Bool { ModelFormat.isModel(name) }

    private init(_ entries: [ZipEntry], read: ZipDirectory.Read) throws(ZipError) {
        // Apple's archiver adds files with names that begin with "._".
        let files = entries.filter { !$0.name.hasSuffix("/") && !$0.fileName.hasPrefix(".") }
        let names = Set(ModelFormat.models(among: files.map(\.name)))
        let models = files.filter { names.contains($0.name) }
        guard let chosen = models.min(by: { Self.rank($0) < Self.rank($1) }) else {
            let names = files.prefix(5).map(\.name).joined(separator: ", ")
            throw .damagedDirectory(
                reason: "it has no .tflite or .onnx file, only \(names.isEmpty ? "nothing" : names)"
            )
        }
        func unpacked(_ entry: ZipEntry, atMost limit: Int) throws(ZipError) -> File {
            File(name: entry.fileName, content: try entry.content(atMost: limit, read: read))
        }
        func neighbor(_ names: [String]) -> ZipEntry? {
            names.lazy.compactMap { name in files.first { $0.name == chosen.folder + name } }.first
        }
        model = try unpacked(chosen, atMost: Self.maximumModelBytes)
        let stem = (chosen.fileName as NSString).deletingPathExtension
        let labels = neighbor(["\(stem).txt", "\(stem)_labels.txt"] + Self.labelNames)
        self.labels = if let labels { try unpacked(labels, atMost: Self.maximumTextBytes) } else { nil }
        isLabelGuess = models.count > 1 && labels.map { Self.labelNames.contains($0.fileName) } ?? false
        let metadata = neighbor(["tflite_metadata.json"])
        autoMLMetadata = if let metadata { try unpacked(metadata, atMost: Self.maximumTextBytes) } else { nil }
        otherModels = models.map(\.name).filter { $0 != chosen.name }.prefix(20).map { String($0.prefix(200)) }
    }

    /// The order in which models are chosen: MediaPipe's bundles have a detector, and models for landmarks in its boxes.
    private static func rank(_ entry: ZipEntry) -> Int {
        let name = entry.fileName.lowercased()
        if name.contains("edgetpu") { return 3 }
        if name.contains("landmark") || name.contains("embed") { return 2 }
        return name.contains("detector") || name.contains("classifier") ? 0 : 1
    }
}

extension ZipEntry {
    fileprivate var fileName: String { (name as NSString).lastPathComponent }
    /// The path of the folder, with a slash at its end if it is not empty.
    fileprivate var folder: String { String(name.dropLast(fileName.count)) }
}

extension ZipError {
    fileprivate var clause: String {
        switch self {
        case .noArchive: "its end is missing"
        case .damagedDirectory(let reason): reason
        case .tooManyFiles(let count, let maximum): "it has \(count) files, more than \(maximum)"
        case .damagedFile(let name, let reason): "in its file \(name.prefix(200)), \(reason)"
        }
    }
}
