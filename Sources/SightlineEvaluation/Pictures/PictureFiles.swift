import DurableFiles
import Foundation
import Sightline

/// The files of a folder or of a zip archive, which are read when they are needed.
///
/// Archives are never unpacked to disk: a file is read into memory.
public struct PictureFiles: Sendable {
    /// The source of the files' bytes.
    enum Content: Sendable {
        case folder(URL)
        case archive(PictureArchive)
    }

    /// The folder's or archive's name.
    public let name: String
    let content: Content
    private let limits: LabeledPictures.Limits
    /// Folders beside the content, by the first part of their files' paths.
    private var added: [(name: String, folder: URL)] = []

    /// The paths of the files of an archive, sorted; nil for a folder.
    package var archivePaths: [String]? {
        if case .archive(let archive) = content { archive.paths } else { nil }
    }

    /// The unpacked size of files of an archive, as its list says; 0 for those of a folder.
    package func byteCount(of paths: [String]) -> Int {
        guard case .archive(let archive) = content else { return 0 }
        return paths.reduce(0) { $0 + archive.byteCount(of: $1) }
    }

    /// The pictures of an archive that its file of labels does not name; none for a folder, in which pictures of others may lie.
    ///
    /// - Parameters:
    ///   - named: The paths that the file of labels names.
    ///   - list: The path of the file of labels.
    package func unnamedPictures(besides named: Set<String>, in list: String) -> SkippedPictures {
        var skipped = SkippedPictures()
        for path in archivePaths ?? [] where !named.contains(path) && ImageFormat.isReadable(fileName: path) {
            skipped.add(path, "\(list) does not name it.")
        }
        return skipped
    }

    /// Opens a folder or the directory of a zip archive.
    ///
    /// - Throws: `EvaluationError.unreadable`, and for an archive `.notAnArchive`, `.unsafeArchive` or `.tooManyPictures`.
    public init(contentsOf url: URL, limits: LabeledPictures.Limits = .standard) throws(EvaluationError) {
        let path = url.path(percentEncoded: false)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw .unreadable(path: path, reason: "there is no such file or folder")
        }
        name = url.lastPathComponent
        content =
            isFolder.boolValue ? .folder(url) : .archive(try PictureArchive(contentsOf: url, limits: limits))
        self.limits = limits
    }

    /// The files of a folder, which need not exist.
    public init(folder: URL, limits: LabeledPictures.Limits = .standard) {
        name = folder.lastPathComponent
        content = .folder(folder)
        self.limits = limits
    }

    /// Adds a folder whose files have paths that begin with its name.
    ///
    /// - Parameter name: No path of the files so far begins with this name and a slash.
    package mutating func add(_ folder: URL, as name: String) { added.append((name, folder)) }

    /// The source of a file, and its path there.
    private func place(of path: String) -> (Content, String) {
        for (name, folder) in added where path.utf8.starts(with: (name + "/").utf8) {
            return (.folder(folder), String(Substring(path.utf8.dropFirst(name.utf8.count + 1))))
        }
        return (content, path)
    }

    /// The bytes of a file.
    ///
    /// - Parameter path: The path within the folder or archive.
    /// - Throws: `EvaluationError.unreadable`.
    public func data(at path: String) throws(EvaluationError) -> Data {
        let (content, path) = place(of: path)
        switch content {
        case .archive(let archive):
            return try archive.data(at: path)
        case .folder(let folder):
            let url = try Self.file(path, in: folder)
            do {
                return try Data(contentsOf: url)
            } catch {
                throw .unreadable(path: path, reason: SystemReason.of(error))
            }
        }
    }

    /// Opens a picture and reads its header.
    ///
    /// - Throws: `EvaluationError.unreadable`, or `ImageError` if the file is not a picture.
    package func image(at path: String) throws -> VisionImage {
        let (content, path) = place(of: path)
        return switch content {
        case .archive(let archive):
            try VisionImage(data: archive.data(at: path), limits: limits.image)
        case .folder(let folder):
            try VisionImage(contentsOf: Self.file(path, in: folder), limits: limits.image)
        }
    }

    /// Opens an annotated picture and reads its header.
    ///
    /// - Throws: as ``image(at:)``; also `EvaluationError.otherSize`, because boxes in pixels of another size are all wrong.
    func image(_ picture: BoxAnnotations.Picture) throws -> VisionImage {
        let image = try image(at: picture.path)
        try check(image, picture)
        return image
    }

    /// Opens an annotated picture of known bytes and reads its header.
    ///
    /// - Throws: as for a picture of a file.
    package func image(_ picture: BoxAnnotations.Picture, data: Data) throws -> VisionImage {
        let image = try VisionImage(data: data, limits: limits.image)
        try check(image, picture)
        return image
    }

    private func check(_ image: VisionImage, _ picture: BoxAnnotations.Picture) throws(EvaluationError) {
        let isUnknown = picture.size.width == 0 || picture.size.height == 0
        guard isUnknown || image.size == picture.size else {
            let isTurned = image.orientation.swapsAxes && image.size.transposed == picture.size
            throw EvaluationError.otherSize(
                path: picture.path,
                annotated: picture.size,
                found: image.size,
                isTurned: isTurned
            )
        }
    }

    /// The file for a path that does not lead out of the folder.
    private static func file(_ path: String, in folder: URL) throws(EvaluationError) -> URL {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !path.contains("\0"), parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
            throw .unreadable(path: path, reason: "it is not in the folder of pictures")
        }
        return folder.appending(path: path)
    }
}
