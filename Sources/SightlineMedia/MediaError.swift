import Foundation
import Sightline

/// Why an annotated picture, a file of results or a preview could not be made or written.
public enum MediaError: Error, Sendable, Hashable {
    /// The picture itself cannot be used.
    case image(ImageError)
    /// The path does not end in the name of a format that is written here.
    case unknownExtension(path: String, found: String)
    /// The file could not be written; nothing is left behind.
    case unwritable(path: String, reason: String)
    /// The picture could not be turned into a file of that format.
    case encodingFailed(format: String, reason: String)
    /// Boxes and text could not be drawn.
    case drawingFailed(reason: String)
    /// The preview cannot listen at the port.
    case previewUnavailable(port: Int, reason: String)
}

extension MediaError: CustomStringConvertible, LocalizedError {
    /// What failed and what to do about it, in one sentence.
    public var description: String {
        switch self {
        case .image(let error):
            "\(error)"
        case .unknownExtension(let path, let found):
            "\(path): pictures are written as .png, .jpg or .jpeg, not \(found.isEmpty ? "without extension" : ".\(found)"); "
                + "choose one of these names."
        case .unwritable(let path, let reason):
            "\(path) could not be written (\(reason)); check the folder and its permissions."
        case .encodingFailed(let format, let reason):
            "The picture could not be encoded as \(format) (\(reason)); try the other format or a smaller picture."
        case .drawingFailed(let reason):
            "Boxes and text could not be drawn (\(reason)); check that the Cairo library and a font are installed."
        case .previewUnavailable(let port, let reason):
            "The preview cannot listen at port \(port) (\(reason)); choose another port."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}
