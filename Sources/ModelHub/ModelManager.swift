import Foundation
import Sightline
import TensorFlowLite

/// Downloads models from a hub, keeps them, and says where they are.
///
/// ```swift
/// let manager = ModelManager(configuration: try ModelHubConfiguration(contentsOf: file))
/// let model = try await manager.download(RemoteModel(name: "plants"))
/// let labeler = try ImageLabeler(options: ImageLabelerOptions(model: model.localModel))
/// ```
///
/// A model is installed as a whole or not at all, and only if its size and its SHA-256 are those that the hub says. Several
/// managers and several processes may use one folder.
public actor ModelManager {
    /// The hub and the project.
    public nonisolated let configuration: ModelHubConfiguration
    /// Where the models are kept.
    public nonisolated var folder: URL { store.folder }

    private nonisolated let store: ModelStore
    nonisolated let client: HubClient
    private let network: any NetworkConditions
    nonisolated let retry: RetryPolicy
    private var transfers: [String: Transfer] = [:]
    private var nextNumber = 0

    /// A manager of the models of a project.
    ///
    /// - Parameters:
    ///   - configuration: the hub and the project.
    ///   - folder: where models are kept; nil for a folder of the hub and project below `$XDG_DATA_HOME/sightline/hubs`
    ///     (`~/.local/share`) on Linux, and below the folder for application support elsewhere. It is made when it is needed.
    ///   - network: tells whether the link is metered.
    ///   - retry: how often requests are repeated.
    public init(
        configuration: ModelHubConfiguration,
        folder: URL? = nil,
        network: any NetworkConditions = NetworkManagerConditions(),
        retry: RetryPolicy = RetryPolicy()
    ) {
        self.configuration = configuration
        self.network = network
        self.retry = retry
        let folder = folder ?? Self.defaultFolder(for: configuration)
        store = ModelStore(folder: folder)
        client = HubClient(configuration: configuration, installation: Installation(folder: folder))
    }

    static func defaultFolder(for configuration: ModelHubConfiguration) -> URL {
        let environment = ProcessInfo.processInfo.environment
        #if canImport(Darwin)
            let base = UserDataFolder.named(in: environment) ?? .applicationSupportDirectory
        #else
            let base = UserDataFolder.ofUser(environment: environment)
        #endif
        let hub = configuration.hub
        let place = "\(hub.host() ?? "hub")\(hub.port.map { "-\($0)" } ?? "")"
        let parts = [place, configuration.projectID].map { part in
            String(part.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") ? $0 : "_" })
        }
        return base.appending(path: "sightline/hubs/\(parts[0])/_\(parts[1])")
    }

    /// The id of this installation of the app, in the form of Firebase's: made by the first who asks and kept in ``folder``,
    /// so that all processes of one folder have one, and a hub's percentages stay what they were for it.
    ///
    /// - Throws: ``DownloadError/fileAccess(path:reason:)`` or ``DownloadError/notEnoughSpace(path:)`` if it cannot be kept.
    public nonisolated var installationID: String {
        get throws(DownloadError) { try InstallationID(folder: folder).text() }
    }

    // MARK: - What is there

    /// Whether a model is there and whole; the hub is not asked.
    public nonisolated func isModelDownloaded(_ model: RemoteModel) -> Bool { downloadedModel(for: model) != nil }

    /// The version of a model that is there; the hub is not asked.
    public nonisolated func downloadedModel(for model: RemoteModel) -> DownloadedModel? {
        guard (try? model.check()) != nil else { return nil }
        return store.model(named: model.name)
    }

    /// All models that are there, by name.
    ///
    /// - Throws: ``DownloadError/fileAccess(path:reason:)``.
    public nonisolated func listDownloadedModels() throws(DownloadError) -> [DownloadedModel] { try store.allModels() }

    /// What detectors and labelers take: the remote model if it is downloaded, otherwise the local one.
    public nonisolated func localModel(for model: RemoteModel, otherwise local: LocalModel) -> LocalModel {
        downloadedModel(for: model)?.localModel ?? local
    }

    /// Removes a model. Whoever has its file open keeps it.
    ///
    /// - Throws: ``DownloadError/notDownloaded(model:folder:)`` if it is not there, ``DownloadError/emptyModelName``,
    ///   ``DownloadError/invalidArgument(model:reason:)``, or ``DownloadError/fileAccess(path:reason:)``.
    public nonisolated func deleteDownloadedModel(_ model: RemoteModel) throws(DownloadError) {
        try model.check()
        guard try store.remove(model.name) else { throw .notDownloaded(model: model.name, folder: store.folder.path) }
    }

    // MARK: - Downloading

    /// Gives a model, and downloads it if need be.
    ///
    /// Requests for one model at one time share one transfer. It ends when all who asked for it were cancelled; a later one
    /// goes on where it stopped. When a call is over, the notification `modelDownloadDidSucceed` or `modelDownloadDidFail` is
    /// posted, on no particular thread; see ``ModelDownloadUserInfoKey``.
    ///
    /// - Parameters:
    ///   - model: the model by its name.
    ///   - type: whether one that is there is good enough.
    ///   - conditions: which links may be used.
    ///   - onProgress: called after each piece that comes, in order, on a thread of the download.
    /// - Throws: any ``DownloadError``.
    @discardableResult
    public func download(
        _ model: RemoteModel,
        type: ModelDownloadType = .latestModel,
        conditions: ModelDownloadConditions = ModelDownloadConditions(),
        onProgress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(DownloadError) -> DownloadedModel {
        do throws(DownloadError) {
            try model.check()
            if type != .latestModel, let there = store.model(named: model.name) {
                if type == .localModelUpdateInBackground {
                    Task { try await self.download(model, conditions: conditions) }
                }
                Self.postSuccess(model, there)
                return there
            }
            let result = try await join(model, conditions, onProgress)
            Self.postSuccess(model, result)
            return result
        } catch {
            Self.postFailure(model, error)
            throw error
        }
    }

    /// Starts a download of the latest version and gives what shows how far it is; cancelling that cancels the download.
    ///
    /// How it ends is said by a notification, as of ``download(_:type:conditions:onProgress:)``. The units are bytes; it is
    /// finished when the model is installed, and never if the download fails.
    ///
    /// - Parameters:
    ///   - model: the model by its name.
    ///   - conditions: which links may be used.
    ///   - completion: called once, on no particular thread, after the notification.
    public nonisolated func startDownload(
        of model: RemoteModel,
        conditions: ModelDownloadConditions = ModelDownloadConditions(),
        completion: (@Sendable (Result<DownloadedModel, DownloadError>) -> Void)? = nil
    ) -> Progress {
        let progress = Progress(totalUnitCount: -1)
        let task = Task {
            do throws(DownloadError) {
                let result = try await download(model, conditions: conditions) { state in
                    progress.totalUnitCount = Int64(state.totalByteCount)
                    // The last byte counts when the model is installed.
                    progress.completedUnitCount = Int64(min(state.completedByteCount, state.totalByteCount - 1))
                }
                progress.totalUnitCount = Int64(result.size)
                progress.completedUnitCount = Int64(result.size)
                completion?(.success(result))
            } catch {
                completion?(.failure(error))
            }
        }
        progress.cancellationHandler = { task.cancel() }
        return progress
    }

    // MARK: - Sharing transfers

    /// One download for all who ask for a model at one time.
    private struct Transfer {
        let number: Int
        let task: Task<Void, Never>
        let listeners: ProgressListeners
        var waiters: [Int: CheckedContinuation<Result<DownloadedModel, DownloadError>, Never>] = [:]
    }

    private func join(
        _ model: RemoteModel,
        _ conditions: ModelDownloadConditions,
        _ onProgress: (@Sendable (DownloadProgress) -> Void)?
    ) async throws(DownloadError) -> DownloadedModel {
        if !conditions.allowsCellularAccess, await network.isMetered() {
            throw .failedPrecondition(
                model: model.name,
                reason: "the link is metered and the conditions forbid that; wait for another, or allow it"
            )
        }
        let name = model.name
        nextNumber += 1
        let waiter = nextNumber
        let result: Result<DownloadedModel, DownloadError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: .failure(.cancelled(model: name)))
                    return
                }
                var transfer = transfers[name] ?? start(name)
                transfer.waiters[waiter] = continuation
                if let onProgress { transfer.listeners.add(onProgress, as: waiter) }
                transfers[name] = transfer
            }
        } onCancel: {
            // It takes its turn after the waiter is in.
            Task { await self.leave(name, waiter) }
        }
        return try result.get()
    }

    private func start(_ name: String) -> Transfer {
        nextNumber += 1
        let number = nextNumber
        let listeners = ProgressListeners()
        let download = ModelDownload(
            name: name,
            client: client,
            store: store,
            retry: retry,
            report: { listeners.report($0) }
        )
        let task = Task(executorPreference: FileExecutor.shared) {
            let result = await download.result()
            await self.finish(name, number, result)
        }
        return Transfer(number: number, task: task, listeners: listeners)
    }

    private func finish(_ name: String, _ number: Int, _ result: Result<DownloadedModel, DownloadError>) {
        guard let transfer = transfers[name], transfer.number == number else { return }
        transfers[name] = nil
        for waiter in transfer.waiters.values { waiter.resume(returning: result) }
    }

    private func leave(_ name: String, _ waiter: Int) {
        guard let continuation = transfers[name]?.waiters.removeValue(forKey: waiter) else { return }
        transfers[name]?.listeners.remove(waiter)
        if let transfer = transfers[name], transfer.waiters.isEmpty {
            transfer.task.cancel()
            transfers[name] = nil
        }
        continuation.resume(returning: .failure(.cancelled(model: name)))
    }
}

extension ModelDownload {
    fileprivate func result() async -> Result<DownloadedModel, DownloadError> {
        do throws(DownloadError) { return .success(try await run()) } catch { return .failure(error) }
    }
}
