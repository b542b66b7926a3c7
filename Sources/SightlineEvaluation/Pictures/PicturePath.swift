import Foundation

/// Paths of pictures from untrusted files.
enum PicturePath {
    /// The file for a path that does not lead out of the folder.
    static func file(_ path: String, in folder: URL) -> URL? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !path.contains("\0"), parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return nil }
        return folder.appending(path: path)
    }
}
