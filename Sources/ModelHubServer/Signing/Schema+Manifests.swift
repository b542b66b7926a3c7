import HTTPServing

/// The schemas of signed manifests.
extension Schema {
    static let manifest = fields([
        "alias": .text("The alias with which apps ask."),
        "version": .integer("The version that the alias names."),
        "state": .choice(
            ManifestStatus.State.allCases.map(\.rawValue),
            "`ends-soon`: sign it again. `outdated`: the threshold has changed since then, and apps use the old one."
        ),
        "key?": .text("The id of the key. Absent if the version is not signed."),
        "keyName?": .text("The name of the key."),
        "serial?": .decimal("Its number. Apps accept none below the highest that they have seen."),
        "issueTime?": .time("When it was signed."),
        "expireTime?": .time("When it ends."),
    ]).named("Manifest")

    static let manifestList = fields([
        "manifests": .list("By alias, the served version first.", of: .manifest)
    ]).named("ManifestList")

    static let manifestText = fields([
        "manifest": .text("One field a line, as `:manifest` answers it.")
    ]).named("ManifestText")

    static let manifestPlan = fields([
        "alias?": .text("The alias with which apps ask; `production` by default."),
        "version?": .integer("The version; the version that the alias names by default."),
        "key?": .text(
            "The name of the key, or the beginning of its id. Absent: the only one, or the oldest that the hub keeps."
        ),
        "ttl?": .text("The validity in seconds, such as `2592000s`.", pattern: "^[0-9]+s$"),
    ]).named("ManifestPlan")
}
