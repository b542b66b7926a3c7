import Foundation
import Sightline

/// Pictures with known objects: a zip archive with annotations in COCO's format, or a file of annotations and a folder.
///
/// ```
/// annotations.json
/// images/1.jpg
/// images/2.jpg
/// ```
///
/// An archive has a single JSON file, or one that is called `annotations.json`. Its pictures may be in any folder: an
/// annotated picture `2.jpg` is the file `images/2.jpg` beside the annotations, otherwise `2.jpg` beside them, otherwise
/// the only file whose path ends with `/2.jpg`.
public struct AnnotatedPictures: Sendable {
    /// Limits on an archive.
    public struct Limits: Sendable, Hashable {
        /// Limits on the files of the archive, annotations included.
        public var files: LabeledPictures.Limits
        /// The maximum number of annotated objects.
        public var maximumObjects = 1_000_000
        /// The maximum number of annotated objects in a picture.
        public var maximumObjectsPerPicture = 10_000
        /// The maximum number of categories.
        public var maximumCategories = 10_000

        /// The default limits.
        public static let standard = Limits()

        /// Creates the default limits.
        public init() {
            files = .standard
            files.maximumPictures = 50_000
        }
    }

    /// The known objects. In an archive, the path of a picture is that of its file.
    public internal(set) var annotations: BoxAnnotations
    /// The files of the pictures.
    public let files: PictureFiles
    /// The pictures of an archive that its annotations do not name.
    package private(set) var skipped = SkippedPictures()
    /// The folder or archive, for messages.
    let path: String

    /// Reads the annotations of an archive, a file of annotations, or a data set of YOLO or Pascal VOC. Pictures are opened only for the
    /// sizes that labels of YOLO and Label Studio need.
    ///
    /// - Parameters:
    ///   - url: A zip archive, annotations in COCO's format, the folder or `data.yaml` of a data set in Ultralytics' layout, a folder of
    ///     Pascal VOC's XML files, CVAT's XML file, or the JSON that Label Studio exports.
    ///   - folder: The folder of the pictures of a file of annotations; nil for the folder `images` beside it.
    ///   - masks: Whether objects are compared by their masks, so that each needs an outline.
    ///   - limits: Limits on an archive.
    /// - Throws: `EvaluationError.noOutlines` if masks are asked for and the format has none, `.unreadable`, `.malformed`, and for an archive `.notAnArchive`, `.unsafeArchive` or
    ///   `.tooManyPictures`.
    public init(
        contentsOf url: URL,
        pictures folder: URL? = nil,
        masks: Bool = false,
        limits: Limits = .standard
    ) throws(EvaluationError) {
        guard folder == nil, Self.isArchive(url) else {
            if let set = try VOCDataSet(contentsOf: url, pictures: folder) {
                guard !masks else { throw .noOutlines(path: url.path(percentEncoded: false)) }
                (annotations, files) = (set.annotations, PictureFiles(folder: set.folder))
                path = set.folder.path(percentEncoded: false)
                return
            }
            if let tasks = try LabelStudioTasks.read(url) {
                guard !masks else { throw .noOutlines(path: url.path(percentEncoded: false)) }
                let usual = url.deletingLastPathComponent().appending(path: "images")
                let folder = folder ?? (YOLODataSet.isFolder(usual) ? usual : url.deletingLastPathComponent())
                annotations = tasks.annotations(named: url.lastPathComponent, in: folder)
                (files, path) = (PictureFiles(folder: folder), folder.path(percentEncoded: false))
                return
            }
            if let set = try YOLODataSet(contentsOf: url, pictures: folder) {
                (annotations, files, path) = (
                    try set.annotations(masks: masks), PictureFiles(folder: set.root), url.path(percentEncoded: false)
                )
                return
            }
            let folder = folder ?? url.deletingLastPathComponent().appending(path: "images")
            var found = AnnotatedPaths(folder)
            annotations = try BoxAnnotations(contentsOf: url, masks: masks).renamingPictures { found.path(of: $0) }
            files = PictureFiles(folder: folder)
            path = folder.path(percentEncoded: false)
            return
        }
        let archive = try PictureArchive(contentsOf: url, limits: limits.files)
        path = url.path(percentEncoded: false)
        files = try PictureFiles(contentsOf: url, limits: limits.files)
        let source = try Self.annotationsPath(in: archive.paths, of: path)
        let known = try BoxAnnotations(
            json: archive.data(at: source),
            name: url.lastPathComponent,
            path: "\(path): \(source)",
            limits: limits,
            masks: masks
        )
        var found = AnnotatedPaths(archive.paths, beside: source)
        annotations = known.renamingPictures { found.path(of: $0) }
        skipped = files.unnamedPictures(besides: Set(annotations.pictures.map(\.path)), in: source)
    }

    /// Takes known objects, whose pictures lie in a folder.
    package init(_ annotations: BoxAnnotations, in folder: URL) {
        self.annotations = annotations
        (files, path) = (PictureFiles(folder: folder), folder.path(percentEncoded: false))
    }

    /// Whether a file begins like a zip archive.
    public static func isArchive(_ url: URL) -> Bool {
        guard let file = try? FileHandle(forReadingFrom: url) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 2)) == Data("PK".utf8)
    }

    /// The path of the annotations in an archive.
    private static func annotationsPath(in paths: [String], of archive: String) throws(EvaluationError) -> String {
        let all = paths.filter { $0.lowercased().hasSuffix(".json") }
        let named = all.filter { $0 == "annotations.json" || $0.hasSuffix("/annotations.json") }
        if let path = named.count == 1 ? named.first : all.first, all.count == 1 || named.count == 1 { return path }
        throw .malformed(
            path: archive,
            reason: all.isEmpty
                ? "it contains no JSON file with annotations, so add a file annotations.json"
                : "it contains \(all.count) JSON files, so call the file with the annotations annotations.json"
        )
    }
}
