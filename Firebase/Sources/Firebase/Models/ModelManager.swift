import FacadeSupport
import FirebaseCore
import Foundation

/// Downloads models that a hub hosts, and keeps them.
///
/// Errors are `NSError`s of the domain `com.firebase.ml` with codes of google.rpc.
public final class ModelManager: NSObject, Sendable {
    private let models: ModelService

    private init(_ app: FirebaseApp?) { models = FirebaseErrors.models(of: app) }

    /// The manager of the default app's models.
    ///
    /// Where that is not configured, no model is downloaded and whatever is asked fails with an error that says so; Firebase
    /// ends the program.
    public static func modelManager() -> ModelManager { ModelManager(nil) }

    /// The manager of an app's models.
    public static func modelManager(app: FirebaseApp) -> ModelManager { ModelManager(app) }

    /// Whether a model is there and whole; the hub is not asked.
    public func isModelDownloaded(_ remoteModel: RemoteModel) -> Bool {
        models.isModelDownloaded(named: remoteModel.name)
    }

    /// Starts a download of a model's latest version.
    ///
    /// How it ends is said by the notification `firebaseMLModelDownloadDidSucceed` or `firebaseMLModelDownloadDidFail`, exactly
    /// one, on the main queue; see ``ModelDownloadUserInfoKey``.
    ///
    /// - Returns: how far it is, in bytes. It is finished when the model is installed; cancelling it cancels the download.
    @discardableResult
    public func download(_ remoteModel: RemoteModel, conditions: ModelDownloadConditions) -> Progress {
        models.download(modelNamed: remoteModel.name, conditions: conditions.values) { error in
            var info: [AnyHashable: Any] = [ModelDownloadUserInfoKey.remoteModel.rawValue: remoteModel]
            if let error { info[ModelDownloadUserInfoKey.error.rawValue] = error }
            NotificationCenter.default.post(
                name: error == nil ? .firebaseMLModelDownloadDidSucceed : .firebaseMLModelDownloadDidFail,
                object: nil,
                userInfo: info
            )
        }
    }

    /// Removes a model. Whoever has its file open keeps it.
    ///
    /// - Parameters:
    ///   - remoteModel: the model by its name.
    ///   - completion: called exactly once, on the main queue, with an error or none.
    @preconcurrency
    public func deleteDownloadedModel(
        _ remoteModel: RemoteModel,
        completion: @escaping @MainActor ((any Error)?) -> Void
    ) {
        models.deleteModel(named: remoteModel.name) { error in completion(error) }
    }

    /// Removes a model. Whoever has its file open keeps it.
    public func deleteDownloadedModel(_ remoteModel: RemoteModel) async throws {
        try await models.deleteModel(named: remoteModel.name)
    }

    /// Gives the file of the version of a model that is there; the hub is not asked.
    ///
    /// - Parameters:
    ///   - remoteModel: the model by its name.
    ///   - completion: called exactly once, with either a path or an error, before this returns and on the calling thread: what
    ///     Firebase's own guide relies on.
    public func getLatestModelFilePath(
        _ remoteModel: RemoteModel,
        completion: (String?, (any Error)?) -> Void
    ) {
        do {
            completion(try path(of: remoteModel), nil)
        } catch {
            completion(nil, error)
        }
    }

    /// The file of the version of a model that is there; the hub is not asked.
    ///
    /// - Throws: an `NSError`; of code 9 if the model is not there.
    public func getLatestModelFilePath(_ remoteModel: RemoteModel) async throws -> String { try path(of: remoteModel) }

    private func path(of remoteModel: RemoteModel) throws -> String {
        try FirebaseErrors.translating { try models.downloadedModel(named: remoteModel.name).url.path }
    }
}
