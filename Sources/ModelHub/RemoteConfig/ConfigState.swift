import Foundation

/// What a client knows of its configuration, as it lies in the file `remote-config.json`.
struct ConfigState: Codable, Sendable {
    /// What the hub gave at one time.
    struct Snapshot: Codable, Sendable, Hashable {
        var values: [String: String] = [:]
        var experiments: [ExperimentAssignment] = []
        var templateVersion: String?
    }

    /// What is in use.
    var active = Snapshot()
    /// What came last and waits for its activation.
    var fetched: Snapshot?
    /// The entity tag of what came last.
    var etag: String?
    /// When something came last.
    var fetchTime: Date?
    /// How often it failed since.
    var failures = 0
    /// When it may be tried again.
    var retryTime: Date?
    var customSignals: [String: CustomSignal] = [:]

    /// The state in a file; an empty one if there is none, or if it is damaged: it can be fetched anew.
    init(_ file: URL) {
        if let data = try? Data(contentsOf: file), let state = try? JSONDecoder().decode(ConfigState.self, from: data) {
            self = state
        } else {
            self.init()
        }
    }

    init() {}

    /// Replaces the file as a whole.
    func save(_ file: URL) throws(RemoteConfigError) {
        do throws(DownloadError) {
            try StoreFile.makeFolder(file.deletingLastPathComponent())
            // Texts and finite numbers are all there is, so that nothing can fail to be written as JSON.
            try StoreFile.replace(file, with: (try? JSONEncoder().encode(self)) ?? Data())
        } catch { throw RemoteConfigError(error) }
    }
}
