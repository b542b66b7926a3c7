import ModelHubProtocol

/// The state of an alias's manifest, as far as the hub knows it.
struct ManifestStatus: Sendable {
    enum State: String, Sendable, CaseIterable {
        case unsigned
        case valid
        /// It ends within two weeks, or within the last third of its validity.
        case endsSoon = "ends-soon"
        case ended
        /// The threshold of the version changed since, so that clients use the old one.
        case outdated
    }

    /// The alias.
    var alias: ModelAlias
    /// The number of the version that the alias names.
    var version: Int
    /// The manifest of the version for the alias; nil if there is none.
    var manifest: ModelManifest?
    /// The name of its key.
    var keyName: String?
    var state: State

    /// The time before its end from which a manifest is to be renewed, in seconds.
    private static let warning: Int64 = 14 * 24 * 3600

    /// - Parameter version: The version that the alias names.
    init(_ alias: ModelAlias, _ version: ModelVersion, _ manifest: ModelManifest?, keyName: String?, at time: Timestamp)
    {
        (self.alias, self.version, self.manifest, self.keyName) = (alias, version.number, manifest, keyName)
        let now = time.milliseconds / 1000
        guard let manifest else {
            state = .unsigned
            return
        }
        let rest = manifest.expires - now
        state =
            rest <= 0
            ? .ended
            : manifest.confidenceThreshold != version.confidenceThreshold
                ? .outdated
                : rest < min(Self.warning, (manifest.expires - manifest.issued) / 3) ? .endsSoon : .valid
    }
}

extension ManifestResource {
    init(_ status: ManifestStatus) {
        self.init(alias: status.alias, version: status.version, state: status.state.rawValue)
        guard let manifest = status.manifest else { return }
        key = manifest.key
        keyName = status.keyName
        serial = "\(manifest.serial)"
        issueTime = ManifestTime.text(manifest.issued)
        expireTime = ManifestTime.text(manifest.expires)
    }
}
