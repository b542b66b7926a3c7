/// Where the hub's Remote Config templates, experiments and their outcomes lie. Every method is one transaction.
public protocol ConfigurationStore: Sendable {
    /// A version of a template, the newest unless another is named; nil if there is none.
    func template(_ version: Int64?, in namespace: ConfigNamespace, of project: String) async throws -> StoredTemplate?
    /// Versions before another, or all, newest first.
    func templateVersions(
        in namespace: ConfigNamespace,
        of project: String,
        before version: Int64?,
        limit: Int
    ) async throws -> [TemplateVersion]
    /// Adds a version and gives it a number; stores an experiment that begins, changes or ends with it.
    ///
    /// Old versions beyond ``TemplateVersion/limit`` and ``TemplateVersion/byteLimit`` go. Throws `.failedPrecondition` if the newest version's etag is another
    /// than the draft replaces.
    func insert(_ draft: TemplateDraft, experiment: Experiment?, audit: AuditEntry) async throws -> StoredTemplate
    /// The project of an API key and the etag of its client template, all that a fetch wants to know, at once. Nil if the
    /// secret is no valid API key.
    func configuration(apiKeyHash: [UInt8]) async throws -> (project: Project, etag: String?)?

    /// The experiments of a project, newest first.
    func experiments(of project: String) async throws -> [Experiment]
    /// The experiments of a project that run, newest first.
    func runningExperiments(of project: String) async throws -> [Experiment]
    /// The experiment with an id.
    func experiment(_ id: String, of project: String) async throws -> Experiment?

    /// Adds what a batch says to what is known, unless the batch was added before; gives false then.
    func add(_ batch: OutcomeBatch, to project: String, at time: Timestamp) async throws -> Bool
    /// Forgets batches that were added before a moment, and the oldest batches of a project that has very many.
    func forgetOutcomeBatches(before time: Timestamp) async throws
    /// What is known of an experiment's variants.
    func outcomes(of experiment: String, of project: String) async throws -> [OutcomeTotal]
}

/// Whose template it is.
public enum ConfigNamespace: String, Sendable, Hashable, CaseIterable {
    /// Apps fetch what it says for them.
    case client = "firebase"
    /// Server SDKs fetch all of it and evaluate it themselves.
    case server = "firebase-server"
}

/// Facts of a version of a template.
public struct TemplateVersion: Sendable, Hashable {
    /// 1 for the first.
    public var number: Int64
    /// When it was published.
    public var updateTime: Timestamp
    /// By whom.
    public var updateUser: String
    /// With what: `REST_API`, `CONSOLE`, `ADMIN_SDK_NODE`.
    public var updateOrigin: String
    /// How: `INCREMENTAL_UPDATE`, `FORCED_UPDATE` or `ROLLBACK`.
    public var updateType: String
    /// What for.
    public var description: String
    /// The version that it repeats, if it is a rollback.
    public var rollbackSource: Int64?

    /// How many versions are kept.
    public static let limit: Int64 = 300
    /// How many bytes the templates of all versions that are kept may have together. The newest is kept in any case.
    public static let byteLimit = 32 << 20
}

/// A template as it is stored.
public struct StoredTemplate: Sendable, Hashable {
    /// Facts of the version.
    public var version: TemplateVersion
    /// Changes with every version.
    public var etag: String
    /// The template as ``ConfigTemplate/json(pretty:)`` writes it.
    public var json: String
}

/// A template that is to become a version.
public struct TemplateDraft: Sendable, Hashable {
    /// The project that it belongs to.
    public var project: Project
    /// Whose it is.
    public var namespace: ConfigNamespace
    /// The template as JSON.
    public var json: String
    /// The etag of the version that it takes the place of.
    public var replaces: String
    /// Facts of the version; its number is that of the store.
    public var version: TemplateVersion
}
