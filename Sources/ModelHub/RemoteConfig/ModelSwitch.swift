import Foundation
import Sightline
import Synchronization

/// A detector or labeler whose model a parameter of the configuration names.
///
/// ```swift
/// let labeler = try await ModelSwitch(parameter: "plant_model", of: config, from: manager, otherwise: bundled) { model in
///     try ImageLabeler(options: ImageLabelerOptions(model: model))
/// }
/// Task { await labeler.follow() }
/// let labels = try await labeler.current.engine.labels(in: picture)
/// ```
///
/// When the parameter changes, the new model is downloaded, verified, installed and compiled while the old one serves; then it
/// takes over, for whoever asks for ``current`` from there on. Whoever still works with the old one finishes with it. If
/// anything fails the old one goes on, and ``events()`` says why.
public actor ModelSwitch<Engine: Sendable> {
    /// What serves now.
    public struct Current: Sendable {
        /// The detector, labeler, or whatever `make` makes.
        public let engine: Engine
        /// The name of the model; nil for the one that was given as a substitute.
        public let name: String?
        /// The version of the model; nil for the substitute.
        public let model: DownloadedModel?
        /// The experiment that chose the model, for ``OutcomeReporter``; nil if none did, and while another model still serves
        /// than the one that it chose.
        public let assignment: ExperimentAssignment?
    }

    /// What happens to a switch.
    public enum Event: Sendable, Hashable {
        /// A model is on its way.
        case preparing(name: String)
        /// A model has taken over.
        case switched(name: String, hash: String)
        /// A model could not be made ready; the one that served before goes on.
        case failed(name: String, reason: String)
    }

    private nonisolated let box: Mutex<Current>
    private let parameter: String
    private let config: RemoteConfig
    private let manager: ModelManager
    private let conditions: ModelDownloadConditions
    private let make: @Sendable (LocalModel) async throws -> Engine
    private var running: Task<Bool, any Error>?
    private var listeners: [UUID: AsyncStream<Event>.Continuation] = [:]

    /// What serves now. May be asked from anywhere, at once.
    public nonisolated var current: Current { box.withLock { $0 } }

    /// A switch that serves at once: with the parameter's model if it is downloaded, otherwise with the substitute.
    ///
    /// - Parameters:
    ///   - parameter: the parameter that names the model.
    ///   - config: whose parameter it is.
    ///   - manager: what downloads models.
    ///   - substitute: the model until the parameter's is there, and if it names none.
    ///   - conditions: which links may be used.
    ///   - make: compiles a model, for example to an `ImageLabeler`.
    /// - Throws: what `make` throws for the substitute.
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
        // One that does not work any more is no reason not to begin.
        if let model = manager.downloadedModel(for: RemoteModel(name: name)),
            let engine = try? await make(model.localModel)
        {
            let assignment = await config.experiment(of: parameter)
            box = Mutex(Current(engine: engine, name: name, model: model, assignment: assignment))
        } else {
            box = Mutex(Current(engine: try await make(substitute), name: nil, model: nil, assignment: nil))
        }
    }

    /// Makes the parameter's model the current one, in its newest version; gives whether another serves now.
    ///
    /// Calls at one time share the work.
    ///
    /// - Throws: ``DownloadError``, or what `make` throws; then the model of before goes on.
    @discardableResult
    public func update() async throws -> Bool {
        if let running {
            // The parameter may have changed since that one looked; afterwards a look costs little.
            _ = try? await running.value
        }
        if let running { return try await running.value }
        let task = Task { try await self.change() }
        running = task
        defer { running = nil }
        return try await task.value
    }

    /// Keeps up with the configuration until the task is cancelled: looks now, and after every change of its values.
    public func follow() async {
        let changes = await config.changes()
        _ = try? await update()
        for await _ in changes { _ = try? await update() }
    }

    /// What happens from now on.
    public func events() -> AsyncStream<Event> {
        let id = UUID()
        let (stream, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingNewest(100))
        continuation.onTermination = { _ in Task { await self.forget(id) } }
        listeners[id] = continuation
        return stream
    }

    private func forget(_ id: UUID) { listeners[id] = nil }

    private func tell(_ event: Event) {
        for listener in listeners.values { listener.yield(event) }
    }

    private func change() async throws -> Bool {
        let name = await config.value(parameter).string
        // No name is no order: what serves goes on.
        guard !name.isEmpty else { return false }
        let assignment = await config.experiment(of: parameter)
        do {
            if current.name != name { tell(.preparing(name: name)) }
            let model = try await manager.download(RemoteModel(name: name), conditions: conditions)
            let before = current
            if before.model == model {
                // The same model, perhaps by another experiment.
                box.withLock {
                    $0 = Current(engine: before.engine, name: name, model: model, assignment: assignment)
                }
                return false
            }
            let engine = try await make(model.localModel)
            box.withLock { $0 = Current(engine: engine, name: name, model: model, assignment: assignment) }
            tell(.switched(name: name, hash: model.hash))
            return true
        } catch {
            let before = current
            if before.name != name {
                // The experiment that chose the old one, if any, is not what this installation is in any more.
                box.withLock {
                    $0 = Current(engine: before.engine, name: before.name, model: before.model, assignment: nil)
                }
            }
            tell(.failed(name: name, reason: "\(error)"))
            throw error
        }
    }
}
