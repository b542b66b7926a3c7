import Foundation
import Sightline

/// The results for one picture or for one frame of a stream.
public enum ResultRecord: Sendable {
    /// The results for a picture.
    case picture(PictureResult)
    /// The results for a frame, and the events of `StreamHistory` in it.
    case frame(StreamResult, events: [StreamEvent] = [])

    /// The objects; empty for a picture with labels only and for a failed picture.
    public var objects: [DetectedObject] {
        switch self {
        case .picture(let picture): picture.objects
        case .frame(let result, _): result.objects
        }
    }

    /// The size of the upright picture in pixels; nil for a failed picture.
    public var size: PixelSize? {
        switch self {
        case .picture(let picture): picture.size
        case .frame(let result, _): result.size
        }
    }

    /// The path of the picture relative to its data set. A frame has the path of a numbered picture, from `000001.jpg`.
    public var path: String {
        switch self {
        case .picture(let picture):
            return picture.path
        case .frame(let result, _):
            let number = "\(result.index + 1)"
            return String(repeating: "0", count: max(6 - number.count, 0)) + number + ".jpg"
        }
    }
}

/// The results for one picture.
public struct PictureResult: Sendable {
    /// The result of an analysis, or the reason why there is none.
    public enum Outcome: Sendable {
        /// The objects in the picture.
        case objects(DetectionResult)
        /// The labels of the whole picture.
        case labels(LabelingResult)
        /// One sentence: what failed and the next step.
        case failure(String)
    }

    /// The name of the picture in results.
    public var name: String
    /// A relative path without `..`, which differs from the paths of other pictures. Sinks use it for files that belong to the
    /// picture.
    public var path: String
    /// The result of the analysis, or the reason why there is none.
    public var outcome: Outcome

    /// Creates the results for a picture.
    ///
    /// - Parameters:
    ///   - name: the name of the picture in results.
    ///   - path: a relative path without `..`; nil for the name.
    ///   - outcome: the result of the analysis, or the reason why there is none.
    public init(name: String, path: String? = nil, outcome: Outcome) {
        self.name = name
        self.path = path ?? name
        self.outcome = outcome
    }

    /// The objects; empty for a picture with labels only and for a failed picture.
    public var objects: [DetectedObject] {
        if case .objects(let result) = outcome { result.objects } else { [] }
    }

    /// The size of the upright picture in pixels; nil for a failed picture.
    public var size: PixelSize? {
        switch outcome {
        case .objects(let result): result.size
        case .labels(let result): result.size
        case .failure: nil
        }
    }
}

/// A kind of results. A format supports one or more of them.
public enum ResultKind: Sendable, Hashable, CaseIterable {
    /// Objects in pictures.
    case objects
    /// Labels of pictures.
    case labels
    /// Tracked objects in the frames of a stream.
    case frames
}
