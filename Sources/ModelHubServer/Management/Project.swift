/// A project, which owns models, credentials and uploads.
package struct Project: Sendable, Hashable, Codable {
    /// The id: 6 to 30 lower-case letters, digits and hyphens, beginning with a letter.
    package var id: String
    /// The number, which clients may use instead of the id; 0 until the store assigns one.
    package var number: Int64 = 0
    /// The time of its creation.
    package var createTime: Timestamp
    /// The maximum size of its files in bytes; nil for no limit.
    package var quota: Int?
    /// Whether a download requires an installation token in addition to the API key.
    package var requiresInstallation = false
}
