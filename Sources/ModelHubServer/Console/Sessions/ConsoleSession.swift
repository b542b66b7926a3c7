import Foundation

/// Somebody who is signed in to the console. The browser has a random number; the hub keeps its hash only.
public struct ConsoleSession: Sendable, Hashable {
    /// What is said once, on the next page.
    public struct Notice: Sendable, Hashable, Codable {
        /// Whether something went wrong.
        public var isError: Bool
        /// One or two sentences.
        public var text: String
    }

    /// SHA-256 of the number that the browser has.
    public var idHash: [UInt8]
    /// The project that is shown.
    public var project: Project
    /// The credential that was shown at sign-in; nil for a sign-in link.
    public var credential: String?
    /// What may be done.
    public var role: Role
    /// For the audit log.
    public var actor: String
    /// When it began.
    public var createTime: Timestamp
    /// When it was last used, give or take a minute.
    public var useTime: Timestamp
    /// What is to be said on the next page.
    public var notice: Notice?

    /// A session that is not used for so long ends.
    static let idleLifetime = Duration.seconds(2 * 3600)
    /// A session ends after this time, used or not.
    static let lifetime = Duration.seconds(12 * 3600)
    /// How many sessions a credential may have at once; the oldest end. Those of sign-in links count together.
    public static let maximumCount = 100
    /// How exactly the last use is known, so that not every page writes to the disk.
    static let useGranularity = Duration.seconds(60)

    /// A short name to tell it from others by. It says nothing of the number that the browser has.
    public var id: String { Hexadecimal.text(idHash.prefix(6)) }

    /// Whether it goes on at a moment.
    func isValid(at time: Timestamp) -> Bool {
        time < createTime.advanced(by: Self.lifetime) && time < useTime.advanced(by: Self.idleLifetime)
    }

    /// The one who is signed in, for what the hub does.
    var caller: Caller { Caller(project: project, role: role, actor: actor) }
}

/// A new session and the number that its browser gets.
struct OpenedSession: Sendable {
    var session: ConsoleSession
    var id: String
}
