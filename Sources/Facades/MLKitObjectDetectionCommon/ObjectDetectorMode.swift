/// Whether pictures are independent or form a stream. (`MLKObjectDetectorMode`)
public struct ObjectDetectorMode: RawRepresentable, Sendable, Hashable {
    /// 0 or 1; every other number means a stream.
    public let rawValue: Int

    /// Creates a mode from its number.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Pictures are independent; objects have no identity.
    public static let singleImage = ObjectDetectorMode(rawValue: 0)
    /// Pictures form a stream; objects keep their identity from picture to picture, and get their labels a moment after
    /// their boxes.
    public static let stream = ObjectDetectorMode(rawValue: 1)
}
