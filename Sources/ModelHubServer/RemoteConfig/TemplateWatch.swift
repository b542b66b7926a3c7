import Foundation

/// Notifies waiting apps of a new client template.
///
/// While apps wait, the watch asks the database for the newest versions of their projects, since other processes
/// also publish templates. Each app also gets a sign of life in regular intervals, so that a lost connection is noticed
/// on both ends.
///
/// The places are shared by the projects: if all are taken, the project with the most waiting apps gives one up for an app
/// of a project with fewer. So the apps of one project, or a stranger with its key, keep no other project's apps out.
actor TemplateWatch {
    /// The watch takes no more apps.
    struct Full: Error {}

    /// The message to a waiting app.
    struct Updates: Sendable {
        /// The numbers of the newest template, 0 for none. A number is repeated as a sign of life.
        let versions: AsyncStream<Int64>
        /// Ends the wait, so that another app gets its place.
        let end: @Sendable () -> Void
    }

    private struct App {
        let turn: Int
        let continuation: AsyncStream<Int64>.Continuation
    }

    /// The time between two checks of the database. An app receives a new template after half of it, on average.
    private static let interval = Duration.milliseconds(500)

    /// The number of intervals between two signs of life. In each interval, an equal share of the apps gets one.
    private let keepAliveInterval: Int
    private let newestVersions: @Sendable (Set<String>) async throws -> [String: Int64]
    private var apps: [String: [UUID: App]] = [:]
    private var versions: [String: Int64] = [:]
    private var watching: Task<Void, Never>?
    private var nextTurn = 0
    private var isEnded = false

    /// The number of waiting apps.
    private(set) var count = 0

    /// Creates a watch.
    ///
    /// - Parameters:
    ///   - keepAlive: The time between two signs of life.
    ///   - newestVersions: The numbers of the newest client templates of projects; 0 without a template, none for a project that does not exist.
    init(
        keepAlive: Duration = .seconds(30),
        newestVersions: @escaping @Sendable (Set<String>) async throws -> [String: Int64]
    ) {
        keepAliveInterval = max(1, Int(keepAlive / Self.interval))
        self.newestVersions = newestVersions
    }

    /// Adds an app that waits for new templates of a project.
    ///
    /// - Throws: ``Full`` if as many apps as allowed wait already, and no other project has more of them than this one
    ///   would have; or if the watch has ended.
    func versions(of project: String, atMost maximum: Int) throws(Full) -> Updates {
        guard maximum > 0, !isEnded else { throw Full() }
        if count >= maximum { try makeRoom(for: project) }
        let id = UUID()
        // An app that is slow needs only the newest number.
        let (stream, continuation) = AsyncStream<Int64>.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.onTermination = { _ in Task { await self.forget(id, of: project) } }
        apps[project, default: [:]][id] = App(turn: nextTurn, continuation: continuation)
        count += 1
        nextTurn = (nextTurn + 1) % keepAliveInterval
        if let version = versions[project] { continuation.yield(version) }
        if watching == nil { watching = Task { await watch() } }
        return Updates(versions: stream, end: { continuation.finish() })
    }

    /// Ends the wait of an app of the project with the most waiting apps.
    private func makeRoom(for project: String) throws(Full) {
        guard let largest = apps.max(by: { $0.value.count < $1.value.count }),
            largest.value.count > apps[project, default: [:]].count + 1, let (id, app) = largest.value.first
        else { throw Full() }
        forget(id, of: largest.key)
        app.continuation.finish()
    }

    /// Ends all streams, and refuses new ones.
    func end() {
        isEnded = true
        watching?.cancel()
        for app in apps.values.flatMap(\.values) { app.continuation.finish() }
    }

    private func forget(_ id: UUID, of project: String) {
        guard apps[project]?.removeValue(forKey: id) != nil else { return }
        count -= 1
        guard apps[project]?.isEmpty == true else { return }
        apps[project] = nil
        versions[project] = nil
        guard apps.isEmpty else { return }
        watching?.cancel()
        watching = nil
    }

    private func watch() async {
        var turn = 0
        while !Task.isCancelled {
            await tellNewVersions()
            for (project, waiting) in apps {
                for app in waiting.values where app.turn == turn { app.continuation.yield(versions[project] ?? 0) }
            }
            turn = (turn + 1) % keepAliveInterval
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Asks for the newest versions now, because a project changed.
    func follow(_ change: StoreChange) async {
        switch change {
        case .project(let project) where apps[project] == nil: return
        case .project, .anything: await tellNewVersions()
        }
    }

    private func tellNewVersions() async {
        guard !apps.isEmpty else { return }
        // A database that cannot be read now is read again after the interval; other requests report the failure.
        guard let newest = try? await newestVersions(Set(apps.keys)) else { return }
        // A project that is gone has no version. Before it sends a line, a stream looks whether its app may still read, and ends.
        for (project, waiting) in apps where newest[project] == nil {
            for app in waiting.values { app.continuation.yield(0) }
        }
        for (project, version) in newest where versions[project] ?? 0 < version && apps[project] != nil {
            versions[project] = version
            for app in apps[project, default: [:]].values { app.continuation.yield(version) }
        }
    }
}
