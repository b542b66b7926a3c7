import Foundation

extension Notification.Name {
    /// Posted after a model was downloaded, or after the manager found that the requested model is present and up to
    /// date; see ``ModelDownloadUserInfoKey``.
    public static let modelDownloadDidSucceed = Notification.Name("sightline.modelDownloadDidSucceed")
    /// Posted after a download failed; see ``ModelDownloadUserInfoKey``.
    public static let modelDownloadDidFail = Notification.Name("sightline.modelDownloadDidFail")
}

/// The keys in the `userInfo` of download notifications.
public enum ModelDownloadUserInfoKey: String, Sendable {
    /// The requested ``RemoteModel``.
    case remoteModel
    /// The ``DownloadedModel``, after a success.
    case downloadedModel
    /// The ``DownloadError``, after a failure.
    case error
}

extension ModelManager {
    static func postSuccess(_ model: RemoteModel, _ result: DownloadedModel) {
        let info: [AnyHashable: Any] = [
            ModelDownloadUserInfoKey.remoteModel.rawValue: model,
            ModelDownloadUserInfoKey.downloadedModel.rawValue: result,
        ]
        NotificationCenter.default.post(name: .modelDownloadDidSucceed, object: nil, userInfo: info)
    }

    static func postFailure(_ model: RemoteModel, _ error: DownloadError) {
        let info: [AnyHashable: Any] = [
            ModelDownloadUserInfoKey.remoteModel.rawValue: model,
            ModelDownloadUserInfoKey.error.rawValue: error,
        ]
        NotificationCenter.default.post(name: .modelDownloadDidFail, object: nil, userInfo: info)
    }
}
