import Foundation

/// A session of a signed-in user. The browser has a random number; the hub stores only its hash.
package struct ConsoleSession: Sendable, Hashable {
    /// A message for the next page, shown once.
    package struct Notice: Sendable, Hashable, Codable {
        /// Whether the message is an error.
        package var isError: Bool
        /// One or two sentences.
        package var text: String
    }

    /// The SHA-256 of the browser's number.
    package var idHash: [UInt8]
    /// The shown project.
    package var project: Project
    /// The address of the signed-in person; nil for a token, and for a link of `sightline hub console`.
    package var person: String?
    /// The id of the credential used to sign in or to create the sign-in link; nil for a person's own act.
    package var credential: String?
    /// The highest role of the session. The user's own role may be lower.
    package var role: Role
    /// The only project of the session, by its id; nil for all projects of the user.
    package var enclosure: String?
    /// The provider's claims about the user; nil for every other sign-in.
    package var claims: ProviderClaims?
    /// The name in the audit log.
    package var actor: String
    /// The time of its start.
    package var createTime: Timestamp
    /// The time of its last use, with an accuracy of a minute.
    package var useTime: Timestamp
    /// The time at which the session ends at the latest, or a provider renews it; nil for the usual lifetime.
    package var expiry: Timestamp?
    /// The message for the next page.
    package var notice: Notice?

    /// The time after which an unused session ends.
    static let idleLifetime = Duration.seconds(2 * 3600)
    /// The time after which every session ends.
    static let lifetime = Duration.seconds(12 * 3600)
    /// The maximum number of sessions per person or credential; the oldest end. The sessions of all links of
    /// `sightline hub console` count together.
    package static let maximumCount = 100
    /// The accuracy of the last use, so that not every page writes to the disk.
    static let useGranularity = Duration.seconds(60)

    /// A short name of the session. It reveals nothing about the browser's number.
    package var id: String { idHash.prefix(6).hexadecimalText }

    /// Whether the session is valid at a moment, perhaps after a renewal. One that seems to begin more than its lifetime later comes from a clock that was
    /// wrong, and has ended.
    func isValid(at time: Timestamp) -> Bool {
        time < createTime.advanced(by: Self.lifetime) && createTime < time.advanced(by: Self.lifetime)
            && time < useTime.advanced(by: Self.idleLifetime)
            && (!hasEnded(at: time) || claims?.refreshToken != nil)
    }

    /// Whether ``expiry`` has come.
    func hasEnded(at time: Timestamp) -> Bool { expiry.map { $0 <= time } ?? false }

    /// Creates a session.
    package init(
        idHash: [UInt8],
        project: Project,
        person: String? = nil,
        credential: String?,
        role: Role,
        enclosure: String? = nil,
        claims: ProviderClaims? = nil,
        actor: String,
        createTime: Timestamp,
        useTime: Timestamp,
        expiry: Timestamp? = nil,
        notice: Notice? = nil
    ) {
        self.idHash = idHash
        self.project = project
        self.person = person
        self.credential = credential
        self.role = role
        self.enclosure = enclosure
        self.claims = claims
        self.actor = actor
        self.createTime = createTime
        self.useTime = useTime
        self.expiry = expiry
        self.notice = notice
    }
}

/// A new session and the number for its browser.
struct OpenedSession: Sendable {
    var session: ConsoleSession
    var id: String
}

/// A link that starts a session once.
package struct SignInLink: Sendable, Hashable {
    /// The SHA-256 of the code in the link.
    package var codeHash: [UInt8] = []
    /// The address of the person who signs in; nil for a link of `sightline hub console`.
    package var person: String?
    /// The first shown project, by its id; nil for any project of the user.
    package var project: String?
    /// The only project of the session, by its id; nil for all projects of the user.
    package var enclosure: String?
    /// The highest role of the session.
    package var role: Role
    /// The id of the credential that created the link; nil for a person's own act.
    package var credential: String?
    /// The time at which the session ends at the latest; nil for the usual lifetime.
    package var sessionExpiry: Timestamp?
    /// The end of the link.
    package var expiry = Timestamp(milliseconds: 0)

    /// Creates a link without a code.
    package init(
        person: String? = nil,
        project: String? = nil,
        enclosure: String? = nil,
        role: Role,
        credential: String? = nil,
        sessionExpiry: Timestamp? = nil
    ) {
        self.person = person
        self.project = project
        self.enclosure = enclosure
        self.role = role
        self.credential = credential
        self.sessionExpiry = sessionExpiry
    }

    /// The maximum number of unused links for a person; the oldest end.
    package static let maximumCount = 20
}
