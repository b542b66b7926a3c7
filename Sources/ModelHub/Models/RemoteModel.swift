/// A model that a hub hosts, by its name, and the wanted version, by its alias.
public struct RemoteModel: Sendable, Hashable {
    /// The name of the model on the hub.
    public var name: String
    /// The alias of the version. Versions with different aliases are downloaded and kept beside each other.
    public var alias: ModelAlias

    /// Creates a reference to a version of the model with the given name. The download checks the name and the alias.
    ///
    /// - Parameters:
    ///   - name: 1 to 60 letters, digits, hyphens and underscores.
    ///   - alias: The alias of the version: without one, the version that the hub serves to all clients; `.staging` for
    ///     the version that is to be served next; or an alias that was given to a version on the hub.
    public init(name: String, alias: ModelAlias = .production) {
        self.name = name
        self.alias = alias
    }

    /// Only these characters may appear in paths and addresses.
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
        guard alias.isValid else {
            throw .invalidArgument(
                model: name,
                reason:
                    "the alias \"\(alias)\" is not valid; an alias has at most 63 lower-case letters, digits and hyphens, and begins "
                    + "with a letter"
            )
        }
    }
}

/// The conditions under which a model may be downloaded.
public struct ModelDownloadConditions: Sendable, Hashable {
    /// Whether the download may use metered links, such as cellular links.
    public var allowsCellularAccess: Bool
    /// Whether the download may continue while the app is in the background. This has no effect: on Linux downloads
    /// always continue; on Apple's systems they pause with the app and continue with it.
    public var allowsBackgroundDownloading: Bool

    /// Creates conditions. By default any link is allowed, in the foreground only.
    public init(allowsCellularAccess: Bool = true, allowsBackgroundDownloading: Bool = false) {
        self.allowsCellularAccess = allowsCellularAccess
        self.allowsBackgroundDownloading = allowsBackgroundDownloading
    }
}

/// Whether a downloaded version of a model is sufficient.
public enum ModelDownloadType: Sendable, Hashable, CaseIterable {
    /// Use the downloaded version without contacting the hub. If there is no such version, download the model.
    case localModel
    /// Use the downloaded version, and download a newer version in the background for the next time. If there is no
    /// downloaded version, download the model.
    case localModelUpdateInBackground
    /// Use the newest version on the hub.
    case latestModel
}
