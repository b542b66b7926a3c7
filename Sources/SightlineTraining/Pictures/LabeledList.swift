import DurableFiles
import Foundation
import Sightline
import SightlineEvaluation

/// The pictures of a data set by the names of their labels, while it is read.
struct LabeledList {
    struct Picture {
        let path: String
        var labels: Set<String>
        var isHeldOut = false
        /// The drawn boxes; nil if the file of labels has none of any picture.
        var boxes: [LabeledBox]?
        /// The size for which the boxes hold; nil if the file does not give it.
        var size: PixelSize?
    }

    private(set) var pictures: [Picture] = []
    private(set) var files: PictureFiles
    var skipped = SkippedPictures()
    private let severalLabels: Bool
    /// The positions of pictures that files name.
    private var positions: [String: Int] = [:]

    init(
        contentsOf url: URL,
        images: URL?,
        severalLabels: Bool,
        limits: LabeledPictures.Limits = .standard
    ) throws {
        self.severalLabels = severalLabels
        let path = url.path(percentEncoded: false)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw EvaluationError.unreadable(path: path, reason: "there is no such file or folder")
        }
        if isFolder.boolValue {
            let known = try LabeledPictures(contentsOf: url, limits: limits)
            files = known.files
            addFolders(of: known)
        } else if AnnotatedPictures.isArchive(url) {
            let files = try PictureFiles(contentsOf: url, limits: limits)
            self.files = files
            let paths = files.archivePaths ?? []
            let lists = paths.filter { $0.lowercased().hasSuffix(".csv") || $0.lowercased().hasSuffix(".json") }
            let named = lists.filter { $0.split(separator: "/").last == "annotations.json" }
            if let list = lists.count == 1 ? lists.first : named.count == 1 ? named.first : nil {
                try add(
                    files.data(at: list),
                    as: list,
                    at: "\(path): \(list)",
                    AnnotatedPaths(paths, beside: list),
                    Set(paths)
                )
            } else if lists.isEmpty {
                addFolders(of: try LabeledPictures(contentsOf: url, limits: limits))
            } else {
                throw TrainingError.malformed(
                    path: path,
                    reason:
                        "it contains \(lists.count) files that may hold labels, so name one of them annotations.json"
                )
            }
        } else {
            let beside = url.deletingLastPathComponent()
            let usual = beside.appending(path: "images")
            let isCOCO = url.pathExtension.lowercased() == "json"
            let folder = images ?? (isCOCO && FileManager.default.fileExists(atPath: usual.path) ? usual : beside)
            files = PictureFiles(folder: folder)
            try add(try Self.read(url), as: url.lastPathComponent, at: path, AnnotatedPaths(folder), nil, in: folder)
        }
    }

    private static let maximumBytes = 1 << 30

    private static func read(_ url: URL) throws -> Data {
        let path = url.path(percentEncoded: false)
        let size = try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize
        guard size ?? 0 <= maximumBytes else {
            throw EvaluationError.unreadable(path: path, reason: "it has more than \(maximumBytes) bytes")
        }
        do {
            return try Data(contentsOf: url)
        } catch {
            throw EvaluationError.unreadable(path: path, reason: SystemReason.of(error))
        }
    }

    /// A label as the model has it: accents in their usual form, and one name for pictures of nothing.
    static func label(_ text: some StringProtocol) -> String {
        let label = text.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        let words = label.lowercased().split { !$0.isLetter }
        return words == ["none", "of", "the", "above"] || words == ["background"] ? TrainingPictures.background : label
    }

    private mutating func addFolders(of known: LabeledPictures) {
        skipped = known.skipped
        // Folders are names of files, which keep their spaces.
        let labels = known.folders.map { Self.label($0) }
        pictures = known.pictures.map { Picture(path: $0.path, labels: [labels[$0.folder]]) }
    }

    /// Adds the pictures that a file of labels names.
    private mutating func add(
        _ data: Data,
        as name: String,
        at path: String,
        _ paths: AnnotatedPaths,
        _ known: Set<String>?,
        in folder: URL? = nil
    ) throws {
        let rows =
            try name.lowercased().hasSuffix(".json")
            ? LabelTable.rows(ofCOCO: data, path: path) : LabelTable.rows(ofCSV: data, path: path)
        var paths = paths
        for row in rows {
            guard let file = Self.file(row.path, &paths, known, folder) else {
                skipped.add(row.path, "There is no such file; name the folder of the pictures.")
                continue
            }
            let labels = Set(row.labels.map { Self.label($0) }.filter { !$0.isEmpty })
            if let position = positions[file] {
                pictures[position].labels.formUnion(labels)
                if let boxes = row.boxes { pictures[position].boxes = (pictures[position].boxes ?? []) + boxes }
            } else {
                positions[file] = pictures.count
                pictures.append(
                    Picture(path: file, labels: labels, isHeldOut: row.isHeldOut, boxes: row.boxes, size: row.size)
                )
            }
        }
        defer { skipped.add(files.unnamedPictures(besides: Set(positions.keys), in: name)) }
        guard !severalLabels else { return }
        pictures.removeAll { picture in
            guard picture.labels.count != 1 else { return false }
            skipped.add(
                picture.path,
                picture.labels.isEmpty
                    ? "It has no label."
                    : "It has several labels (\(picture.labels.sorted().joined(separator: ", "))); allow several."
            )
            return true
        }
    }

    /// The file that a path means: as it is, or without its first folders, since `gs://bucket/photos/1.jpg` is `photos/1.jpg` here.
    private static func file(
        _ path: String,
        _ paths: inout AnnotatedPaths,
        _ known: Set<String>?,
        _ folder: URL?
    ) -> String? {
        var rest = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if path.contains("://") { rest = Array(path.split(separator: "/").map(String.init).dropFirst()) }
        while !rest.isEmpty {
            let found = paths.path(of: rest.joined(separator: "/"))
            if known?.contains(found) ?? false { return found }
            if let folder, !found.hasPrefix("/"),
                FileManager.default.fileExists(atPath: folder.appending(path: found).path(percentEncoded: false))
            {
                return found
            }
            rest.removeFirst()
        }
        return nil
    }

    /// Adds the pictures of a folder, at any depth, as pictures of nothing.
    mutating func addNothing(of folder: URL) throws {
        let path = folder.path(percentEncoded: false)
        guard let found = FileManager.default.enumerator(atPath: path) else {
            throw EvaluationError.unreadable(path: path, reason: "there is no such folder")
        }
        var paths: [String] = []
        while let path = found.nextObject() as? String {
            guard !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }),
                found.fileAttributes?[.type] as? FileAttributeType == .typeRegular
            else { continue }
            paths.append(path)
        }
        guard !paths.isEmpty else {
            throw TrainingError.noUsablePicture(label: TrainingPictures.background, reason: "\(path) has no files.")
        }
        let labels: Set<String> = severalLabels ? [] : [TrainingPictures.background]
        let prefix = unusedName(like: folder)
        files.add(folder, as: prefix)
        pictures += paths.sorted().map { Picture(path: "\(prefix)/\($0)", labels: labels) }
    }

    /// The name of a folder, with a number if the path of a picture begins with it.
    private func unusedName(like folder: URL) -> String {
        let last = folder.absoluteURL.standardizedFileURL.lastPathComponent
        let name = last == "/" || last.isEmpty ? "nothing" : last
        let used = Set(pictures.compactMap { $0.path.split(separator: "/").first.map(String.init) })
        let names = [name] + (2...used.count + 2).map { "\(name) \($0)" }
        return names.first { !used.contains($0) } ?? name
    }
}
