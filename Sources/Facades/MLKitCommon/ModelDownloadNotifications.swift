import Foundation

extension NSNotification.Name {
    /// Posted after a model was downloaded, or if the downloaded model is the newest. Posted on the main queue; the
    /// user information has the model under ``ModelDownloadUserInfoKey/remoteModel``.
    public static let mlkitModelDownloadDidSucceed = NSNotification.Name("MLKModelDownloadDidSucceedNotification")
    /// Posted after a download failed. Posted on the main queue; the user information has the model under
    /// ``ModelDownloadUserInfoKey/remoteModel`` and an `NSError` under ``ModelDownloadUserInfoKey/error``.
    public static let mlkitModelDownloadDidFail = NSNotification.Name("MLKModelDownloadDidFailNotification")

    /// The name as spelled on some of ML Kit's pages.
    @available(*, deprecated, renamed: "mlkitModelDownloadDidSucceed")
    public static let mlkitMLModelDownloadDidSucceed = mlkitModelDownloadDidSucceed
    /// The name as spelled on some of ML Kit's pages.
    @available(*, deprecated, renamed: "mlkitModelDownloadDidFail")
    public static let mlkitMLModelDownloadDidFail = mlkitModelDownloadDidFail
}

/// The keys in the user information of download notifications. (`MLKModelDownloadUserInfoKey`)
public struct ModelDownloadUserInfoKey: RawRepresentable, Sendable, Hashable {
    /// The key in the user information.
    public let rawValue: String

    /// Creates a key from its raw value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The requested ``RemoteModel``.
    public static let remoteModel = ModelDownloadUserInfoKey(rawValue: "MLKModelDownloadUserInfoKeyRemoteModel")
    /// The reason of the failure, an `NSError`.
    public static let error = ModelDownloadUserInfoKey(rawValue: "MLKModelDownloadUserInfoKeyError")
}
