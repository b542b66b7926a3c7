/// The reason for which a picture cannot be read, used or written.
public enum ImageError: Error, Sendable, Hashable {
    /// The file cannot be read.
    case unreadable(path: String, reason: String)
    /// There are no bytes.
    case empty
    /// The bytes are not a picture of a readable format; `found` names the format that they resemble.
    case unsupportedFormat(found: String)
    /// The format needs a library that is not installed; `package` names the Debian package with it.
    case missingLibrary(format: String, library: String, package: String)
    /// The picture is damaged or cut short.
    case corrupted(format: String, reason: String)
    /// The picture has more pixels than the limit allows.
    case tooLarge(PixelSize, maximumPixels: Int)
    /// The file has more bytes than the limit allows.
    case tooManyBytes(Int, maximumBytes: Int)
    /// There is no memory for the decoded pixels.
    case outOfMemory(bytes: Int)
    /// The planes of a pixel buffer do not fit its size and format.
    case invalidPixelBuffer(reason: String)
    /// The region lies outside the picture or is empty.
    case invalidRegion(PixelRect, in: PixelSize)
    /// No picture can be written into a tensor of this format, for example into float64 elements.
    case unsupportedInput(reason: String)
    /// The path does not have the extension of a writable format.
    case unknownExtension(path: String, found: String)
    /// The picture cannot be stored in a file of that format.
    case encodingFailed(format: String, reason: String)
    /// The file cannot be written. An older file of that name is unchanged.
    case unwritable(path: String, reason: String)
    /// The disk has no room for the file. An older file of that name is unchanged.
    case diskFull(path: String)

    static func cutShort(_ format: String) -> ImageError { .corrupted(format: format, reason: "it is cut short") }
}
