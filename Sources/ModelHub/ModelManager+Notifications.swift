import Foundation

extension Notification.Name {
    /// A model was downloaded, or the one that is there is the one that was asked for; see ``ModelDownloadUserInfoKey``.
    public static let modelDownloadDidSucceed = Notification.Name("sightline.modelDownloadDidSucceed")
    /// A model could not be downloaded; see ``ModelDownloadUserInfoKey``.
    public static let modelDownloadDidFail = Notification.Name("sightline.modelDownloadDidFail")
}

/// What notifications of downloads carry.
public enum ModelDownloadUserInfoKey: String, Sendable {
    /// The ``RemoteModel`` that was asked for.
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
