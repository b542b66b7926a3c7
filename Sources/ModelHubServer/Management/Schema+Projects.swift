import HTTPServing

/// The schemas of projects and the audit log.
extension Schema {
    static let project = fields([
        "projectId": .text(),
        "projectNumber": .decimal(),
        "role": .role,
        "createTime": .time("When the project was created."),
        "quotaBytes?": .decimal("The largest total size of its files. Absent for no limit."),
        "usedBytes": .decimal(),
        "requiresInstallation": .boolean("Whether apps need an installation token in addition to the API key."),
    ]).named("Project")

    static let projectPage = fields([
        "projects": .list(of: .project),
        "nextPageToken?": .nextPageToken,
    ]).named("ProjectPage")

    static let projectInput = object("A new project, or the changes of a project.").fields([
        "projectId?": .text(
            "Only for a new project: 6 to 30 lower-case letters, digits and hyphens, beginning with a letter."
        ),
        "projectNumber?": .text("Only for a new project: its number in Firebase. Absent for a new number."),
        "quotaBytes?": .text("A decimal string; `0` for no limit. Needs the role administrator."),
        "requiresInstallation?": .boolean(),
    ]).named("ProjectInput")

    static let auditLog = fields([
        "entries": .list(
            "Newest first; with `since`, oldest first.",
            of: .fields([
                "number": .integer("Counts the changes of the project, from 1. The hub deletes the oldest."),
                "time": .time("The time of the change."),
                "actor": .text(
                    "The caller: a person's address, a key's id and name, or `local` for a command on the hub's machine."
                ),
                "action": .text("Such as `model.create`."),
                "target": .text("The target of the change."),
                "detail": .text(),
                "event?": .choice(WebhookEvent.allCases.map(\.rawValue), "The event of which webhooks notify."),
                "project": .text("The id of the project; `-` for changes that concern no single project."),
                "previous": .text("The hash of the change before; 64 zeros for the first."),
                "hash": .text(
                    "The SHA-256, in hexadecimal digits, of the netstrings of previous, number, time, project, actor, action, target, detail and, if there is one, event."
                ),
            ])
        )
    ]).named("AuditLog")
}
