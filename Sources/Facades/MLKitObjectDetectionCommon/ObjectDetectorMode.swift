/// Whether pictures stand alone or follow one another. (`MLKObjectDetectorMode`)
public struct ObjectDetectorMode: RawRepresentable, Sendable, Hashable {
    /// 0 or 1; with any other a detector is one of streams.
    public let rawValue: Int

    /// A mode by its number.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Each picture stands alone; objects have no identity.
    public static let singleImage = ObjectDetectorMode(rawValue: 0)
    /// Pictures follow one another; objects keep an identity from one to the next, and labels come a moment after boxes.
    public static let stream = ObjectDetectorMode(rawValue: 1)
}
