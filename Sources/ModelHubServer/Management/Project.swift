/// A project, which owns models, credentials and uploads.
public struct Project: Sendable, Hashable, Codable {
    /// The id: 6 to 30 lower-case letters, digits and hyphens, beginning with a letter.
    public var id: String
    /// The number, which clients may use instead of the id; 0 until the store assigns one.
    public var number: Int64
    /// The time of its creation.
    public var createTime: Timestamp
    /// The maximum size of its files in bytes; nil for no limit.
    public var quota: Int?
    /// Whether a download requires an installation token in addition to the API key.
    public var requiresInstallation: Bool

    /// Creates a project.
    public init(
        id: String,
        number: Int64 = 0,
        createTime: Timestamp,
        quota: Int? = nil,
        requiresInstallation: Bool = false
    ) {
        self.id = id
        self.number = number
        self.createTime = createTime
        self.quota = quota
        self.requiresInstallation = requiresInstallation
    }
}
