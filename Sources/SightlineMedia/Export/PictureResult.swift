import Sightline

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

extension StreamResult {
    /// The path of a frame as a numbered picture of a data set, from `000001.jpg`.
    package var path: String {
        let number = "\(index + 1)"
        return String(repeating: "0", count: max(6 - number.count, 0)) + number + ".jpg"
    }
}
