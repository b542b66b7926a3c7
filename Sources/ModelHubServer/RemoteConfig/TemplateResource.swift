/// A version of a template as the API describes it.
struct VersionResource: Encodable {
    struct User: Encodable {
        var email: String
    }

    var versionNumber: String
    var updateTime: String
    var updateUser: User?
    var updateOrigin: String
    var updateType: String
    var description: String?
    var rollbackSource: String?

    init(_ version: TemplateVersion) {
        versionNumber = "\(version.number)"
        updateTime = "\(version.updateTime)"
        updateUser = version.updateUser.isEmpty ? nil : User(email: version.updateUser)
        updateOrigin = version.updateOrigin
        updateType = version.updateType
        description = version.description.isEmpty ? nil : version.description
        rollbackSource = version.rollbackSource.map { "\($0)" }
    }
}

/// A template and its version as the API describes them: Firebase's `RemoteConfig` resource.
struct TemplateResource: Encodable {
    private enum Key: String, CodingKey {
        case version
    }

    let published: PublishedTemplate

    func encode(to encoder: any Encoder) throws {
        try published.template.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(VersionResource(published.version), forKey: .version)
    }
}
