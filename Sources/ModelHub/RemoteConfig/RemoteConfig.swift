import DurableFiles
import Foundation
import ModelHubProtocol

/// Values that the hub chooses for this installation, for example the name of its model.
///
/// ```swift
/// let config = RemoteConfig(manager: manager, defaults: ["plant_model": "plants"])
/// try await config.fetchAndActivate()
/// let name = await config.value("plant_model").string
/// ```
///
/// Fetched values take effect only when they are activated, so that the app chooses the moment. Both are stored on
/// disk, in the manager's folder, and are available at the next start without a network.
public actor RemoteConfig {
    /// The interval of contacts with the hub, and the description of the app that is sent to it.
    public struct Settings: Sendable, Hashable {
        /// The minimum time between two requests; 12 hours by default, as in Firebase's SDKs.
        public var minimumFetchInterval = Duration.seconds(12 * 3600)
        /// The app's version; by default the version of the main bundle.
        public var appVersion = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
        /// The app's build; by default the build of the main bundle.
        public var appBuild = Bundle.main.infoDictionary?["CFBundleVersion"] as? String

        /// Creates the settings that Firebase's SDKs use.
        public init() {}
    }

    /// The result of a fetch.
    public enum FetchResult: Sendable, Hashable {
        /// New values arrived and wait for activation.
        case updated
        /// The values on the hub did not change.
        case unchanged
        /// The last fetch was too recent.
        case notDue
    }

    /// The interval of contacts with the hub, and the description of the app.
    public var settings: Settings

    nonisolated let client: HubClient
    /// The pause after the first failure of live updates.
    let firstWait: Duration
    private let stored: ConfigFile
    private var defaults: [String: String]
    private var state: ConfigState
    private let fetching = SharedCall<String, FetchResult, RemoteConfigError>()
    private var listeners: [UUID: AsyncStream<Void>.Continuation] = [:]

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - manager: Provides the hub, the project, the folder and the installation id.
    ///   - defaults: Values for parameters without a value on the hub.
    ///   - settings: The interval of contacts with the hub.
    public init(manager: ModelManager, defaults: [String: String] = [:], settings: Settings = Settings()) {
        client = manager.client
        firstWait = manager.retry.base
        stored = ConfigFile(folder: manager.folder)
        self.defaults = defaults
        self.settings = settings
        state = stored.state
    }

    // MARK: - Values

    /// The value of a parameter: the active value, otherwise the default, otherwise an empty value.
    public func value(_ key: String) -> ConfigValue {
        if let text = state.active.values[key] { return ConfigValue(string: text, source: .remote) }
        if let text = defaults[key] { return ConfigValue(string: text, source: .default) }
        return ConfigValue(string: "", source: .static)
    }

    /// All keys that have a value.
    public var keys: Set<String> { Set(state.active.values.keys).union(defaults.keys) }

    /// The version of the template that the active values come from.
    public var templateVersion: String? { state.active.templateVersion }

    /// The number of the newest template whose values were fetched; 0 for none.
    var knownVersion: Int64 { Int64((state.fetched ?? state.active).templateVersion ?? "") ?? 0 }

    /// The parameters whose fetched values differ from the active ones.
    var changedKeys: Set<String> {
        guard let fetched = state.fetched?.values else { return [] }
        let active = state.active.values
        return Set(fetched.keys).union(active.keys).filter { fetched[$0] != active[$0] }
    }

    /// The experiments that this installation takes part in.
    public var experiments: [ExperimentAssignment] { state.active.experiments }

    /// The experiment that set a parameter's value.
    public func experiment(of parameter: String) -> ExperimentAssignment? {
        state.active.experiments.first { $0.parameters.contains(parameter) }
    }

    /// Replaces the default values, which apply where the hub has no value.
    public func setDefaults(_ defaults: [String: String]) {
        self.defaults = defaults
        notify()
    }

    /// Changes the settings.
    public func setSettings(_ settings: Settings) { self.settings = settings }

    /// Sets properties of the app or its user that are sent with this and later fetches; nil removes a property.
    ///
    /// - Throws: ``RemoteConfigError/invalidArgument(reason:)`` for more than 100 signals, keys over 250 and texts over
    ///   500 characters, and numbers that are not finite; ``RemoteConfigError/fileAccess(path:reason:)``.
    public func setCustomSignals(_ signals: [String: CustomSignal?]) async throws(RemoteConfigError) {
        var all = state.customSignals
        for (key, signal) in signals {
            let isValid =
                switch signal {
                case .text(let text): text.count <= 500
                case .number(let number): number.isFinite
                case nil: true
                }
            guard (1...250).contains(key.count), isValid else {
                throw .invalidArgument(
                    reason:
                        "the signal \"\(key.prefix(60))\" has a key or value that is too long, or a number that is not finite"
                )
            }
            all[key] = signal
        }
        guard all.count <= 100 else { throw .invalidArgument(reason: "there are \(all.count) signals, more than 100") }
        state.customSignals = all
        try await change { [all] state in
            for (key, signal) in signals { state.customSignals[key] = signal }
            // Other processes that use the folder may have added signals.
            if state.customSignals.count > 100 { state.customSignals = all }
        }
    }

    // MARK: - Fetching

    /// Fetches values from the hub, unless the last fetch was too recent. Simultaneous calls share a request.
    ///
    /// - Parameter minimumInterval: Overrides the interval in the settings.
    /// - Throws: ``RemoteConfigError/throttled(until:)`` if the pause after a failure is not over; otherwise the reason
    ///   of the failure.
    @discardableResult
    public func fetch(minimumInterval: Duration? = nil) async throws(RemoteConfigError) -> FetchResult {
        if !fetching.isUnderWay(client.project) {
            let now = Date()
            // A clock that was set back must not keep the hub from being asked for years.
            if let time = state.fetchTime, time <= now,
                now.timeIntervalSince(time) < (minimumInterval ?? settings.minimumFetchInterval) / .seconds(1)
            {
                return .notDue
            }
            try checkPause(now)
        }
        return try await fetching.result(for: client.project) { () async throws(RemoteConfigError) in
            try await self.request()
        }
    }

    /// Fetches values with a request that begins after the call.
    func fetchAnew() async throws(RemoteConfigError) -> FetchResult {
        try await fetching.newResult(for: client.project) { () async throws(RemoteConfigError) in
            try await self.checkPause(Date())
            return try await self.request()
        }
    }

    private func checkPause(_ now: Date) throws(RemoteConfigError) {
        if let time = state.retryTime, time > now, time.timeIntervalSince(now) < Self.longestPause {
            throw .throttled(until: time)
        }
    }

    /// Activates the values of the last fetch; returns whether a value changed.
    ///
    /// - Throws: ``RemoteConfigError/fileAccess(path:reason:)``; then the old values stay in use.
    @discardableResult
    public func activate() async throws(RemoteConfigError) -> Bool {
        guard let fetched = state.fetched else { return false }
        let before = state.active
        let etag = state.etag
        try await change { $0.activate(fetched, etag: etag) }
        let isChanged = before.values != fetched.values || before.experiments != fetched.experiments
        if isChanged { notify() }
        return isChanged
    }

    /// Fetches and activates values; returns whether a value changed.
    @discardableResult
    public func fetchAndActivate(minimumInterval: Duration? = nil) async throws(RemoteConfigError) -> Bool {
        try await fetch(minimumInterval: minimumInterval)
        return try await activate()
    }

    /// Yields an element each time that values may have changed: after an activation, and after a change of the
    /// defaults.
    public func changes() -> AsyncStream<Void> {
        let id = UUID()
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.onTermination = { _ in Task { await self.forget(id) } }
        listeners[id] = continuation
        return stream
    }

    private func forget(_ id: UUID) { listeners[id] = nil }

    private func notify() {
        for listener in listeners.values { listener.yield() }
    }

    // MARK: - The request

    private func request() async throws(RemoteConfigError) -> FetchResult {
        let signals = state.customSignals
        do throws(HubFailure) {
            let question = try await question(signals)
            let reply = try await client.post(
                "/v1/projects/\(client.project)/namespaces/firebase:fetch",
                question,
                etag: state.etag
            )
            guard let answer = try? JSONDecoder().decode(ConfigResponse.self, from: reply.body) else {
                throw .invalidReply(reason: "the response is not the JSON of a configuration")
            }
            let etag = reply.headers.first(name: "etag")
            let fetched: ConfigState.Snapshot?
            switch answer.state {
            case "NO_CHANGE": fetched = nil
            case "UPDATE", "EMPTY_CONFIG", "NO_TEMPLATE":
                fetched = ConfigState.Snapshot(
                    values: answer.entries ?? [:],
                    experiments: (answer.experimentDescriptions ?? []).map {
                        ExperimentAssignment(
                            experimentID: $0.experimentId,
                            variantID: $0.variantId,
                            parameters: $0.affectedParameterKeys ?? []
                        )
                    },
                    templateVersion: answer.templateVersion
                )
            default:
                throw .invalidReply(reason: "the response has the state \"\(answer.state.prefix(40))\"")
            }
            try await store { state in
                (state.fetchTime, state.failures, state.retryTime) = (Date(), 0, nil)
                if let fetched { (state.fetched, state.etag) = (fetched, etag) }
            }
            return answer.state == "NO_CHANGE" ? .unchanged : .updated
        } catch {
            // A canceled call does not count as a failure.
            if error == .cancelled { throw .cancelled }
            await backOff(after: error)
            throw RemoteConfigError(error, place: client.place)
        }
    }

    private func change(_ body: @escaping @Sendable (inout ConfigState) -> Void) async throws(RemoteConfigError) {
        do throws(HubFailure) {
            try await store(body)
        } catch {
            throw RemoteConfigError(error, place: client.place)
        }
    }

    /// Changes the stored state, and then the state in memory in the same way.
    private func store(_ change: @escaping @Sendable (inout ConfigState) -> Void) async throws(HubFailure) {
        do throws(DurableFileError) { try await stored.change(change) } catch { throw .file(error) }
        change(&state)
    }

    private func question(_ signals: [String: CustomSignal]) async throws(HubFailure) -> Data {
        let id = try await client.installation.idText()
        let locale = Locale.current
        let question = ConfigRequest(
            installation: id,
            app: client.configuration.appID ?? "",
            country: locale.region?.identifier,
            language: locale.language.languageCode?.identifier,
            zone: TimeZone.current.identifier,
            package: client.configuration.bundleID,
            version: settings.appVersion,
            build: settings.appBuild,
            signals: signals
        )
        return (try? JSONEncoder().encode(question)) ?? Data()
    }

    /// The longest pause after failures, in seconds.
    private static let longestPause = 2.0 * 256 * 60 * 1.5

    /// The pauses of Firebase's SDKs: 2, 4, 8 … 256 minutes, randomly shortened or extended by up to a half.
    private func backOff(after failure: HubFailure) async {
        // An unreachable hub needs no protection by a pause, and the app may be online soon.
        guard case .refused = failure, failure.isTransient else { return }
        let failures = min(state.failures + 1, 8)
        let pause = exp2(Double(failures)) * 60 * Double.random(in: 0.5...1.5)
        let asked = failure.retryAfter.map { $0 / .seconds(1) } ?? 0
        let retryTime = Date(timeIntervalSinceNow: min(max(pause, asked), Self.longestPause))
        // A pause that cannot be stored holds until the end of the process.
        (state.failures, state.retryTime) = (failures, retryTime)
        try? await stored.change { ($0.failures, $0.retryTime) = (failures, retryTime) }
    }
}
