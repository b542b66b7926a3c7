import Foundation

/// A session of a signed-in user. The browser has a random number; the hub stores only its hash.
public struct ConsoleSession: Sendable, Hashable {
    /// A message for the next page, shown once.
    public struct Notice: Sendable, Hashable, Codable {
        /// Whether the message is an error.
        public var isError: Bool
        /// One or two sentences.
        public var text: String

        /// Creates a message.
        public init(
            isError: Bool,
            text: String
        ) {
            self.isError = isError
            self.text = text
        }
    }

    /// The SHA-256 of the browser's number.
    public var idHash: [UInt8]
    /// The shown project.
    public var project: Project
    /// The credential used to sign in; nil for a sign-in link.
    public var credential: String?
    /// The rights of the user.
    public var role: Role
    /// The name in the audit log.
    public var actor: String
    /// The time of its start.
    public var createTime: Timestamp
    /// The time of its last use, with an accuracy of a minute.
    public var useTime: Timestamp
    /// The message for the next page.
    public var notice: Notice?

    /// Creates a session.
    public init(
        idHash: [UInt8],
        project: Project,
        credential: String?,
        role: Role,
        actor: String,
        createTime: Timestamp,
        useTime: Timestamp,
        notice: Notice? = nil
    ) {
        self.idHash = idHash
        self.project = project
        self.credential = credential
        self.role = role
        self.actor = actor
        self.createTime = createTime
        self.useTime = useTime
        self.notice = notice
    }

    /// The time after which an unused session ends.
    static let idleLifetime = Duration.seconds(2 * 3600)
    /// The time after which every session ends.
    static let lifetime = Duration.seconds(12 * 3600)
    /// The maximum number of sessions per credential; the oldest end. The sessions of all sign-in links count together.
    public static let maximumCount = 100
    /// The accuracy of the last use, so that not every page writes to the disk.
    static let useGranularity = Duration.seconds(60)

    /// A short name of the session. It reveals nothing about the browser's number.
    public var id: String { idHash.prefix(6).hexadecimalText }

    /// Whether the session is valid at a moment.
    func isValid(at time: Timestamp) -> Bool {
        time < createTime.advanced(by: Self.lifetime) && time < useTime.advanced(by: Self.idleLifetime)
    }

    /// The user, as the caller of operations.
    var caller: Caller { Caller(project: project, role: role, actor: actor) }
}

/// A new session and the number for its browser.
struct OpenedSession: Sendable {
    var session: ConsoleSession
    var id: String
}
