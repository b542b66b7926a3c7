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

    /// Reads the state from a file. The state is empty if the file is missing or damaged, because it can be fetched
    /// again.
    init(_ file: URL) {
        if let data = try? Data(contentsOf: file), let state = try? JSONDecoder().decode(ConfigState.self, from: data) {
            self = state
        } else {
            self.init()
        }
    }

    init() {}

    /// Replaces the file as a whole.
    func save(_ file: URL) throws(DurableFileError) {
        try DurableFile.makeFolder(file.deletingLastPathComponent())
        // The state contains only texts and finite numbers, so encoding it as JSON cannot fail.
        try DurableFile.write((try? JSONEncoder().encode(self)) ?? Data(), to: file)
    }
}
