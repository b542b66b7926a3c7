/// An API key, a key file or a token in the hub's own API.
package struct KeyResource: Codable, Sendable {
    package var id: String
    package var name: String
    /// `api-key`, `service-account`, `token` or `signing`.
    package var kind: String
    package var role: String
    /// The only project in which the key is valid; nil for all projects of its owner.
    package var project: String?
    /// The address of the person to whom a token belongs.
    package var person: String?
    /// RFC 3339.
    package var createTime: String
    /// RFC 3339; nil for no end.
    package var expireTime: String?
    /// RFC 3339, with an accuracy of an hour; nil if the key was never used.
    package var lastUseTime: String?
    /// RFC 3339; nil unless the key was revoked.
    package var revokeTime: String?
    /// The API key or token, only in the response that creates it.
    package var secret: String?
    /// The key file of a service account as JSON, only in the response that creates it.
    package var keyFile: String?
    /// The public part of a signing key, Ed25519 in base64url.
    package var publicKey: String?
    /// Whether the hub keeps the private part of a signing key.
    package var isKept: Bool?

    /// Creates a key.
    package init(
        id: String,
        name: String,
        kind: String,
        role: String,
        project: String?,
        person: String?,
        createTime: String,
        expireTime: String?,
        lastUseTime: String?,
        revokeTime: String?
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.role = role
        self.project = project
        self.person = person
        self.createTime = createTime
        self.expireTime = expireTime
        self.lastUseTime = lastUseTime
        self.revokeTime = revokeTime
    }
}

/// A page of keys, oldest first.
package struct KeyPage: Codable, Sendable {
    package var keys: [KeyResource]
    /// Set if there are more.
    package var nextPageToken: String?

    /// Creates a page.
    package init(keys: [KeyResource], nextPageToken: String?) {
        self.keys = keys
        self.nextPageToken = nextPageToken
    }
}

/// A key to create.
package struct KeyInput: Codable, Sendable {
    package var name: String
    /// `api-key`, `service-account`, `token` or `signing`; nil for a token.
    package var kind: String?
    /// Nil for the usual role of the kind.
    package var role: String?
    /// The lifetime in seconds, such as `7776000s`; `0s` for no end, nil for the usual lifetime of the kind.
    package var ttl: String?
    /// The only project of a person's token.
    package var project: String?
    /// An existing API key to adopt.
    package var key: String?
    /// The hub's address, which is written into a key file.
    package var address: String?
    /// The public part of a signing key whose private part is kept elsewhere, Ed25519 in base64url.
    package var publicKey: String?

    /// Creates an input.
    package init(
        name: String,
        kind: String? = nil,
        role: String? = nil,
        ttl: String? = nil,
        project: String? = nil,
        key: String? = nil,
        address: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.role = role
        self.ttl = ttl
        self.project = project
        self.key = key
        self.address = address
    }
}
