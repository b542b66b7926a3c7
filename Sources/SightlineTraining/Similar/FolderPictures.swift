import Foundation
import Sightline
import SightlineEvaluation

/// The pictures in a folder and in the folders in it, in the order of their paths.
///
/// Hidden files and links to folders are left out. Of several links to one file, one is listed. Nothing is opened except files that are
/// not known.
struct FolderPictures: Sendable {
    /// A file that may be a picture.
    struct File: Sendable, Hashable {
        /// The path within the folder.
        let path: String
        let byteCount: Int
        /// The time of the last change, in nanoseconds since 1970.
        let modified: Int64
    }

    private(set) var files: [File] = []
    private(set) var skipped = SkippedPictures()

    static let maximum = 500_000

    /// Lists a folder.
    ///
    /// - Parameter isKnown: Whether a file is known to be a picture.
    init(of folder: URL, isKnown: (File) -> Bool) throws(PictureIndexError) {
        let root = folder.path(percentEncoded: false)
        var status = stat()
        guard stat(root, &status) == 0 else {
            throw .unreadable(
                path: root,
                reason: errno == ENOENT ? "there is no such folder" : String(cString: strerror(errno))
            )
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .unreadable(path: root, reason: "it is not a folder") }
        // Files before links, so that the file itself is listed.
        var links: [File] = []
        var seen: Set<Identity> = []
        var rest = [""]
        while let next = rest.popLast() {
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: next.isEmpty ? root : "\(root)/\(next)")
            } catch {
                if next.isEmpty { throw .unreadable(path: root, reason: "permission is denied") }
                skipped.add(next, "The folder cannot be read; check its permissions.")
                continue
            }
            for name in names where !name.hasPrefix(".") {
                let path = next.isEmpty ? name : "\(next)/\(name)"
                var (link, target) = (stat(), stat())
                guard lstat("\(root)/\(path)", &link) == 0 else {
                    // Foundation inserts this character for bytes that are not UTF-8.
                    if name.contains("\u{FFFD}") { skipped.add(path, "Its name is not UTF-8; rename it.") }
                    continue
                }
                let isLink = link.st_mode & S_IFMT == S_IFLNK
                guard stat("\(root)/\(path)", &target) == 0 else { continue }
                switch target.st_mode & S_IFMT {
                case S_IFDIR where !isLink: rest.append(path)
                case S_IFREG where isLink: links.append(File(path, target))
                case S_IFREG:
                    let file = File(path, target)
                    guard seen.insert(Identity(target)).inserted else { continue }
                    try add(file, root, isKnown)
                default: break
                }
            }
        }
        for file in links.sorted(by: { $0.path < $1.path }) {
            var target = stat()
            guard stat("\(root)/\(file.path)", &target) == 0, seen.insert(Identity(target)).inserted else { continue }
            try add(file, root, isKnown)
        }
        files.sort { $0.path < $1.path }
    }

    private mutating func add(_ file: File, _ root: String, _ isKnown: (File) -> Bool) throws(PictureIndexError) {
        if !isKnown(file) {
            switch FileKind(of: URL(filePath: "\(root)/\(file.path)", directoryHint: .notDirectory)) {
            case .picture: break
            case .otherPicture:
                skipped.add(file.path, "Pictures in this format are not read; convert it to JPEG or PNG.")
                return
            case .video, .other: return
            }
        }
        guard files.count < Self.maximum else { throw .tooManyPictures(path: root, maximum: Self.maximum) }
        files.append(file)
    }

    /// The place of a file on its disk.
    private struct Identity: Hashable {
        let device: UInt64
        let number: UInt64

        init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }
}

extension FolderPictures.File {
    fileprivate init(_ path: String, _ status: stat) {
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        let modified = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000).partialValue
        self.init(path: path, byteCount: Int(status.st_size), modified: modified &+ Int64(time.tv_nsec))
    }
}
