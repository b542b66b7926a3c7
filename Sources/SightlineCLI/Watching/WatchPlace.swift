import Foundation
import SightlineMedia

/// A file or folder that a ``WatchFile`` names.
struct WatchPlace: Sendable, Hashable {
    /// The way in which a place is used.
    enum Use: Sendable, Hashable {
        /// A video, or a folder of pictures, that a camera reads.
        case input
        /// A file that is written, in a folder that exists.
        case file
        /// A folder that is made if necessary.
        case folder
    }

    /// The line of the entry.
    let line: Int
    /// The path as the entry has it.
    let path: String
    let use: Use

    /// Whether the place is read.
    var isInput: Bool { use == .input }

    /// The reason for which the place cannot be used now; nil if there is none.
    var problem: WatchFile.Problem? { sentence.map { WatchFile.Problem(line: line, text: $0) } }

    private var sentence: String? {
        let name = FileName.printed(path)
        switch use {
        case .input:
            switch VideoInput(path) {
            case .file(let url) where access(url.path(percentEncoded: false), F_OK) != 0:
                return "There is no file \(name) now; check the input of the camera."
            default: return nil
            }
        case .file:
            if InputSequence.isFolder(path) { return "\(name) is a folder, but a file is written there; name a file." }
            if access(path, F_OK) == 0 {
                return access(path, W_OK) == 0 ? nil : "\(name) cannot be written: \(Self.lastReason)."
            }
            let folder = Self.parent(path)
            return Self.reason(against: folder).map {
                "\(name) cannot be written, because its folder \(FileName.printed(folder)) \($0); make the folder, or name another."
            }
        case .folder:
            var folder = path
            while access(folder, F_OK) != 0, errno == ENOENT, Self.parent(folder) != folder {
                folder = Self.parent(folder)
            }
            return Self.reason(against: folder).map {
                "The folder \(name) cannot be written, because \(FileName.printed(folder)) \($0); name another."
            }
        }
    }

    /// A clause about a folder in which nothing can be written; nil if that is possible.
    private static func reason(against folder: String) -> String? {
        guard access(folder, F_OK) == 0 else {
            return errno == ENOENT ? "does not exist" : "cannot be used (\(lastReason))"
        }
        guard InputSequence.isFolder(folder) else { return "is not a folder" }
        return access(folder, W_OK | X_OK) == 0 ? nil : "does not let this user write (\(lastReason))"
    }

    private static var lastReason: String { String(cString: strerror(errno)) }

    /// The folder of a path, `.` for a name alone. (`NSString.deletingLastPathComponent` of Foundation on Linux traps for a single letter.)
    private static func parent(_ path: String) -> String {
        URL(filePath: path).deletingLastPathComponent().relativePath
    }
}
