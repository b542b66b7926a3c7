import DurableFiles
import Foundation
import ModelHubProtocol
import Sightline

/// Downloads models from a hub and stores them in a folder.
///
/// ```swift
/// let manager = ModelManager(configuration: try ModelHubConfiguration(contentsOf: file))
/// let model = try await manager.download(RemoteModel(name: "plants"))
/// let labeler = try ImageLabeler(options: ImageLabelerOptions(model: model.localModel))
/// ```
///
/// A model is installed as a whole or not at all, and only if its size and its SHA-256 match those that the hub states.
/// Several managers and several processes may share a folder.
public actor ModelManager {
    /// The hub and the project.
    public nonisolated let configuration: ModelHubConfiguration
    /// The folder of the downloaded models.
    public nonisolated var folder: URL { store.folder }

    private nonisolated let store: DownloadedModels
    nonisolated let client: HubClient
    private let network: any NetworkConditions
    nonisolated let retry: RetryPolicy
    private var transfers: [RemoteModel: Transfer] = [:]
    private var nextNumber = 0

    /// Creates a manager for the models of a project.
    ///
    /// - Parameters:
    ///   - configuration: The hub and the project.
    ///   - folder: The folder for models. With nil the manager uses a folder for the hub and project below
    ///     `$XDG_DATA_HOME/sightline/hubs` (`~/.local/share`) on Linux, and below the folder for application support
    ///     elsewhere. The manager creates the folder when necessary.
    ///   - network: Reports whether the link is metered.
    ///   - retry: The policy for repeating requests.
    public init(
        configuration: ModelHubConfiguration,
        folder: URL? = nil,
        network: any NetworkConditions = SystemConditions(),
        retry: RetryPolicy = RetryPolicy()
    ) {
        self.configuration = configuration
        self.network = network
        self.retry = retry
        let folder = folder ?? Self.defaultFolder(for: configuration)
        store = DownloadedModels(folder: folder)
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

    /// The id of this installation of the app, in the form of Firebase's ids. The first use creates it and stores it in
    /// ``folder``, so that all processes that use the folder share it, and a hub's percentages stay stable. May wait for the disk.
    ///
    /// - Throws: ``DownloadError/fileAccess(path:reason:)`` or ``DownloadError/notEnoughSpace(path:)`` if it cannot be
    ///   stored.
    public nonisolated var installationID: String {
        get throws(DownloadError) {
            try Self.storing { () throws(DurableFileError) in try InstallationID(folder: folder).text() }
        }
    }

    // MARK: - Downloaded models

    /// Whether a model is downloaded and complete. Does not contact the hub.
    public nonisolated func isModelDownloaded(_ model: RemoteModel) -> Bool { downloadedModel(for: model) != nil }

    /// The downloaded version of a model; nil if the model is not downloaded. Does not contact the hub.
    public nonisolated func downloadedModel(for model: RemoteModel) -> DownloadedModel? {
        guard (try? model.check()) != nil else { return nil }
        return store.model(model)
    }

    /// All downloaded models, by name and alias. Waits for the disk.
    ///
    /// - Throws: ``DownloadError/fileAccess(path:reason:)``.
    public nonisolated func listDownloadedModels() throws(DownloadError) -> [DownloadedModel] {
        try Self.storing { () throws(DurableFileError) in try store.allModels() }
    }

    /// The model for detectors and labelers: the remote model if it is downloaded, otherwise the local model.
    public nonisolated func localModel(for model: RemoteModel, otherwise local: LocalModel) -> LocalModel {
        downloadedModel(for: model)?.localModel ?? local
    }

    /// Removes a model, and waits for the disk. Programs that have its file open can still read it.
    ///
    /// - Throws: ``DownloadError/notDownloaded(model:folder:)`` if the model is not downloaded,
    ///   ``DownloadError/emptyModelName``, ``DownloadError/invalidArgument(model:reason:)``, or
    ///   ``DownloadError/fileAccess(path:reason:)``.
    public nonisolated func deleteDownloadedModel(_ model: RemoteModel) throws(DownloadError) {
        try model.check()
        let isRemoved = try Self.storing { () throws(DurableFileError) in try store.remove(model) }
        guard isRemoved else { throw .notDownloaded(model: model.name, folder: store.folder.path) }
    }

    /// Runs an operation on files, whose errors become errors of this module.
    private static func storing<Result>(
        _ body: () throws(DurableFileError) -> Result
    ) throws(DownloadError) -> Result {
        do throws(DurableFileError) { return try body() } catch { throw DownloadError(error) }
    }

    // MARK: - Downloading

    /// Returns a model, and downloads it first if necessary.
    ///
    /// Simultaneous requests for a model share a transfer. The transfer stops when all its callers are canceled; a
    /// later request resumes it. At the end of a call the manager posts the notification `modelDownloadDidSucceed` or
    /// `modelDownloadDidFail`, on an arbitrary thread; see ``ModelDownloadUserInfoKey``.
    ///
    /// - Parameters:
    ///   - model: The model, by name.
    ///   - type: Whether a downloaded version is sufficient.
    ///   - conditions: The links that may be used.
    ///   - onProgress: Called after each received piece, in order, on a thread of the download.
    /// - Throws: Any ``DownloadError``.
    @discardableResult
    public func download(
        _ model: RemoteModel,
        type: ModelDownloadType = .latestModel,
        conditions: ModelDownloadConditions = ModelDownloadConditions(),
        onProgress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(DownloadError) -> DownloadedModel {
        do throws(DownloadError) {
            try model.check()
            if type != .latestModel, let there = store.model(model) {
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

    /// Starts a download of the latest version and returns its progress. Canceling the progress cancels the download.
    ///
    /// A notification reports the result, as for ``download(_:type:conditions:onProgress:)``. The units are bytes. The
    /// progress finishes when the model is installed, and never if the download fails.
    ///
    /// - Parameters:
    ///   - model: The model, by name.
    ///   - conditions: The links that may be used.
    ///   - completion: Called once, on an arbitrary thread, after the notification.
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
                    // The last byte counts only after the installation.
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

    /// A single download for all simultaneous requests for a model.
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
                reason:
                    "the link is metered and the conditions forbid metered links; wait for another link, or allow it"
            )
        }
        nextNumber += 1
        let waiter = nextNumber
        let result: Result<DownloadedModel, DownloadError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: .failure(.cancelled(model: model.name)))
                    return
                }
                var transfer = transfers[model] ?? start(model, conditions)
                transfer.waiters[waiter] = continuation
                if let onProgress { transfer.listeners.add(onProgress, as: waiter) }
                transfers[model] = transfer
            }
        } onCancel: {
            // Runs after the waiter is registered.
            Task { await self.leave(model, waiter) }
        }
        return try result.get()
    }

    /// Starts a transfer. Later callers share it, and with it the conditions of the first.
    private func start(_ model: RemoteModel, _ conditions: ModelDownloadConditions) -> Transfer {
        nextNumber += 1
        let number = nextNumber
        let listeners = ProgressListeners()
        let download = ModelDownload(
            model: model,
            client: client,
            store: store,
            retry: retry,
            allowsMeteredLinks: conditions.allowsCellularAccess,
            report: { listeners.report($0) }
        )
        let task = Task(executorPreference: FileExecutor.shared) {
            let result = await download.result()
            await self.finish(model, number, result)
        }
        return Transfer(number: number, task: task, listeners: listeners)
    }

    private func finish(
        _ model: RemoteModel,
        _ number: Int,
        _ result: Result<DownloadedModel, DownloadError>
    ) {
        guard let transfer = transfers[model], transfer.number == number else { return }
        transfers[model] = nil
        for waiter in transfer.waiters.values { waiter.resume(returning: result) }
    }

    private func leave(_ model: RemoteModel, _ waiter: Int) {
        guard let continuation = transfers[model]?.waiters.removeValue(forKey: waiter) else { return }
        transfers[model]?.listeners.remove(waiter)
        if let transfer = transfers[model], transfer.waiters.isEmpty {
            transfer.task.cancel()
            transfers[model] = nil
        }
        continuation.resume(returning: .failure(.cancelled(model: model.name)))
    }
}

extension ModelDownload {
    fileprivate func result() async -> Result<DownloadedModel, DownloadError> {
        do throws(DownloadError) { return .success(try await run()) } catch { return .failure(error) }
    }
}
