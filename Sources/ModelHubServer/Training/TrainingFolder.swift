import Foundation

/// The photos of a training in a folder of their own, in the hub's folder of uploads: the only files that its process can read.
///
/// A photo that lies on the same file system is linked, others are copied. The folder is removed with this object.
final class TrainingFolder: Sendable {
    let url: URL
    private static let prefix = "training-"

    init(in uploads: URL) throws(HubError) {
        url = uploads.appending(path: Self.prefix + RandomBytes.make(8).hexadecimalText, directoryHint: .isDirectory)
        try SystemCalls.makeFolder(url)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Adds a file.
    func add(_ file: StoredFile, as name: String) async throws {
        let target = url.appending(path: name)
        if let local = file.local, link(local.path, target.path) == 0 { return }
        _ = try await FileHash.copy(file, to: target)
    }

    /// Writes a file.
    func write(_ data: Data, as name: String) throws(HubError) {
        try SystemCalls.replace(url.appending(path: name), with: data)
    }

    /// Removes the folders of processes that were killed. No training may be under way.
    static func removeLeftovers(in uploads: URL) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: uploads.path)) ?? []
        where name.hasPrefix(prefix) {
            try? FileManager.default.removeItem(at: uploads.appending(path: name))
        }
    }
}
