import FacadeSupport
import Foundation
import ModelHubApp

/// Downloads models from the program's hub and stores them. (`MLKModelManager`)
///
/// ```swift
/// HubApp.configure()      // or FirebaseApp.configure(), of Sightline's package of Firebase names
/// let downloadProgress = ModelManager.modelManager().download(
///     remoteModel,
///     conditions: ModelDownloadConditions(allowsCellularAccess: true, allowsBackgroundDownloading: true)
/// )
/// ```
///
/// The notification `mlkitModelDownloadDidSucceed` or `mlkitModelDownloadDidFail` reports the result of a download. You
/// can use the manager from any thread.
#if canImport(ObjectiveC)
    @objc(MLKModelManager) @objcMembers
#endif
public final class ModelManager: NSObject, Sendable {
    private static let shared = ModelManager()

    private let service = ModelService(domain: mlKitErrorDomain) { try HubApp.modelManager() }

    private override init() {}

    /// The manager of the models on the program's hub.
    ///
    /// The manager looks up the hub whenever it needs it, so you can get the manager before you configure the hub.
    public class func modelManager() -> ModelManager { shared }

    /// Whether a model is downloaded and complete. Does not contact the hub.
    ///
    /// - Returns: Also false if no hub is configured.
    public func isModelDownloaded(_ remoteModel: RemoteModel) -> Bool {
        service.isModelDownloaded(named: remoteModel.name)
    }

    /// Downloads the newest version of a model, unless it is already downloaded.
    ///
    /// - Parameters:
    ///   - remoteModel: The model, by name.
    ///   - conditions: The links that may be used.
    /// - Returns: The progress in bytes. Canceling it cancels the download. It stays unfinished if the download fails.
    #if canImport(ObjectiveC)
        @objc(downloadModel:conditions:)
    #endif
    @discardableResult
    public func download(_ remoteModel: RemoteModel, conditions: ModelDownloadConditions) -> Progress {
        service.download(modelNamed: remoteModel.name, conditions: conditions.values) { error in
            var info: [AnyHashable: Any] = [ModelDownloadUserInfoKey.remoteModel.rawValue: remoteModel]
            info[ModelDownloadUserInfoKey.error.rawValue] = error
            NotificationCenter.default.post(
                name: error == nil ? .mlkitModelDownloadDidSucceed : .mlkitModelDownloadDidFail,
                object: nil,
                userInfo: info
            )
        }
    }

    /// Removes a downloaded model. Existing detectors and labelers can still use it.
    ///
    /// - Parameters:
    ///   - remoteModel: The model, by name.
    ///   - completion: Called once, on the main queue, with an error or nil. If the model is not downloaded, the error
    ///     has code 5.
    @preconcurrency
    public func deleteDownloadedModel(
        _ remoteModel: RemoteModel,
        completion: @escaping @MainActor @Sendable ((any Error)?) -> Void
    ) {
        service.deleteModel(named: remoteModel.name) { completion($0) }
    }

    /// Removes a downloaded model. Existing detectors and labelers can still use it.
    ///
    /// - Throws: An `NSError`, with code 5 if the model is not downloaded.
    @nonobjc
    public func deleteDownloadedModel(_ remoteModel: RemoteModel) async throws {
        try await service.deleteModel(named: remoteModel.name)
    }

    /// The source of a model for a detector or labeler. The model must be downloaded before the first picture.
    package func source(of remoteModel: RemoteModel) -> ModelSource {
        .remote(name: remoteModel.name, of: service)
    }
}
