import FacadeSupport
import FirebaseCore
import Foundation

/// Downloads models from a hub and stores them.
///
/// Errors are `NSError`s with the domain `com.firebase.ml` and codes of google.rpc.
#if canImport(ObjectiveC)
    @objc(FIRModelManager) @objcMembers
#endif
public final class ModelManager: NSObject, Sendable {
    private let models: ModelService

    private init(_ app: FirebaseApp?) { models = FirebaseErrors.models(of: app) }

    /// The manager of the default app's models.
    ///
    /// If the default app is not configured, every request fails with an error that explains this; Firebase ends the
    /// program.
    public static func modelManager() -> ModelManager { ModelManager(nil) }

    /// The manager of an app's models.
    #if canImport(ObjectiveC)
        @objc(modelManagerForApp:)
    #endif
    public static func modelManager(app: FirebaseApp) -> ModelManager { ModelManager(app) }

    /// Whether a model is downloaded and complete. Does not contact the hub.
    public func isModelDownloaded(_ remoteModel: RemoteModel) -> Bool {
        models.isModelDownloaded(named: remoteModel.name)
    }

    /// Starts a download of a model's latest version.
    ///
    /// The notification `firebaseMLModelDownloadDidSucceed` or `firebaseMLModelDownloadDidFail` reports the result,
    /// exactly once, on the main queue; see ``ModelDownloadUserInfoKey``.
    ///
    /// - Returns: The progress in bytes. It finishes when the model is installed; canceling it cancels the download.
    #if canImport(ObjectiveC)
        @objc(downloadModel:conditions:)
    #endif
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

    /// Removes a model. Programs that have its file open can still read it.
    ///
    /// - Parameters:
    ///   - remoteModel: The model, by name.
    ///   - completion: Called exactly once, on the main queue, with an error or nil.
    @preconcurrency
    public func deleteDownloadedModel(
        _ remoteModel: RemoteModel,
        completion: @escaping @MainActor ((any Error)?) -> Void
    ) {
        models.deleteModel(named: remoteModel.name) { error in completion(error) }
    }

    /// Removes a model. Programs that have its file open can still read it.
    @nonobjc
    public func deleteDownloadedModel(_ remoteModel: RemoteModel) async throws {
        try await models.deleteModel(named: remoteModel.name)
    }

    /// Passes the path of the downloaded version of a model to `completion`. Does not contact the hub.
    ///
    /// - Parameters:
    ///   - remoteModel: The model, by name.
    ///   - completion: Called exactly once, with either a path or an error, on the calling thread before this method
    ///     returns. Firebase's own guide relies on this.
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

    /// The path of the downloaded version of a model. Does not contact the hub.
    ///
    /// - Throws: An `NSError`, with code 9 if the model is not downloaded.
    @nonobjc
    public func getLatestModelFilePath(_ remoteModel: RemoteModel) async throws -> String { try path(of: remoteModel) }

    private func path(of remoteModel: RemoteModel) throws -> String {
        try FirebaseErrors.translating { try models.downloadedModel(named: remoteModel.name).url.path }
    }
}
