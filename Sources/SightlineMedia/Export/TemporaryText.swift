import Foundation

/// ASCII text that is put aside in a file without a name, which the system removes however the process ends.
final class TemporaryText {
    private let handle: FileHandle
    private let folder: String
    /// What is not yet in the file.
    private var pending = Data()

    private static let partSize = 1 << 16

    init() throws(MediaError) {
        folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        var path = Array((folder + "/sightline-XXXXXX").utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw .unwritable(path: folder, reason: String(cString: strerror(errno))) }
        unlink(path)
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func append(_ text: String) throws(MediaError) {
        pending.append(contentsOf: text.utf8)
        if pending.count >= Self.partSize { try flush() }
    }

    /// Reads all of the text again, part by part.
    func forEachPart(_ body: (String) throws -> Void) throws {
        try flush()
        try handle.seek(toOffset: 0)
        while let part = try handle.read(upToCount: Self.partSize), !part.isEmpty {
            try body(String(decoding: part, as: UTF8.self))
        }
        try handle.seekToEnd()
    }

    private func flush() throws(MediaError) {
        do {
            try handle.write(contentsOf: pending)
            pending.removeAll(keepingCapacity: true)
        } catch {
            throw .unwritable(path: folder, reason: error.localizedDescription)
        }
    }
}
