/// Why a picture cannot be used.
public enum ImageError: Error, Sendable, Hashable {
    /// The file could not be read.
    case unreadable(path: String, reason: String)
    /// There are no bytes.
    case empty
    /// The bytes are not a picture of a kind that is read here; `found` names what they look like.
    case unsupportedFormat(found: String)
    /// The picture is damaged or cut short.
    case corrupted(format: String, reason: String)
    /// The picture has more pixels than the limit allows.
    case tooLarge(PixelSize, maximumPixels: Int)
    /// The file has more bytes than the limit allows.
    case tooManyBytes(Int, maximumBytes: Int)
    /// There is no memory for the decoded pixels.
    case outOfMemory(bytes: Int)
    /// A pixel buffer's planes do not hold what its size and format need.
    case invalidPixelBuffer(reason: String)
    /// The region asked for lies outside the picture or is empty.
    case invalidRegion(PixelRect, in: PixelSize)
    /// The tensor's format cannot be written, for example float64 elements.
    case unsupportedInput(reason: String)
}
