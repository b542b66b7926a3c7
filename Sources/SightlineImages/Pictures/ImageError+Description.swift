import Foundation

extension ImageError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failed action, the findings, and the next step.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            "The file \(path) cannot be read: \(reason); check the name and its permissions."
        case .empty:
            "The picture has no bytes: check that the file was written completely."
        case .unsupportedFormat(let found):
            "Sightline reads \(ImageFormat.readableNames) pictures, but this is \(found): \(FileSignature.advice(on: found))."
        case .missingLibrary(let format, let library, let package):
            "\(format) pictures need \(library), which is not installed: install the package \(package), or "
                + "convert the picture to JPEG."
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
            "The region \(region.width) × \(region.height) at (\(region.x), \(region.y)) covers no decoded pixel of the "
                + "picture of \(size.width) × \(size.height) pixels: choose a region inside it."
        case .unsupportedInput(let reason):
            "The model's input cannot be filled with a picture: \(reason)."
        case .unknownExtension(let path, let found):
            "\(path): pictures are written as \(Self.writableExtensions), not "
                + "\(found.isEmpty ? "without an extension" : "as .\(found)"); choose one of these names."
        case .encodingFailed(let format, let reason):
            "The picture cannot be encoded as \(format) (\(reason)); try the other format or a smaller picture."
        case .unwritable(let path, let reason):
            "\(path) cannot be written (\(reason)); check the folder and its permissions."
        case .diskFull(let path):
            "\(path) cannot be written because the disk is full; free some space."
        }
    }

    /// For example `.jpg or .png`.
    private static var writableExtensions: String {
        ImageFormat.list(ImageFormat.writable.compactMap { $0.fileExtensions.first.map { ".\($0)" } }, "or")
    }

    /// The same sentence, for code that shows any error.
    public var errorDescription: String? { description }
}
