/// The pictures that could not be used, and the reasons.
public struct SkippedPictures: Sendable, Hashable, Codable {
    /// A skipped picture.
    public struct Picture: Sendable, Hashable, Codable {
        /// The picture's path within the folder or archive.
        public var path: String
        /// The reason, in one sentence.
        public var reason: String

        /// Creates a skipped picture.
        public init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// The number of skipped pictures.
    public var count = 0
    /// The first hundred skipped pictures.
    public var pictures: [Picture] = []

    static let maximumPictures = 100

    /// Creates an empty list.
    public init() {}

    /// Adds a picture.
    package mutating func add(_ path: String, _ reason: String) {
        count += 1
        if pictures.count < Self.maximumPictures { pictures.append(Picture(path: path, reason: reason)) }
    }

    /// Adds the pictures of another list.
    package mutating func add(_ other: SkippedPictures) {
        count += other.count
        pictures += other.pictures.prefix(max(Self.maximumPictures - pictures.count, 0))
    }
}
