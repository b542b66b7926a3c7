import Foundation

extension NSNotification.Name {
    /// A model was downloaded, or the one that is there is the newest. Posted on the main queue; the user information has the
    /// model under ``ModelDownloadUserInfoKey/remoteModel``.
    public static let mlkitModelDownloadDidSucceed = NSNotification.Name("MLKModelDownloadDidSucceedNotification")
    /// A model could not be downloaded. Posted on the main queue; the user information has the model under
    /// ``ModelDownloadUserInfoKey/remoteModel`` and an `NSError` under ``ModelDownloadUserInfoKey/error``.
    public static let mlkitModelDownloadDidFail = NSNotification.Name("MLKModelDownloadDidFailNotification")

    /// The name as some of ML Kit's pages spell it.
    @available(*, deprecated, renamed: "mlkitModelDownloadDidSucceed")
    public static let mlkitMLModelDownloadDidSucceed = mlkitModelDownloadDidSucceed
    /// The name as some of ML Kit's pages spell it.
    @available(*, deprecated, renamed: "mlkitModelDownloadDidFail")
    public static let mlkitMLModelDownloadDidFail = mlkitModelDownloadDidFail
}

/// What the notifications of downloads carry; the keys are the raw values. (`MLKModelDownloadUserInfoKey`)
public struct ModelDownloadUserInfoKey: RawRepresentable, Sendable, Hashable {
    /// The key in the user information.
    public let rawValue: String

    /// A key by its raw value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The ``RemoteModel`` that was asked for.
    public static let remoteModel = ModelDownloadUserInfoKey(rawValue: "MLKModelDownloadUserInfoKeyRemoteModel")
    /// Why it could not be downloaded, an `NSError`.
    public static let error = ModelDownloadUserInfoKey(rawValue: "MLKModelDownloadUserInfoKeyError")
}
