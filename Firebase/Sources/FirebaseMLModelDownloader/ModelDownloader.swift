import FacadeSupport
import FirebaseCore
import Foundation
import ModelHub
import ModelHubApp

/// Downloads models from a hub and stores them: Firebase's downloader, implemented with the module `ModelHub`.
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
/// Handlers are called on the main queue. A completion handler is called exactly once, after all progress. A model is
/// installed as a whole or not at all, and only if its size and its SHA-256 match those that the hub states.
public final class ModelDownloader: Sendable {
    private let manager: Result<ModelManager, HubAppError>

    private init(_ manager: Result<ModelManager, HubAppError>) { self.manager = manager }

    /// The downloader of the default app.
    ///
    /// If the default app is not configured, every request fails with an error that explains this; Firebase ends the
    /// program.
    public static func modelDownloader() -> ModelDownloader {
        ModelDownloader(Result { () throws(HubAppError) in try HubApp.modelManager() })
    }

    /// The downloader of an app. All downloaders of an app share its models and transfers.
    public static func modelDownloader(app: FirebaseApp) -> ModelDownloader {
        ModelDownloader(Result { () throws(HubAppError) in try app.modelManager() })
    }

    // MARK: - With completion handlers

    /// Returns a model, and downloads it first if necessary.
    ///
    /// - Parameters:
    ///   - modelName: The name of the model on the hub.
    ///   - downloadType: Whether a downloaded version is sufficient.
    ///   - conditions: The links that may be used.
    ///   - progressHandler: Called with the completed fraction, from 0 to 1; never called if nothing is transferred.
    ///   - completion: Called once.
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

    /// Lists all downloaded models.
    ///
    /// - Parameter completion: Called once.
    @preconcurrency
    public func listDownloadedModels(
        completion: @escaping @MainActor (Result<Set<CustomModel>, DownloadedModelError>) -> Void
    ) {
        Task {
            let result = await models()
            MainQueue.async { completion(result) }
        }
    }

    /// Removes a model. Programs that have its file open can still read it.
    ///
    /// - Parameters:
    ///   - modelName: The name of the downloaded model.
    ///   - completion: Called once.
    @preconcurrency
    public func deleteDownloadedModel(
        name modelName: String,
        completion: @escaping @MainActor (Result<Void, DownloadedModelError>) -> Void
    ) {
        Task {
            let result = await delete(modelName)
            MainQueue.async { completion(result) }
        }
    }

    // MARK: - With async/await

    /// Returns a model, and downloads it first if necessary.
    ///
    /// - Parameters:
    ///   - modelName: The name of the model on the hub.
    ///   - downloadType: Whether a downloaded version is sufficient.
    ///   - conditions: The links that may be used.
    ///   - progressHandler: Called on the main queue with the completed fraction, from 0 to 1.
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

    /// Lists all downloaded models.
    ///
    /// - Throws: ``DownloadedModelError``.
    public func listDownloadedModels() async throws -> Set<CustomModel> { try await models().get() }

    /// Removes a model. Programs that have its file open can still read it.
    ///
    /// - Throws: ``DownloadedModelError``.
    public func deleteDownloadedModel(name modelName: String) async throws { try await delete(modelName).get() }

    // MARK: - Shared implementation

    private func model(
        _ name: String,
        _ type: ModelDownloadType,
        _ conditions: ModelDownloadConditions,
        _ progressHandler: (@MainActor (Float) -> Void)?
    ) async -> Result<CustomModel, DownloadError> {
        // As in Firebase, the name is checked before the app.
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

    private func models() async -> Result<Set<CustomModel>, DownloadedModelError> {
        await stored { manager throws(ModelHub.DownloadError) in
            Set(try manager.listDownloadedModels().map(CustomModel.init))
        }
    }

    private func delete(_ name: String) async -> Result<Void, DownloadedModelError> {
        await stored { manager throws(ModelHub.DownloadError) in
            try manager.deleteDownloadedModel(RemoteModel(name: name))
        }
    }

    /// Runs an operation that waits for the disk, which the threads of the Swift runtime must not do.
    private func stored<Value: Sendable>(
        _ body: @escaping @Sendable (ModelManager) throws(ModelHub.DownloadError) -> Value
    ) async -> Result<Value, DownloadedModelError> {
        let manager = manager.mapError(DownloadedModelError.init)
        return await withCheckedContinuation { continuation in
            Self.queue.async {
                continuation.resume(
                    returning: manager.flatMap { manager in
                        do throws(ModelHub.DownloadError) {
                            return .success(try body(manager))
                        } catch {
                            return .failure(DownloadedModelError(error))
                        }
                    }
                )
            }
        }
    }

    private static let queue = DispatchQueue(label: "sightline.firebase.models", qos: .utility)
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
