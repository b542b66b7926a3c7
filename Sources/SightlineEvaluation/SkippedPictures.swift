/// The pictures that could not be used, and why.
public struct SkippedPictures: Sendable, Hashable, Codable {
    /// One of them.
    public struct Picture: Sendable, Hashable, Codable {
        /// Its path in the folder or archive.
        public var path: String
        /// Why, in one sentence.
        public var reason: String

        /// A picture by its parts.
        public init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// How many there are.
    public var count = 0
    /// The first hundred.
    public var pictures: [Picture] = []

    static let maximumPictures = 100

    /// None.
    public init() {}

    mutating func add(_ path: String, _ reason: String) {
        count += 1
        if pictures.count < Self.maximumPictures { pictures.append(Picture(path: path, reason: reason)) }
    }
}
