import Foundation

/// A version of a template in the API.
struct VersionResource: Encodable {
    struct User: Encodable {
        var email: String?
    }

    var versionNumber: String
    var updateTime: String
    /// Without fields if the version has no publisher; PHP's client needs it.
    var updateUser: User
    var updateOrigin: String
    var updateType: String
    var description: String?
    var rollbackSource: String?

    init(_ version: TemplateVersion) {
        versionNumber = "\(version.number)"
        updateTime = "\(version.updateTime)"
        updateUser = User(email: version.updateUser.isEmpty ? nil : version.updateUser)
        updateOrigin = version.updateOrigin
        updateType = version.updateType
        description = version.description.isEmpty ? nil : version.description
        rollbackSource = version.rollbackSource.map { "\($0)" }
    }
}

/// A template and its version in the API: Firebase's `RemoteConfig` resource.
struct TemplateResource {
    /// The resource as JSON.
    let json: String

    init(_ stored: StoredTemplate) throws { try self.init(stored.json, version: VersionResource(stored.version)) }

    /// A template that was only checked, so that it has no version apart from the description.
    init(checked: PublishedTemplate) throws {
        let description = checked.version.description
        if description.isEmpty {
            self.init(json: checked.json)
        } else {
            try self.init(checked.json, version: ["description": description])
        }
    }

    private init(json: String) { self.json = json }

    /// Appends the version to the fields of the stored JSON without parsing the JSON.
    private init(_ stored: String, version: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let version = String(decoding: try encoder.encode(version), as: UTF8.self)
        // The JSON is an object, so its last character is a brace. In sorted order `version` comes after all other
        // keys.
        json = "\(stored.dropLast())\(stored == "{}" ? "" : ",")\"version\":\(version)}"
    }
}

extension PublishedTemplate {
    /// The template as stored.
    var stored: StoredTemplate { StoredTemplate(version: version, etag: etag, json: json) }
}
