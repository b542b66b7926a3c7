import DurableFiles
import Foundation

/// The state of a client's configuration, stored in the file `remote-config.json`.
struct ConfigState: Codable, Sendable {
    /// The values from a single fetch.
    struct Snapshot: Codable, Sendable, Hashable {
        var values: [String: String] = [:]
        var experiments: [ExperimentAssignment] = []
        var templateVersion: String?
    }

    /// The active values.
    var active = Snapshot()
    /// The fetched values that wait for activation.
    var fetched: Snapshot?
    /// The entity tag of the last fetched values.
    var etag: String?
    /// The time of the last successful fetch.
    var fetchTime: Date?
    /// The number of failures since then.
    var failures = 0
    /// The earliest time of the next attempt.
    var retryTime: Date?
    var customSignals: [String: CustomSignal] = [:]

    /// Makes fetched values the active ones.
    ///
    /// - Parameter etag: The entity tag of these values. Newer values that were fetched meanwhile keep their own.
    mutating func activate(_ snapshot: Snapshot, etag: String?) {
        active = snapshot
        guard fetched == nil || fetched == snapshot else { return }
        (fetched, self.etag) = (nil, etag)
    }
}

/// The file `remote-config.json` in a manager's folder, which several processes may use at the same time.
struct ConfigFile: Sendable {
    private let folder: URL
    private let queue = FileQueue()

    private var file: URL { folder.appending(path: "remote-config.json") }

    init(folder: URL) { self.folder = folder }

    /// The stored state, which is empty if the file is missing or damaged, because it can be fetched again.
    var state: ConfigState {
        guard let data = try? Data(contentsOf: file) else { return ConfigState() }
        return (try? JSONDecoder().decode(ConfigState.self, from: data)) ?? ConfigState()
    }

    /// Changes the stored state, after all earlier changes, and replaces the file as a whole. Other processes' changes
    /// of other parts are kept.
    func change(_ body: @escaping @Sendable (inout ConfigState) -> Void) async throws(DurableFileError) {
        try await queue.run { () throws(DurableFileError) in
            try DurableFile.makeFolder(folder)
            try FileLock.taken(DownloadedModels.lock(of: folder)).whileHeld { () throws(DurableFileError) in
                var state = state
                body(&state)
                // The state contains only texts and finite numbers, so encoding it as JSON cannot fail.
                try DurableFile.write((try? JSONEncoder().encode(state)) ?? Data(), to: file)
            }
        }
    }
}
