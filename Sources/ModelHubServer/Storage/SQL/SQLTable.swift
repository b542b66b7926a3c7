/// A table of the hub, as far as a copy of its rows needs to know it.
struct SQLTable: Sendable {
    let name: String
    /// The columns that identify a row, in order.
    let key: [String]
    /// The columns of the key that may be absent, which have texts.
    let optionalKey: Set<String>
    /// The columns with truth values, which SQLite returns as numbers.
    let truthValues: Set<String>
    /// Whether the database assigns ids to rows, and assigns none of them again after its row was deleted.
    let assignsIDs: Bool
    /// Whether the newest row is never deleted, so that the last assigned id is always that of a row.
    let keepsNewest: Bool

    init(
        _ name: String,
        key: [String],
        optionalKey: Set<String> = [],
        truthValues: Set<String> = [],
        assignsIDs: Bool = false,
        keepsNewest: Bool = false
    ) {
        self.name = name
        self.key = key
        self.optionalKey = optionalKey
        self.truthValues = truthValues
        self.assignsIDs = assignsIDs
        self.keepsNewest = keepsNewest
    }
}

extension HubSchema {
    /// The tables whose rows move with a hub. A table follows those that it refers to.
    static let copiedTables: [SQLTable] = [
        SQLTable("setting", key: ["key"]),
        SQLTable("project", key: ["id"], truthValues: ["requiresInstallation"]),
        SQLTable("person", key: ["address"]),
        SQLTable("credential", key: ["id"]),
        SQLTable("membership", key: ["person", "project"], optionalKey: ["project"]),
        SQLTable("model", key: ["id"], truthValues: ["isPublished"], assignsIDs: true),
        SQLTable("modelDownload", key: ["model"]),
        SQLTable("tag", key: ["project", "tag", "model"]),
        SQLTable("version", key: ["model", "number"]),
        SQLTable("manifest", key: ["model", "alias", "hash"]),
        SQLTable("versionDownload", key: ["model", "number"]),
        SQLTable("modelDay", key: ["model", "day"]),
        SQLTable("object", key: ["project", "bucket", "name"]),
        SQLTable("blob", key: ["hash"]),
        SQLTable("audit", key: ["id"], assignsIDs: true, keepsNewest: true),
        SQLTable("configTemplate", key: ["project", "namespace", "version"]),
        SQLTable("experiment", key: ["project", "id"]),
        SQLTable("outcome", key: ["project", "experiment", "variant", "model", "metric"]),
        SQLTable(
            "outcomeOfInstallation",
            key: ["project", "experiment", "variant", "model", "metric", "installation"]
        ),
        SQLTable("outcomeBatch", key: ["project", "id"]),
        SQLTable("webhook", key: ["project", "id"]),
        SQLTable("webhookDelivery", key: ["project", "webhook", "number"]),
        SQLTable("rollout", key: ["project", "id"], truthValues: ["isActive"]),
        SQLTable("rolloutOutcome", key: ["project", "rollout", "metric", "deviceGroup"]),
        SQLTable("rolloutOutcomeOfDevice", key: ["project", "rollout", "metric", "deviceGroup", "device"]),
        SQLTable("consoleSession", key: ["idHash"]),
        SQLTable("signInLink", key: ["codeHash"]),
        SQLTable("evaluation", key: ["id"], assignsIDs: true),
        SQLTable("dataSet", key: ["id"], assignsIDs: true),
        SQLTable("photo", key: ["id"], assignsIDs: true),
        SQLTable("photoBox", key: ["id"], truthValues: ["isGroup"], assignsIDs: true),
        SQLTable("training", key: ["id"], assignsIDs: true),
        SQLTable("shadow", key: ["model", "served", "candidate"]),
        SQLTable("shadowLabel", key: ["model", "served", "candidate", "label"]),
        SQLTable("shadowOfInstallation", key: ["model", "served", "candidate", "installation"]),
        SQLTable("confidenceWeek", key: ["model", "version", "week", "place"]),
    ]
}
