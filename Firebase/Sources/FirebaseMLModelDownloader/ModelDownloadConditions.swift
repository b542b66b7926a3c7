/// Whether a downloaded version of a model is sufficient.
public enum ModelDownloadType: Sendable {
    /// Use the downloaded version without contacting the hub. If there is no such version, download the model.
    case localModel
    /// Use the downloaded version, and download a newer version in the background for the next time. If there is no
    /// downloaded version, download the model.
    case localModelUpdateInBackground
    /// Use the newest version on the hub.
    case latestModel
}

/// The conditions under which a model may be downloaded.
public struct ModelDownloadConditions: Sendable {
    /// Whether the download may use metered links, such as cellular links.
    public let allowsCellularAccess: Bool

    /// Creates conditions. By default any link is allowed.
    public init(allowsCellularAccess: Bool = true) { self.allowsCellularAccess = allowsCellularAccess }
}
