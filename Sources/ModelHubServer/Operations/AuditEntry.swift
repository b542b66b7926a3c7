import ModelHubProtocol

/// An entry of the audit log.
package struct AuditEntry: Sendable, Hashable, Codable {
    /// The time.
    package var time: Timestamp
    /// The project, or ``wholeHub``.
    package var project: String
    /// The caller: a person's address, a credential's id and name, or `local` for a command on the hub's machine.
    package var actor: String
    /// The action, for example `model.create`.
    package var action: String
    /// The target, for example a model's resource name.
    package var target: String
    /// Further details, for example the new hash.
    package var detail = ""
    /// The event of which webhooks notify; nil for none.
    package var event: WebhookEvent?

    /// The project of changes that concern the whole hub.
    package static let wholeHub = "-"

    /// The number of a project's entries of a group that stay: of changes, one for each KiB of its quota, within limits.
    static func keptCount(of group: AuditRemoval.Group, quota: Int?) -> Int {
        let most = AuditRemoval.Group.rights.leastKept
        return min(max(group == .rights ? most : (quota ?? .max) / 1024, group.leastKept), most)
    }
}
