import FacadeSupport
import FirebaseCore
import Foundation
import ModelHub
import ModelHubApp

/// Downloads models that a hub hosts, and keeps them: Firebase's downloader, over the module `ModelHub`.
///
/// ```swift
/// FirebaseApp.configure()
/// ModelDownloader.modelDownloader().getModel(
///     name: "plants",
///     downloadType: .localModelUpdateInBackground,
///     conditions: ModelDownloadConditions(allowsCellularAccess: false)
/// ) { result in
///     guard case .success(let model) = result else { return }
///     let interpreter = try? Interpreter(modelPath: model.path)
/// }
/// ```
///
/// Handlers are called on the main queue, a completion exactly once and after all progress. A model is installed as a whole or
/// not at all, and only if its size and its SHA-256 are those that the hub says.
public final class ModelDownloader: Sendable {
    private let manager: Result<ModelManager, HubAppError>

    private init(_ manager: Result<ModelManager, HubAppError>) { self.manager = manager }

    /// The downloader of the default app.
    ///
    /// Where that is not configured, whatever is asked of the downloader fails with an error that says so; Firebase ends the
    /// program.
    public static func modelDownloader() -> ModelDownloader {
        ModelDownloader(Result { () throws(HubAppError) in try HubApp.modelManager() })
    }

    /// The downloader of an app. All downloaders of an app share its models and transfers.
    public static func modelDownloader(app: FirebaseApp) -> ModelDownloader {
        ModelDownloader(Result { () throws(HubAppError) in try app.modelManager() })
    }

    // MARK: - With completion handlers

    /// Gives a model, and downloads it if need be.
    ///
    /// - Parameters:
    ///   - modelName: the name under which the hub publishes it.
    ///   - downloadType: whether one that is there is good enough.
    ///   - conditions: which links may be used.
    ///   - progressHandler: called with how much is there, from 0 to 1; not at all if nothing is transferred.
    ///   - completion: called once.
    @preconcurrency
    public func getModel(
        name modelName: String,
        downloadType: ModelDownloadType,
        conditions: ModelDownloadConditions,
        progressHandler: (@MainActor (Float) -> Void)? = nil,
        completion: @escaping @MainActor (Result<CustomModel, DownloadError>) -> Void
    ) {
        Task {
            let result = await model(modelName, downloadType, conditions, progressHandler)
            MainQueue.async { completion(result) }
        }
    }

    /// Gives all models that are there.
    ///
    /// - Parameter completion: called once.
    @preconcurrency
    public func listDownloadedModels(
        completion: @escaping @MainActor (Result<Set<CustomModel>, DownloadedModelError>) -> Void
    ) {
        Task {
            let result = models()
            MainQueue.async { completion(result) }
        }
    }

    /// Removes a model. Whoever has its file open keeps it.
    ///
    /// - Parameters:
    ///   - modelName: the name under which it was downloaded.
    ///   - completion: called once.
    @preconcurrency
    public func deleteDownloadedModel(
        name modelName: String,
        completion: @escaping @MainActor (Result<Void, DownloadedModelError>) -> Void
    ) {
        Task {
            let result = delete(modelName)
            MainQueue.async { completion(result) }
        }
    }

    // MARK: - In asynchronous code

    /// Gives a model, and downloads it if need be.
    ///
    /// - Parameters:
    ///   - modelName: the name under which the hub publishes it.
    ///   - downloadType: whether one that is there is good enough.
    ///   - conditions: which links may be used.
    ///   - progressHandler: called on the main queue with how much is there, from 0 to 1.
    /// - Throws: ``DownloadError``.
    @preconcurrency
    public func getModel(
        name modelName: String,
        downloadType: ModelDownloadType,
        conditions: ModelDownloadConditions,
        progressHandler: (@MainActor (Float) -> Void)? = nil
    ) async throws -> CustomModel {
        try await model(modelName, downloadType, conditions, progressHandler).get()
    }

    /// Gives all models that are there.
    ///
    /// - Throws: ``DownloadedModelError``.
    public func listDownloadedModels() async throws -> Set<CustomModel> { try models().get() }

    /// Removes a model. Whoever has its file open keeps it.
    ///
    /// - Throws: ``DownloadedModelError``.
    public func deleteDownloadedModel(name modelName: String) async throws { try delete(modelName).get() }

    // MARK: - What both do

    private func model(
        _ name: String,
        _ type: ModelDownloadType,
        _ conditions: ModelDownloadConditions,
        _ progressHandler: (@MainActor (Float) -> Void)?
    ) async -> Result<CustomModel, DownloadError> {
        // Before the app is looked at, as Firebase has it.
        if name.isEmpty { return .failure(.emptyModelName) }
        let manager: ModelManager
        switch self.manager {
        case .success(let value): manager = value
        case .failure(let error): return .failure(DownloadError(error))
        }
        let onProgress = progressHandler.map { handler in
            { @Sendable (progress: DownloadProgress) in
                let fraction = Float(progress.fractionCompleted)
                MainQueue.async { handler(fraction) }
            }
        }
        do throws(ModelHub.DownloadError) {
            let model = try await manager.download(
                RemoteModel(name: name),
                type: ModelHub.ModelDownloadType(type),
                conditions: ModelHub.ModelDownloadConditions(allowsCellularAccess: conditions.allowsCellularAccess),
                onProgress: onProgress
            )
            return .success(CustomModel(model))
        } catch {
            return .failure(DownloadError(error))
        }
    }

    private func models() -> Result<Set<CustomModel>, DownloadedModelError> {
        stored { manager throws(ModelHub.DownloadError) in Set(try manager.listDownloadedModels().map(CustomModel.init))
        }
    }

    private func delete(_ name: String) -> Result<Void, DownloadedModelError> {
        stored { manager throws(ModelHub.DownloadError) in try manager.deleteDownloadedModel(RemoteModel(name: name)) }
    }

    private func stored<Value>(
        _ body: (ModelManager) throws(ModelHub.DownloadError) -> Value
    ) -> Result<Value, DownloadedModelError> {
        manager.mapError(DownloadedModelError.init).flatMap { manager in
            do throws(ModelHub.DownloadError) {
                return .success(try body(manager))
            } catch {
                return .failure(DownloadedModelError(error))
            }
        }
    }
}

extension ModelHub.ModelDownloadType {
    fileprivate init(_ type: ModelDownloadType) {
        self =
            switch type {
            case .localModel: .localModel
            case .localModelUpdateInBackground: .localModelUpdateInBackground
            case .latestModel: .latestModel
            }
    }
}
