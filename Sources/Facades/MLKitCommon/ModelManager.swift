import FacadeSupport
import Foundation
import ModelHubApp

/// Downloads models from the program's hub, and keeps them. (`MLKModelManager`)
///
/// ```swift
/// HubApp.configure()      // or FirebaseApp.configure(), of Sightline's package of Firebase names
/// let downloadProgress = ModelManager.modelManager().download(
///     remoteModel,
///     conditions: ModelDownloadConditions(allowsCellularAccess: true, allowsBackgroundDownloading: true)
/// )
/// ```
///
/// How a download ended is said by the notification `mlkitModelDownloadDidSucceed` or `mlkitModelDownloadDidFail`. It may be used
/// from any thread.
public final class ModelManager: NSObject, Sendable {
    private static let shared = ModelManager()

    private let service = ModelService(domain: mlKitErrorDomain) { try HubApp.modelManager() }

    private override init() {}

    /// The manager of the models of the program's hub.
    ///
    /// The manager looks for the hub whenever it needs it, so that you may ask for the manager before you configure the hub.
    public class func modelManager() -> ModelManager { shared }

    /// Whether a model is downloaded and whole; the hub is not asked.
    ///
    /// - Returns: false as well if no hub is configured.
    public func isModelDownloaded(_ remoteModel: RemoteModel) -> Bool {
        service.isModelDownloaded(named: remoteModel.name)
    }

    /// Downloads the newest version of a model, unless it is there.
    ///
    /// - Parameters:
    ///   - remoteModel: the model by its name.
    ///   - conditions: which links may be used.
    /// - Returns: how far it is, in bytes. Cancelling it cancels the download. It stays unfinished if the download fails.
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

    /// Removes a downloaded model. Detectors and labelers that were made with it go on.
    ///
    /// - Parameters:
    ///   - remoteModel: the model by its name.
    ///   - completion: called once, on the main queue, with an error or none. A model that is not there is an error, code 5.
    @preconcurrency
    public func deleteDownloadedModel(
        _ remoteModel: RemoteModel,
        completion: @escaping @MainActor @Sendable ((any Error)?) -> Void
    ) {
        service.deleteModel(named: remoteModel.name) { completion($0) }
    }

    /// Removes a downloaded model. Detectors and labelers that were made with it go on.
    ///
    /// - Throws: an `NSError`; of code 5 if the model is not there.
    public func deleteDownloadedModel(_ remoteModel: RemoteModel) async throws {
        try await service.deleteModel(named: remoteModel.name)
    }

    /// Where a detector or labeler finds a model: it must be downloaded when the first picture comes.
    package func source(of remoteModel: RemoteModel) -> ModelSource {
        .remote(name: remoteModel.name, of: service)
    }
}
