import ModelHubServer
import Synchronization

/// The hubs with records in a PostgreSQL database that this process has opened. They are closed before it ends: the exit of a process
/// unloads what the threads of open connections still use.
enum OpenHubs {
    private static let hubs = Mutex<[Hub]>([])

    static func note(_ hub: Hub) { hubs.withLock { $0.append(hub) } }

    static func close() async {
        let open = hubs.withLock { hubs in
            defer { hubs = [] }
            return hubs
        }
        for hub in open { try? await hub.close() }
    }
}
