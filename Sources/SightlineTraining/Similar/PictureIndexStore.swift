import DurableFiles
import Foundation

/// The place of an index file: in the folder of the pictures, or in the user's cache folder if that folder cannot be written.
///
/// A file is complete or absent. If two processes write at once, the later file is kept; missing pictures are only read again.
///
/// Waits for the disk, so it is used on `FileExecutor`.
struct PictureIndexStore: Sendable {
    /// The name of an index file in the folder of the pictures.
    static let fileName = ".sightline-similar"
    private static let maximumBytes = 4 << 30

    private let beside: URL
    private let cached: URL?

    init(of folder: URL, cache: URL?) {
        beside = folder.appending(path: Self.fileName)
        let path = folder.standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)
        cached = cache?.appending(path: SHA256.hexadecimalDigest(of: Data(path.utf8)) + ".similar")
    }

    /// A file of an earlier run.
    struct Loaded: Sendable {
        /// Nil if there is no file, or if it cannot be used.
        var table: PictureTable?
        var place: PictureIndex.Place = .memory(reason: nil)
        /// The path of a file that cannot be used.
        var damaged: String?
    }

    /// Reads the file of an earlier run.
    func load() -> Loaded {
        var loaded = Loaded()
        let places = [(beside, PictureIndex.Place.folder)] + (cached.map { [($0, .cache(path: $0.path))] } ?? [])
        // The later file first: a folder that cannot be written any more keeps an earlier one.
        let changed = places.map { Self.changed($0.0) }
        for (url, place) in changed == changed.sorted(by: >) ? places : places.reversed() {
            guard let file = Self.read(url) else { continue }
            if let table = file.table {
                (loaded.table, loaded.place) = (table, place)
                return loaded
            }
            loaded.damaged = loaded.damaged ?? url.path(percentEncoded: false)
        }
        return loaded
    }

    /// The time of a file's last change; the beginning of time if there is none.
    private static func changed(_ url: URL) -> Date {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))
        return attributes?[.modificationDate] as? Date ?? .distantPast
    }

    /// Reads a regular file; nil if there is none that can be read. A pipe would wait.
    private static func read(_ url: URL) -> PictureTable.FileReader? {
        guard let file = try? FileDescriptor(url.path(percentEncoded: false), O_RDONLY | O_NONBLOCK) else { return nil }
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= maximumBytes
        else { return nil }
        var reader = PictureTable.FileReader(byteCount: Int(status.st_size))
        do {
            try file.read { reader.append($0) }
        } catch {
            return nil
        }
        return reader
    }

    /// Writes the file.
    ///
    /// - Parameter rows: The numbers of the pictures in the file, in the order of their paths.
    /// - Returns: Where it lies now.
    func save(_ table: PictureTable, _ rows: [Int]) -> PictureIndex.Place {
        func write(to url: URL, permissions: mode_t) throws(DurableFileError) {
            try DurableFile.write(to: url, permissions: permissions) {
                (file: borrowing FileDescriptor) throws(DurableFileError) in try table.write(rows, to: file)
            }
        }
        do {
            try write(to: beside, permissions: 0o666)
            return .folder
        } catch {
            guard let cached else { return .memory(reason: error.reason) }
            do {
                try DurableFile.makeFolder(cached.deletingLastPathComponent())
                try write(to: cached, permissions: 0o644)
                return .cache(path: cached.path(percentEncoded: false))
            } catch {
                return .memory(reason: error.reason)
            }
        }
    }
}
