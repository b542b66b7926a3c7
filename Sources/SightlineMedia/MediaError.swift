import DurableFiles
import Foundation
import Sightline

/// An error of drawing pictures, writing results or showing a preview.
public enum MediaError: Error, Sendable, Hashable {
    /// The picture itself cannot be used.
    case image(ImageError)
    /// The file of results could not be written.
    case unwritable(path: String, reason: String)
    /// The disk has no room for the results.
    case diskFull(path: String)
    /// Another program, or another output of this one, writes the file.
    case inUse(path: String)
    /// The file has other contents than results of this kind. They are unchanged.
    case otherContents(path: String, reason: String)
    /// Boxes and text could not be drawn.
    case drawingFailed(reason: String)
    /// The format cannot hold these results, or cannot be written there.
    case unsupportedResults(format: String, reason: String)
    /// The preview cannot listen at the port.
    case previewUnavailable(port: Int, reason: String)
}

extension MediaError: CustomStringConvertible, LocalizedError {
    /// One sentence with the failure and the next step.
    public var description: String {
        switch self {
        case .image(let error):
            "\(error)"
        case .unwritable(let path, let reason):
            "\(path) could not be written (\(reason)); check the folder and its permissions."
        case .diskFull(let path):
            "\(path) could not be written, because the disk is full; free some space."
        case .inUse(let path):
            "\(path) is being written by another program or for another camera; name another file."
        case .otherContents(let path, let reason):
            "Results cannot be added to \(path), because \(reason); name another file."
        case .drawingFailed(let reason):
            "Boxes and text could not be drawn (\(reason)); install the packages libcairo2 and fonts-dejavu-core."
        case .unsupportedResults(let format, let reason):
            "Results cannot be written as \(format): \(reason)."
        case .previewUnavailable(let port, let reason):
            "The preview cannot listen at port \(port) (\(reason)); choose another port."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}

extension MediaError {
    /// The error of a file that could not be written, for the error of the system or of Foundation.
    init(writing path: String, _ error: any Error) {
        let system = error as? DurableFileError
        let isForSpace = system?.isForSpace ?? ((error as? CocoaError)?.code == .fileWriteOutOfSpace)
        self = isForSpace ? .diskFull(path: path) : .unwritable(path: path, reason: SystemReason.of(error))
    }
}
