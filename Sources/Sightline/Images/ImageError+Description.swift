import Foundation

extension ImageError: CustomStringConvertible, LocalizedError {
    /// One sentence: what failed, what was found, and what to do next.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            "The file \(path) cannot be read: \(reason)."
        case .empty:
            "There is no picture, since there are no bytes: check that the file was written completely."
        case .unsupportedFormat(let found):
            "This is no JPEG, PNG or WebP picture but \(found): \(Self.advice(on: found))."
        case .corrupted(let format, let reason):
            "The \(format) picture is damaged (\(reason)): get an intact copy of it."
        case .tooLarge(let size, let maximumPixels):
            "The picture of \(size.width) × \(size.height) pixels exceeds the limit of \(maximumPixels) pixels: "
                + "shrink it, or raise ImageLimits.maximumPixels."
        case .tooManyBytes(let count, let maximumBytes):
            "The picture's \(count) bytes exceed the limit of \(maximumBytes): "
                + "compress it, or raise ImageLimits.maximumBytes."
        case .outOfMemory(let bytes):
            "There is no memory for \(bytes) bytes of pixels: use a smaller picture or fewer workers."
        case .invalidPixelBuffer(let reason):
            "The pixel buffer does not hold a picture: \(reason)."
        case .invalidRegion(let region, let size):
            "The region \(region.width) × \(region.height) at (\(region.x), \(region.y)) covers nothing of what was "
                + "decoded of the picture of \(size.width) × \(size.height) pixels: choose one inside it."
        case .unsupportedInput(let reason):
            "The model's input cannot be filled with a picture: \(reason)."
        }
    }

    /// What to do with a file that is no picture of a kind that is read.
    private static func advice(on found: String) -> String {
        if found.hasSuffix("video") { return "use `sightline track`, or VideoReader in code" }
        let isPicture = ImageFormat.otherPictures.contains(found)
        return isPicture ? "convert it to one of the three" : "choose another file"
    }

    /// The same sentence, for code that shows any error.
    public var errorDescription: String? { description }
}
