import Logging
import ServiceLifecycle
import Synchronization

/// Counted downloads that are not in the records yet, because not every download is written separately.
///
/// They are stored every few seconds and when the hub stops; a hub that is killed loses the last few.
final class DownloadCounts: Sendable {
    /// The downloads of each file of a model, by model.
    private let pending = Mutex<[Int64: [BlobHash: Int]]>([:])

    /// Counts a download of a file of a model.
    func count(_ model: Int64, _ hash: BlobHash) { pending.withLock { $0[model, default: [:]][hash, default: 0] += 1 } }

    /// The number of downloads of a model's files that are not in the records yet.
    func pendingCounts(of model: Int64) -> [BlobHash: Int] { pending.withLock { $0[model] ?? [:] } }

    /// The number of a model's downloads that are not in the records yet.
    func pendingCount(of model: Int64) -> Int { pendingCounts(of: model).values.reduce(0, +) }

    /// Stores the counts; counts that cannot be stored are kept for later.
    func store(in records: HubRecords, at time: Timestamp) async throws {
        let counts = pending.withLock { pending in
            defer { pending = [:] }
            return pending
        }
        guard !counts.isEmpty else { return }
        do {
            try await records.addDownloads(counts, at: time)
        } catch {
            pending.withLock { $0.merge(counts) { $0.merging($1, uniquingKeysWith: +) } }
            throw error
        }
    }
}

/// Stores counted downloads and uses of credentials while the hub serves.
struct DownloadCounting: Service {
    let hub: Hub
    let logger: Logger

    private static let interval = Duration.seconds(5)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: Self.interval)
                await store()
            }
        }
        await store()
    }

    private func store() async {
        do {
            try await hub.downloads.store(in: hub.records, at: hub.now())
            try await hub.credentialUses.store(in: hub.records)
        } catch {
            logger.error("cannot store the counts of downloads and the uses of keys", metadata: ["reason": "\(error)"])
        }
    }
}
