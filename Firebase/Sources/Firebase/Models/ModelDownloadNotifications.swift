import Foundation

extension Notification.Name {
    /// A model was downloaded, or the one that is there is the latest; posted on the main queue.
    public static let firebaseMLModelDownloadDidSucceed = Notification.Name("FIRModelDownloadDidSucceedNotification")
    /// A model could not be downloaded; posted on the main queue.
    public static let firebaseMLModelDownloadDidFail = Notification.Name("FIRModelDownloadDidFailNotification")
}

/// What notifications of downloads carry, under the raw values of these.
public struct ModelDownloadUserInfoKey: RawRepresentable, Hashable, Sendable {
    /// The key in the notification's `userInfo`.
    public let rawValue: String

    /// A key by its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A key by its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The ``RemoteModel`` that was asked for.
    public static let remoteModel = ModelDownloadUserInfoKey(rawValue: "FIRModelDownloadUserInfoKeyRemoteModel")
    /// The `NSError`, after a failure.
    public static let error = ModelDownloadUserInfoKey(rawValue: "FIRModelDownloadUserInfoKeyError")
}
