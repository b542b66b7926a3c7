/// The store for the audit log, to which the methods of other stores write.
public protocol AuditStore: Sendable {
    /// The newest entries of the audit log, newest first.
    func auditLog(of project: String, limit: Int) async throws -> [AuditEntry]
}

/// An entry of the audit log.
public struct AuditEntry: Sendable, Hashable, Codable {
    /// The time.
    public var time: Timestamp
    /// The project, or ``wholeHub``.
    public var project: String
    /// The caller: a person's address, a credential's id and name, or `local` for a command on the hub's machine.
    public var actor: String
    /// The action, for example `model.create`.
    public var action: String
    /// The target, for example a model's resource name.
    public var target: String
    /// Further details, for example the new hash.
    public var detail: String

    /// The project of changes that concern the whole hub.
    public static let wholeHub = "-"

    /// The number of a project's entries that stay: one for each KiB of its quota, within limits.
    static func keptCount(quota: Int?) -> Int { min(max((quota ?? .max) / 1024, 250), 100_000) }

    /// Creates an entry.
    public init(
        time: Timestamp,
        project: String,
        actor: String,
        action: String,
        target: String,
        detail: String = ""
    ) {
        self.time = time
        self.project = project
        self.actor = actor
        self.action = action
        self.target = target
        self.detail = detail
    }
}
