import Foundation
import ModelHubProtocol
import Sightline
import SightlineLocks

/// A detector or labeler whose model is named by a parameter of the configuration.
///
/// ```swift
/// let labeler = try await ModelSwitch(parameter: "plant_model", of: config, from: manager, otherwise: bundled) { model in
///     try ImageLabeler(options: ImageLabelerOptions(model: model))
/// }
/// Task { await labeler.follow() }
/// let labels = try await labeler.current.engine.labels(in: picture)
/// ```
///
/// When the parameter changes, the new model is downloaded, verified, installed and compiled while the old model stays
/// in use. Then the new model replaces it in ``current``. Tasks that still use the old engine can finish with it. If a
/// step fails, the old model stays in use, and ``events()`` reports the reason.
public actor ModelSwitch<Engine: Sendable> {
    /// An engine and its model.
    public struct Current: Sendable {
        /// The detector, labeler or other value that `make` creates.
        public let engine: Engine
        /// The name of the model; nil for the substitute.
        public let name: String?
        /// The downloaded version of the model; nil for the substitute.
        public let model: DownloadedModel?
        /// The experiment that chose the model, or the rollout that chose its version, for ``OutcomeReporter``; nil if neither did, and
        /// while the model that the experiment chose is not in use yet.
        public let assignment: ExperimentAssignment?
    }

    /// A change in the state of a switch.
    public enum Event: Sendable, Hashable {
        /// A model is being downloaded and compiled.
        case preparing(name: String)
        /// A new model is in use.
        case switched(name: String, hash: String)
        /// A model could not be prepared; the previous model stays in use.
        case failed(name: String, reason: String)
    }

    private nonisolated let box: Mutex<Current>
    private let parameter: String
    private let config: RemoteConfig
    private let manager: ModelManager
    private let conditions: ModelDownloadConditions
    private let make: @Sendable (LocalModel) async throws -> Engine
    private let updating = SharedCall<String, Bool, any Error>()
    private var listeners: [UUID: AsyncStream<Event>.Continuation] = [:]

    /// The engine in use. Reading it never waits.
    public nonisolated var current: Current { box.withLock { $0 } }

    /// Creates a switch that is ready at once: with the parameter's model if it is downloaded, otherwise with the
    /// substitute.
    ///
    /// - Parameters:
    ///   - parameter: The parameter that names the model.
    ///   - config: The configuration that has the parameter.
    ///   - manager: The manager that downloads models.
    ///   - substitute: The model to use until the parameter's model is ready, and if the parameter is empty.
    ///   - conditions: The links that may be used.
    ///   - make: Compiles a model, for example to an `ImageLabeler`.
    /// - Throws: The error of `make` for the substitute.
    public init(
        parameter: String,
        of config: RemoteConfig,
        from manager: ModelManager,
        otherwise substitute: LocalModel,
        conditions: ModelDownloadConditions = ModelDownloadConditions(),
        make: @escaping @Sendable (LocalModel) async throws -> Engine
    ) async throws {
        self.parameter = parameter
        self.config = config
        self.manager = manager
        self.conditions = conditions
        self.make = make
        let name = await config.value(parameter).string
        // A model that no longer works must not prevent the start.
        if let model = manager.downloadedModel(for: RemoteModel(name: name)),
            let engine = try? await make(model.localModel)
        {
            let assignment = await config.experiment(of: parameter) ?? model.assignment
            box = Mutex(Current(engine: engine, name: name, model: model, assignment: assignment))
        } else {
            box = Mutex(Current(engine: try await make(substitute), name: nil, model: nil, assignment: nil))
        }
    }

    /// Makes the newest version of the parameter's model the current model; returns whether the model in use changed.
    ///
    /// The result is that of an update that begins after the call, so it includes every earlier change of the
    /// configuration. Calls that come while an update is under way share the next one.
    ///
    /// - Throws: ``DownloadError``, or the error of `make`; then the previous model stays in use.
    @discardableResult
    public func update() async throws -> Bool {
        try await updating.newResult(for: parameter) { try await self.change() }
    }

    /// Follows the configuration until the task is canceled: updates now, and after every change of the values.
    public func follow() async {
        let changes = await config.changes()
        _ = try? await update()
        for await _ in changes { _ = try? await update() }
    }

    /// The events from now on.
    public func events() -> AsyncStream<Event> {
        let id = UUID()
        let (stream, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingNewest(100))
        continuation.onTermination = { _ in Task { await self.forget(id) } }
        listeners[id] = continuation
        return stream
    }

    private func forget(_ id: UUID) { listeners[id] = nil }

    private func send(_ event: Event) {
        for listener in listeners.values { listener.yield(event) }
    }

    private func change() async throws -> Bool {
        let name = await config.value(parameter).string
        // An empty name changes nothing: the current model stays in use.
        guard !name.isEmpty else { return false }
        let experiment = await config.experiment(of: parameter)
        do {
            if current.name != name { send(.preparing(name: name)) }
            let model = try await manager.download(RemoteModel(name: name), conditions: conditions)
            let before = current
            let assignment = experiment ?? model.assignment
            if model.isSameVersion(as: before.model) {
                // The same model, perhaps chosen by another experiment.
                box.withLock {
                    $0 = Current(engine: before.engine, name: name, model: model, assignment: assignment)
                }
                return false
            }
            let engine = try await make(model.localModel)
            box.withLock { $0 = Current(engine: engine, name: name, model: model, assignment: assignment) }
            send(.switched(name: name, hash: model.hash))
            return true
        } catch {
            let before = current
            if before.name != name {
                // The installation may have left the experiment that chose the old model.
                box.withLock {
                    $0 = Current(engine: before.engine, name: before.name, model: before.model, assignment: nil)
                }
            }
            send(.failed(name: name, reason: "\(error)"))
            throw error
        }
    }
}
