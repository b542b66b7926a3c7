/// The users of a template.
package enum ConfigNamespace: String, Sendable, Hashable, CaseIterable {
    /// Apps, which fetch their own values.
    case client = "firebase"
    /// Server SDKs, which fetch the whole template and evaluate it themselves.
    case server = "firebase-server"
}

/// Information about a version of a template.
package struct TemplateVersion: Sendable, Hashable {
    /// The number, from 1.
    package var number: Int64 = 0
    /// The time of publication.
    package var updateTime: Timestamp
    /// The user who published it.
    package var updateUser: String
    /// The tool: `REST_API`, `CONSOLE`, `ADMIN_SDK_NODE`.
    package var updateOrigin: String
    /// The kind of update: `INCREMENTAL_UPDATE`, `FORCED_UPDATE` or `ROLLBACK`.
    package var updateType: String
    /// The purpose.
    package var description: String
    /// The restored version, for a rollback.
    package var rollbackSource: Int64?

    /// The maximum number of stored versions.
    package static let limit: Int64 = 300
    /// The maximum size of the templates of all stored versions in bytes. The newest version is always kept.
    package static let byteLimit = 32 << 20
}

/// A stored template.
package struct StoredTemplate: Sendable, Hashable {
    /// Information about the version.
    package var version: TemplateVersion
    /// The etag, which changes with every version.
    package var etag: String
    /// The template in the format of ``ConfigTemplate/json(pretty:)``.
    package var json: String
}

/// A template that is to become a version.
package struct TemplateDraft: Sendable, Hashable {
    /// The project of the template.
    package var project: Project
    /// The namespace of the template.
    package var namespace: ConfigNamespace
    /// The template as JSON.
    package var json: String
    /// The etag of the replaced version.
    package var replaces: String
    /// Information about the version; the store assigns its number.
    package var version: TemplateVersion
}
