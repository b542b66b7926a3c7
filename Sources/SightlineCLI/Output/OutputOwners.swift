import Foundation

/// The files that outputs of one run have, so that no two of them write over each other.
///
/// A file is the same under all its names: other spellings of its path, links, and hard links.
struct OutputOwners {
    private var owners: [String: String] = [:]

    /// The owner of a file; nil if it has none.
    func owner(of path: String) -> String? { Self.identity(of: path).flatMap { owners[$0] } }

    /// Gives a file to an owner.
    mutating func take(_ path: String, for owner: String) {
        if let identity = Self.identity(of: path) { owners[identity] = owner }
    }

    /// A text that all names of a file have in common; nil for outputs that any number of writers may share, such as a pipe.
    static func identity(of path: String) -> String? {
        var status = stat()
        if stat(path, &status) == 0 {
            let isShared = ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
            return isShared ? nil : "\(status.st_dev) \(status.st_ino)"
        }
        // A file that is made later is known by its folder.
        let url = URL(filePath: path)
        let folder = url.deletingLastPathComponent()
        guard folder.path != url.path, let place = identity(of: folder.path(percentEncoded: false)) else {
            return url.standardizedFileURL.path
        }
        return "\(place)/\(url.lastPathComponent)"
    }
}
