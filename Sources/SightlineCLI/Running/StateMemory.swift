import DurableFiles
import Foundation

/// The last known states of things, which outlive a camera's settings and, in a file, the program.
actor StateMemory {
    /// The name of the file in the folder of waiting events.
    static let fileName = "states.json"
    /// The largest size of a file that is read, in bytes.
    private static let largestSize = 1 << 20

    private var file: URL?
    /// The states by camera and thing.
    private var states: [String: [String: String]] = [:]

    /// Keeps the states in a file from now on, and takes those that an earlier run left there.
    ///
    /// - Parameter file: the file; nil to keep them in memory.
    func keep(in file: URL?) async {
        guard let file, file != self.file else { return self.file = file }
        self.file = file
        let earlier = await withTaskExecutorPreference(FileExecutor.shared) { await Self.read(file) }
        states.merge(earlier) { present, earlier in earlier.merging(present) { $1 } }
    }

    @concurrent private static func read(_ file: URL) async -> [String: [String: String]] {
        guard let size = DurableFile.size(file), size <= largestSize, let data = try? Data(contentsOf: file) else {
            return [:]
        }
        return (try? JSONDecoder().decode([String: [String: String]].self, from: data)) ?? [:]
    }

    /// The last known states of a camera's things.
    func states(of camera: String) -> [String: String] { states[camera] ?? [:] }

    /// Notes a state.
    func note(_ state: String, of thing: String, camera: String) async {
        states[camera, default: [:]][thing] = state
        await write()
    }

    /// Forgets a camera that is no longer watched.
    func forget(_ camera: String) async {
        if states.removeValue(forKey: camera) != nil { await write() }
    }

    /// A file that cannot be written lacks a state, so that the next run may repeat an event.
    private func write() async {
        guard let file else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let data = try? encoder.encode(states) else { return }
        await withTaskExecutorPreference(FileExecutor.shared) { await Self.write(data, to: file) }
    }

    @concurrent private static func write(_ data: Data, to file: URL) async {
        try? DurableFile.makeFolder(file.deletingLastPathComponent(), permissions: 0o700)
        try? DurableFile.write(data, to: file, permissions: 0o600)
    }
}
