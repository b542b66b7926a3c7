import Foundation

extension Notification.Name {
    /// Posted on the main queue after a model was downloaded, or if the downloaded model is the latest.
    public static let firebaseMLModelDownloadDidSucceed = Notification.Name("FIRModelDownloadDidSucceedNotification")
    /// Posted on the main queue after a download failed.
    public static let firebaseMLModelDownloadDidFail = Notification.Name("FIRModelDownloadDidFailNotification")
}

/// The keys of download notifications.
public struct ModelDownloadUserInfoKey: RawRepresentable, Hashable, Sendable {
    /// The key in the notification's `userInfo`.
    public let rawValue: String

    /// Creates a key from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a key from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The requested ``RemoteModel``.
    public static let remoteModel = ModelDownloadUserInfoKey(rawValue: "FIRModelDownloadUserInfoKeyRemoteModel")
    /// The `NSError`, after a failure.
    public static let error = ModelDownloadUserInfoKey(rawValue: "FIRModelDownloadUserInfoKeyError")
}
