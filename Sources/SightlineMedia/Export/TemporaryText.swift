import DurableFiles
import Foundation
import SightlineLocks

/// Text in a file without a name. The system removes the file however the process ends.
final class TemporaryText: Sendable {
    private struct State {
        let handle: FileHandle
        /// Text that is not in the file yet.
        var pending = Data()
    }

    private static let partSize = 1 << 16

    private let state: Mutex<State>
    private let folder: String

    /// Creates an empty file.
    ///
    /// - Throws: `MediaError.unwritable` or `.diskFull`.
    init() throws(MediaError) {
        folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        var path = Array((folder + "/sightline-XXXXXX").utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw MediaError(writing: folder, DurableFileError(path: folder, code: errno)) }
        unlink(path)
        state = Mutex(State(handle: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)))
    }

    func append(_ text: String) throws(MediaError) {
        do {
            try state.withLock { state in
                state.pending.append(contentsOf: text.utf8)
                if state.pending.count >= Self.partSize { try Self.flush(&state) }
            }
        } catch {
            throw MediaError(writing: folder, error)
        }
    }

    /// Reads the text again, in parts of whole lines.
    func forEachPart(_ body: (String) throws -> Void) throws {
        try state.withLock { state in
            try Self.flush(&state)
            try state.handle.seek(toOffset: 0)
        }
        var rest = Data()
        while let part = try state.withLock({ try $0.handle.read(upToCount: Self.partSize) }), !part.isEmpty {
            rest.append(part)
            // Lines are whole characters.
            guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
            try body(String(decoding: rest[...end], as: UTF8.self))
            rest = Data(rest[rest.index(after: end)...])
        }
        if !rest.isEmpty { try body(String(decoding: rest, as: UTF8.self)) }
        try state.withLock { _ = try $0.handle.seekToEnd() }
    }

    private static func flush(_ state: inout State) throws {
        try state.handle.write(contentsOf: state.pending)
        state.pending.removeAll(keepingCapacity: true)
    }
}
