import Foundation
import Sightline

/// Pictures of which it is known what they show: a folder with a folder of pictures for each label, or a zip archive of one.
///
/// ```
/// flowers/daisy/1.jpg
/// flowers/daisy/garden/2.jpg
/// flowers/tulip/3.png
/// ```
///
/// The first folder of a path is the label; pictures may lie at any depth below it. In an archive all of this may lie in one
/// more folder. Files and folders whose names begin with a dot are passed over, and `__MACOSX`, `Thumbs.db` and
/// `desktop.ini`, which systems leave behind. Files that are no pictures are told when their turn comes.
///
/// Nothing is unpacked to the disk: a file of an archive is read into memory when it is asked for.
public struct LabeledPictures: Sendable {
    /// A picture and its label.
    struct Picture: Sendable {
        /// The position of its folder in ``LabeledPictures/folders``.
        let folder: Int
        /// Its path, from the folder or archive on.
        let path: String
    }

    /// How much there may be.
    public struct Limits: Sendable, Hashable {
        /// Pictures at most.
        public var maximumPictures = 500_000
        /// Label folders at most.
        public var maximumFolders = 20_000
        /// Bytes of a file of an archive at most, unpacked.
        public var maximumFileBytes = 64 << 20
        /// Bytes of all files of an archive at most, unpacked.
        public var maximumTotalBytes = 16 << 30
        /// What the pixels of a picture may take.
        public var image = ImageLimits(maximumPixels: 100_000_000)

        /// The usual limits.
        public static let standard = Limits()

        /// The usual limits.
        public init() {}
    }

    /// The folder's or archive's name.
    public let name: String
    /// The names of the label folders.
    public let folders: [String]
    /// The pictures, in the order of their paths.
    let pictures: [Picture]
    /// What is already known not to be used.
    let skipped: SkippedPictures
    private let content: Content
    private let limits: Limits

    /// Where the bytes of pictures come from.
    enum Content: Sendable {
        case folder(URL)
        case archive(PictureArchive)
    }

    /// How many pictures there are.
    public var count: Int { pictures.count }

    /// Lists the pictures of a folder or a zip archive; none is opened yet.
    ///
    /// - Throws: `EvaluationError.unreadable`, `.noPictures`, `.tooManyPictures`, `.tooManyFolders`, and for an archive
    ///   `.notAnArchive` or `.unsafeArchive`.
    public init(contentsOf url: URL, limits: Limits = .standard) throws(EvaluationError) {
        let path = url.path(percentEncoded: false)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw .unreadable(path: path, reason: "there is no such file or folder")
        }
        var listing = PictureListing(path: path, limits: limits)
        if isFolder.boolValue {
            try listing.addFolders(of: url)
            content = .folder(url)
        } else {
            let archive = try PictureArchive(contentsOf: url, limits: limits)
            try listing.add(archive)
            content = .archive(archive)
        }
        guard !listing.pictures.isEmpty else { throw .noPictures(path: path) }
        name = url.lastPathComponent
        folders = listing.folders
        pictures = listing.pictures
        skipped = listing.skipped
        self.limits = limits
    }

    /// The bytes of a picture.
    ///
    /// - Parameter path: as reports give it.
    /// - Throws: `EvaluationError.unreadable`.
    public func data(at path: String) throws(EvaluationError) -> Data {
        switch content {
        case .archive(let archive):
            return try archive.data(at: path)
        case .folder(let folder):
            guard let url = PicturePath.file(path, in: folder) else {
                throw .unreadable(path: path, reason: "it does not lie in the folder")
            }
            do {
                return try Data(contentsOf: url)
            } catch {
                throw .unreadable(path: path, reason: "there is no such file, or permission is denied")
            }
        }
    }

    /// A picture, of which only the header is looked at.
    ///
    /// - Throws: `EvaluationError.unreadable`, or `ImageError` if it is none.
    func image(at path: String) throws -> VisionImage {
        switch content {
        case .archive(let archive):
            return try VisionImage(data: archive.data(at: path), limits: limits.image)
        case .folder(let folder):
            guard let url = PicturePath.file(path, in: folder) else {
                throw EvaluationError.unreadable(path: path, reason: "it does not lie in the folder")
            }
            return try VisionImage(contentsOf: url, limits: limits.image)
        }
    }
}
