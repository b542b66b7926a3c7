/// A model that a hub hosts, by its name.
public struct RemoteModel: Sendable, Hashable {
    /// The name under which it was published.
    public var name: String

    /// A model by its name: 1 to 60 letters, digits, hyphens and underscores. Whoever downloads it learns whether it is one.
    public init(name: String) { self.name = name }

    /// Nothing but these characters goes into paths and addresses.
    func check() throws(DownloadError) {
        guard !name.isEmpty else { throw .emptyModelName }
        let isValid =
            name.utf8.count <= 60
            && name.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 95
            }
        guard isValid else {
            throw .invalidArgument(
                model: name,
                reason: "a model's name has at most 60 letters, digits, hyphens and underscores"
            )
        }
    }
}

/// When a model may be downloaded.
public struct ModelDownloadConditions: Sendable, Hashable {
    /// Whether a link may be used that costs by volume: a cellular one, or another that the system says is metered.
    public var allowsCellularAccess: Bool
    /// Whether the download may go on while the app is in the background. Linux suspends no process in the background, so that
    /// downloads go on there whatever this says.
    public var allowsBackgroundDownloading: Bool

    /// Any link, and in the foreground, unless told otherwise.
    public init(allowsCellularAccess: Bool = true, allowsBackgroundDownloading: Bool = false) {
        self.allowsCellularAccess = allowsCellularAccess
        self.allowsBackgroundDownloading = allowsBackgroundDownloading
    }
}

/// Whether the model that is there is good enough.
public enum ModelDownloadType: Sendable, Hashable, CaseIterable {
    /// The one that is there, without asking the hub; it is downloaded if there is none.
    case localModel
    /// The one that is there, while a newer one is fetched for the next time; it is downloaded if there is none.
    case localModelUpdateInBackground
    /// The one that the hub has now.
    case latestModel
}
