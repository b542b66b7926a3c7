/// The manifest that the hub has for an alias of a model.
package struct ManifestResource: Codable, Sendable {
    /// The alias.
    package var alias: ModelAlias
    /// The version that the alias names.
    package var version: Int
    /// `unsigned`, `valid`, `ends-soon`, `ended`, or `outdated` if the name or the threshold changed since.
    package var state: String
    /// The id of the key; nil if the version is not signed.
    package var key: String?
    /// The name of the key.
    package var keyName: String?
    package var serial: String?
    /// RFC 3339.
    package var issueTime: String?
    /// RFC 3339.
    package var expireTime: String?

    /// Creates a resource.
    package init(alias: ModelAlias, version: Int, state: String) {
        (self.alias, self.version, self.state) = (alias, version, state)
    }
}

/// The manifests of a model.
package struct ManifestList: Codable, Sendable {
    package var manifests: [ManifestResource]

    /// Creates a list.
    package init(manifests: [ManifestResource]) { self.manifests = manifests }
}

/// The text of a manifest, with or without a signature.
package struct ManifestText: Codable, Sendable {
    package var manifest: String

    /// Creates a text.
    package init(manifest: String) { self.manifest = manifest }
}

/// A manifest to make.
package struct ManifestPlan: Codable, Sendable {
    /// Nil for `production`.
    package var alias: ModelAlias?
    /// Nil for the version that the alias names.
    package var version: Int?
    /// The id of the key, or its beginning; nil for the only key that can sign.
    package var key: String?
    /// The lifetime in seconds, such as `2592000s`; nil for the usual lifetime.
    package var ttl: String?

    /// Creates a plan.
    package init(alias: ModelAlias? = nil, version: Int? = nil, key: String? = nil, ttl: String? = nil) {
        (self.alias, self.version, self.key, self.ttl) = (alias, version, key, ttl)
    }
}
