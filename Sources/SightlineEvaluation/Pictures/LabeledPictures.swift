import Foundation
import Sightline

/// Pictures with known labels: a folder that contains a folder of pictures for each label, or a zip archive of such a
/// folder.
///
/// ```
/// flowers/daisy/1.jpg
/// flowers/daisy/garden/2.jpg
/// flowers/tulip/3.png
/// ```
///
/// The first folder in a path is the label; pictures may be at any depth below it. In an archive everything may be
/// inside one additional folder. Files and folders whose names begin with a dot are ignored, and so are `__MACOSX`,
/// `Thumbs.db` and `desktop.ini`, which systems leave behind. Files that are not pictures are reported during the
/// evaluation.
public struct LabeledPictures: Sendable {
    /// A picture and its label.
    package struct Picture: Sendable {
        /// The position of its folder in ``LabeledPictures/folders``.
        package let folder: Int
        /// The picture's path within the folder or archive.
        package let path: String
    }

    /// Limits on the number and size of pictures.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of pictures.
        public var maximumPictures = 500_000
        /// The maximum number of label folders.
        public var maximumFolders = 20_000
        /// The maximum unpacked size of a file in an archive.
        public var maximumFileBytes = 64 << 20
        /// The maximum unpacked size of all files in an archive.
        public var maximumTotalBytes = 16 << 30
        /// Limits on the pixels of a picture.
        public var image = ImageLimits(maximumPixels: 100_000_000)

        /// The default limits.
        public static let standard = Limits()

        /// Creates the default limits.
        public init() {}
    }

    /// The folder's or archive's name.
    public let name: String
    /// The names of the label folders.
    public let folders: [String]
    /// The pictures, in the order of their paths.
    package let pictures: [Picture]
    /// The files that are already known to be unusable.
    package let skipped: SkippedPictures
    /// The files of the pictures.
    public let files: PictureFiles

    /// The number of pictures.
    public var count: Int { pictures.count }

    /// Lists the pictures of a folder or a zip archive without opening them.
    ///
    /// - Throws: `EvaluationError.unreadable`, `.noPictures`, `.tooManyPictures`, `.tooManyFolders`, and for an archive
    ///   `.notAnArchive` or `.unsafeArchive`.
    public init(contentsOf url: URL, limits: Limits = .standard) throws(EvaluationError) {
        let path = url.path(percentEncoded: false)
        files = try PictureFiles(contentsOf: url, limits: limits)
        var listing = PictureListing(path: path, limits: limits)
        switch files.content {
        case .folder(let folder): try listing.addFolders(of: folder)
        case .archive(let archive): try listing.add(archive)
        }
        guard !listing.pictures.isEmpty else { throw .noPictures(path: path) }
        name = url.lastPathComponent
        folders = listing.folders
        pictures = listing.pictures
        skipped = listing.skipped
    }
}
