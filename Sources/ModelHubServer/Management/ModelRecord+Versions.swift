import ModelHubProtocol

extension ModelRecord {
    /// The maximum number of aliases besides `production` and `staging`.
    static let maximumAliases = 20

    /// Serves a version: clients that name no alias get it, with its threshold.
    mutating func serve(_ version: ModelVersion) {
        file = version.file
        source = .object(uri: version.source)
        validationError = nil
        if aliases[.staging] == version.number { aliases[.staging] = nil }
    }

    /// The number of the version that an alias names; nil if there is none.
    func version(named alias: ModelAlias) -> Int? { Self.version(named: alias, aliases, served: file?.version) }

    /// The number of the version that an alias names.
    ///
    /// - Parameters:
    ///   - aliases: The stored aliases of a model.
    ///   - served: The served version.
    static func version(named alias: ModelAlias, _ aliases: [ModelAlias: Int], served: Int?) -> Int? {
        switch alias {
        case .production: served
        // An app for tests works on after the staged version is served.
        case .staging: aliases[alias] ?? served
        default: aliases[alias]
        }
    }

    /// The versions that clients can ask for: the served version and those with an alias.
    var namedVersions: Set<Int> { Set(aliases.values).union(file.map { [$0.version] } ?? []) }
}
