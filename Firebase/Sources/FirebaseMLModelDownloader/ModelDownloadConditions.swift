/// Whether the model that is there is good enough.
public enum ModelDownloadType: Sendable {
    /// The one that is there, without asking the hub; it is downloaded if there is none.
    case localModel
    /// The one that is there, while a newer one is fetched for the next time; it is downloaded if there is none.
    case localModelUpdateInBackground
    /// The one that the hub has now.
    case latestModel
}

/// When a model may be downloaded.
public struct ModelDownloadConditions: Sendable {
    /// Whether a link may be used that costs by volume: a cellular one, or another that the system says is metered.
    public let allowsCellularAccess: Bool

    /// Any link, unless told otherwise.
    public init(allowsCellularAccess: Bool = true) { self.allowsCellularAccess = allowsCellularAccess }
}
