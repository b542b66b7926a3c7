import Foundation
import Sightline

/// A reason why the pictures of a folder cannot be compared.
public enum PictureIndexError: Error, Sendable, Hashable {
    /// The folder cannot be read; `reason` is a clause.
    case unreadable(path: String, reason: String)
    /// The folder has no pictures.
    case noPictures(path: String)
    /// None of the folder's pictures can be read; `reason` is that of the first.
    case noUsablePicture(path: String, reason: String)
    /// The folder has too many pictures.
    case tooManyPictures(path: String, maximum: Int)
}

extension PictureIndexError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure and the next step.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)."
        case .noPictures(let path):
            "\(path) holds no pictures (\(ImageFormat.readable.map(\.name).joined(separator: ", "))); name another folder."
        case .noUsablePicture(let path, let reason):
            "No picture in \(path) can be read; name another folder. The first one: \(reason)"
        case .tooManyPictures(let path, let maximum):
            "\(path) holds more than \(maximum) pictures; name a folder in it."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}
