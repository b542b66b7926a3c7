import DurableFiles
import Foundation
import Sightline
import TextFormatting

/// The detections of a video in the format of MOTChallenge (`det.txt`): `frame,-1,left,top,width,height,score`. Up to
/// three more fields are ignored. A score of −1 means that the detector has none; such a detection counts as certain.
///
/// A line that may mean something else is an error, so that no box is read as another one: another number of fields than 7 to 10,
/// a size that is not above 0, or a score above 1.
///
/// Frames count from 1 and may come in any order. ("MOT16: A benchmark for multi-object tracking", Milan et al., 2016,
/// section 3.3.)
public struct MOTDetections: Sendable, Hashable {
    /// The detections of one frame.
    public struct Frame: Sendable, Hashable {
        /// The frame's number, from 1.
        public let number: Int
        /// The detections in the order of the file.
        public internal(set) var detections: [DetectedObject]
    }

    /// The frames with detections, in the order of their numbers. A frame's detections are made when it is read; until then, a box
    /// takes 40 bytes of memory.
    public let frames: Frames
    /// The number of detections without a score.
    public let unscoredCount: Int
    /// The number of detections with another score below 0, which no tracker takes.
    public let negativeCount: Int

    /// A larger number is a mistake.
    static let maximumFrame = 1_000_000_000

    /// Reads a file.
    ///
    /// - Throws: `MOTDetectionsError`.
    public init(contentsOf url: URL) throws(MOTDetectionsError) {
        let path = url.path(percentEncoded: false)
        var lines = MOTLines(name: path)
        do throws(DurableFileError) {
            let file = try FileDescriptor(path, O_RDONLY)
            try file.read { lines.add($0) }
        } catch {
            throw .unreadable(path: path, reason: error.reason)
        }
        try self.init(lines)
    }

    /// Reads the text of a file.
    ///
    /// - Parameters:
    ///   - text: lines of `frame,id,left,top,width,height,score`, in UTF-8, or in UTF-16 with a byte order mark.
    ///   - name: the name of the file in errors.
    /// - Throws: `MOTDetectionsError.invalidLine`.
    public init(_ text: Data, name: String) throws(MOTDetectionsError) {
        var lines = MOTLines(name: name)
        text.withUnsafeBytes { lines.add($0) }
        try self.init(lines)
    }

    private init(_ lines: MOTLines) throws(MOTDetectionsError) {
        var lines = lines
        lines.finish()
        if let failure = lines.failure { throw failure }
        (unscoredCount, negativeCount) = (lines.unscoredCount, lines.negativeCount)
        frames = Frames(lines.boxes)
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}

/// An error of reading detections.
public enum MOTDetectionsError: Error, Sendable, Hashable {
    /// The file cannot be read.
    case unreadable(path: String, reason: String)
    /// A line has the wrong form. Lines count from 1.
    case invalidLine(file: String, line: Int, reason: String)
}

extension MOTDetectionsError: CustomStringConvertible, LocalizedError {
    /// One sentence with the failure and the next step.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            "\(path): the detections cannot be read (\(reason)); check the path and its permissions."
        case .invalidLine(let file, let line, let reason):
            "\(file), line \(line): \(reason); each line must be frame,-1,left,top,width,height,score."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}
