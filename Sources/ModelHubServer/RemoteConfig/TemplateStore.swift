/// The store for Remote Config templates.
public protocol TemplateStore: Sendable {
    /// A version of a template, by default the newest; nil if it does not exist.
    func template(_ version: Int64?, in namespace: ConfigNamespace, of project: String) async throws -> StoredTemplate?
    /// The versions before another version, or all versions, newest first.
    func templateVersions(
        in namespace: ConfigNamespace,
        of project: String,
        before version: Int64?,
        limit: Int
    ) async throws -> [TemplateVersion]
    /// Adds a version and assigns its number; stores an experiment that starts, changes or stops with it.
    ///
    /// Removes old versions beyond ``TemplateVersion/limit`` and ``TemplateVersion/byteLimit``. Throws
    /// `.failedPrecondition` if the newest version does not have the etag that the draft replaces.
    func insert(_ draft: TemplateDraft, experiment: Experiment?, audit: AuditEntry) async throws -> StoredTemplate
    /// The project of an API key and the etag of its client template, in a single look-up for a fetch. Nil if the
    /// secret is not an API key, or if the key was revoked.
    func configuration(apiKeyHash: [UInt8]) async throws -> AppConfiguration?
    /// The numbers of the newest client templates of projects; a project without a template has none.
    func newestTemplateVersions(of projects: Set<String>) async throws -> [String: Int64]
}

/// The result of a look-up by an API key.
public struct AppConfiguration: Sendable, Hashable {
    /// The project of the key.
    public var project: Project
    /// The etag of the newest client template; nil if there is none.
    public var etag: String?
    /// The state of the key, which may have expired.
    public var key: CredentialState

    /// Creates the result of a look-up.
    public init(project: Project, etag: String?, key: CredentialState) {
        self.project = project
        self.etag = etag
        self.key = key
    }
}

/// The users of a template.
public enum ConfigNamespace: String, Sendable, Hashable, CaseIterable {
    /// Apps, which fetch their own values.
    case client = "firebase"
    /// Server SDKs, which fetch the whole template and evaluate it themselves.
    case server = "firebase-server"
}

/// Information about a version of a template.
public struct TemplateVersion: Sendable, Hashable {
    /// The number, from 1.
    public var number: Int64
    /// The time of publication.
    public var updateTime: Timestamp
    /// The user who published it.
    public var updateUser: String
    /// The tool: `REST_API`, `CONSOLE`, `ADMIN_SDK_NODE`.
    public var updateOrigin: String
    /// The kind of update: `INCREMENTAL_UPDATE`, `FORCED_UPDATE` or `ROLLBACK`.
    public var updateType: String
    /// The purpose.
    public var description: String
    /// The restored version, for a rollback.
    public var rollbackSource: Int64?

    /// Creates information about a version.
    public init(
        number: Int64 = 0,
        updateTime: Timestamp,
        updateUser: String,
        updateOrigin: String,
        updateType: String,
        description: String,
        rollbackSource: Int64? = nil
    ) {
        self.number = number
        self.updateTime = updateTime
        self.updateUser = updateUser
        self.updateOrigin = updateOrigin
        self.updateType = updateType
        self.description = description
        self.rollbackSource = rollbackSource
    }

    /// The maximum number of stored versions.
    public static let limit: Int64 = 300
    /// The maximum size of the templates of all stored versions in bytes. The newest version is always kept.
    public static let byteLimit = 32 << 20
}

/// A stored template.
public struct StoredTemplate: Sendable, Hashable {
    /// Information about the version.
    public var version: TemplateVersion
    /// The etag, which changes with every version.
    public var etag: String
    /// The template in the format of ``ConfigTemplate/json(pretty:)``.
    public var json: String

    /// Creates a stored template.
    public init(
        version: TemplateVersion,
        etag: String,
        json: String
    ) {
        self.version = version
        self.etag = etag
        self.json = json
    }
}

/// A template that is to become a version.
public struct TemplateDraft: Sendable, Hashable {
    /// The project of the template.
    public var project: Project
    /// The namespace of the template.
    public var namespace: ConfigNamespace
    /// The template as JSON.
    public var json: String
    /// The etag of the replaced version.
    public var replaces: String
    /// Information about the version; the store assigns its number.
    public var version: TemplateVersion

    /// Creates a draft.
    public init(
        project: Project,
        namespace: ConfigNamespace,
        json: String,
        replaces: String,
        version: TemplateVersion
    ) {
        self.project = project
        self.namespace = namespace
        self.json = json
        self.replaces = replaces
        self.version = version
    }
}
