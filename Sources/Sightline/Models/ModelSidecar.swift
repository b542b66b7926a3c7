import Foundation
import TensorFlowLite

/// A description of a model in a file beside it: `yolox_nano.sightline.json` describes `yolox_nano.tflite`.
///
/// A model with several outputs can have several descriptions, which name it as their ``model``. Such a description is then used in
/// place of the model: `LocalModel(url: description)`.
///
/// Every field is optional. A field takes precedence over the model's metadata and over Sightline's own assumptions.
///
/// ```json
/// {
///   "head": "yolox",
///   "input": { "channels": "bgr", "mean": [0], "standardDeviation": [1],
///              "fit": "letterbox", "anchor": "topLeft", "fill": 114 },
///   "decoded": false,
///   "labels": "coco.txt",
///   "scoreThreshold": 0.3
/// }
/// ```
public struct ModelSidecar: Sendable, Hashable, Codable {
    /// The name of a detector head: the way in which a model's outputs hold its boxes.
    ///
    /// Making a detector throws ``LocalModelError/sidecar(path:reason:)`` for a name that Sightline does not know.
    public struct Head: RawRepresentable, Sendable, Hashable, Codable {
        /// The name as the file has it.
        public let rawValue: String

        /// A name, whether Sightline knows it or not.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The conversion of a picture to the model's input.
    public struct Input: Sendable, Hashable, Codable {
        /// Width in pixels, where the model leaves it open.
        public var width: Int?
        /// Height in pixels, where the model leaves it open.
        public var height: Int?
        /// The width of a second, smaller input of the same shape, where the model leaves its size open: a detector sees the whole
        /// picture in both, since what fills a picture is easier to recognize when it is small.
        public var overview: Int?
        /// The order of colors.
        public var channels: InputFormat.Channels?
        /// The numbers that are subtracted from pixel values.
        public var mean: [Float]?
        /// The numbers by which the differences are divided.
        public var standardDeviation: [Float]?
        /// `stretch`, `crop` or `letterbox`.
        public var fit: Fit?
        /// Where a letterboxed picture lies.
        public var anchor: ImageFit.LetterboxAnchor?
        /// The pixel value around a letterboxed picture.
        public var fill: UInt8?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case width, height, overview, channels, mean, standardDeviation, fit, anchor, fill
        }

        /// The names of the ways to fit.
        public enum Fit: String, Sendable, Hashable, Codable, CaseIterable {
            /// Squeeze the whole picture to the model's shape.
            case stretch
            /// Take the largest centered part.
            case crop
            /// Keep the shape and fill the rest.
            case letterbox
        }
    }

    /// Which output is which in an SSD post-process model.
    public struct Outputs: Sendable, Hashable, Codable {
        /// `[1, n, 4]`: top, left, bottom, right as fractions of the picture.
        public var boxes: Int
        /// `[1, n]`: class indices.
        public var classes: Int
        /// `[1, n]`: confidences.
        public var scores: Int
        /// `[1]`: the number of valid rows; nil if the model does not give it.
        public var count: Int?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case boxes, classes, scores, count
        }
    }

    /// The scales of a classifier's scores.
    public enum ScoreScale: String, Sendable, Hashable, Codable, CaseIterable {
        /// Confidences in 0…1, which are reported as they are.
        case probabilities
        /// Numbers without bounds, of which softmax makes confidences.
        case logits
    }

    /// The name of the model's file in the same folder, if it is not named like the sidecar.
    public var model: String?
    /// The kind of the outputs; nil to find it out from the model.
    public var head: Head?
    /// The conversion of a picture to the model's input.
    public var input: Input?
    /// Which output is which.
    public var outputs: Outputs?
    /// The index of the output with the scores of a classifier, for a model with several outputs.
    public var scoreOutput: Int?
    /// The scale of a classifier's scores, where the model does not show it, as after a last dense layer without an activation.
    public var scoreScale: ScoreScale?
    /// YOLOX: whether boxes come in pixels (true) or as grid offsets (false).
    public var decoded: Bool?
    /// YOLO: whether boxes are fractions of the input (true) or its pixels (false).
    public var normalizedBoxes: Bool?
    /// The name of a label file in the same folder.
    public var labels: String?
    /// Objects or labels below this confidence are dropped, unless the caller gives a threshold.
    public var scoreThreshold: Float?
    /// Boxes of one class that overlap by more than this IoU count as one object.
    public var iouThreshold: Float?
    /// The anchors of a raw SSD head.
    public var anchors: SSDAnchors?
    /// The label of the class that stands for an object of any kind, if the model has one. The score of this class then shows how
    /// sure a box is, and the other classes name it.
    public var objectLabel: String?
    /// The confidences from which single labels are reported, by label, unless the caller gives thresholds.
    public var labelThresholds: [String: Float]?
    /// Names for what could be one of several classes.
    public var groups: [Group]?
    /// The objects whose names are reported from a lower confidence on.
    public var largeObjects: LargeObjects?
    /// The boxes of the built-in detector that a classifier names; nil for a model that works alone.
    public var proposals: Proposals?

    /// Objects that cover much of the picture, whose missing names people notice most.
    public struct LargeObjects: Sendable, Hashable, Codable {
        /// The share of the picture from which an object is large, 0…1.
        public var share: Float
        /// The number by which ``labelThresholds`` and the thresholds of ``groups`` are lower for large objects.
        public var lowering: Float

        enum CodingKeys: String, CodingKey, CaseIterable {
            case share, lowering
        }
    }

    /// A name for several classes, which is reported where the most confident class is one of them and is not sure enough.
    public struct Group: Sendable, Hashable, Codable {
        /// The name, for example `animal`.
        public var name: String
        /// The labels of the classes.
        public var labels: [String]
        /// The confidence of the class from which the name is reported.
        public var threshold: Float
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case model, head, input, outputs, scoreOutput, scoreScale, decoded, normalizedBoxes, labels, scoreThreshold
        case iouThreshold, anchors
        case objectLabel, labelThresholds, groups, largeObjects, proposals
    }

    /// The name of a sidecar that is packed into a model.
    package static let packedName = "sightline.json"

    /// The end of the name of a sidecar.
    static let suffix = ".sightline.json"

    /// Where the sidecar of a model lies, if there is one.
    static func url(for model: URL) -> URL {
        model.deletingPathExtension().appendingPathExtension(packedName)
    }

    /// The model that a sidecar describes.
    static func model(describedBy sidecar: URL) throws(LocalModelError) -> URL {
        let folder = sidecar.deletingLastPathComponent()
        if let name = try read(sidecar.path, { try ModelText.content(of: sidecar) }).model {
            return folder.appending(path: name)
        }
        let stem = String(sidecar.lastPathComponent.dropLast(suffix.count))
        let files = ModelFormat.extensions.map { folder.appending(path: "\(stem).\($0)") }
        return files.first { FileManager.default.fileExists(atPath: $0.path) } ?? files[0]
    }

    /// Reads a sidecar: a file, otherwise the file `sightline.json` that is packed into the model.
    ///
    /// - Returns: the sidecar, which is empty where there is neither, and its place for messages.
    static func load(
        from file: URL,
        orInside model: any InferenceModel,
        at url: URL
    ) throws(LocalModelError) -> (sidecar: ModelSidecar, path: String) {
        if FileManager.default.fileExists(atPath: file.path) {
            let sidecar = try read(file.path) { try ModelText.content(of: file) }
            if let name = sidecar.model, name != url.lastPathComponent {
                throw .sidecar(path: file.path, reason: "it describes \(name), not \(url.lastPathComponent)")
            }
            return (sidecar, file.path)
        }
        guard model.associatedFileNames.contains(packedName) else { return (ModelSidecar(), file.path) }
        let path = "\(packedName) inside \(url.path)"
        return (try read(path) { try model.associatedFile(named: packedName) }, path)
    }

    private static func read(_ path: String, _ content: () throws -> Data) throws(LocalModelError) -> ModelSidecar {
        do {
            let content = try content()
            let sidecar = try ModelSidecar(lenientJSON: content)
            try checkKeys(of: content)
            return sidecar
        } catch {
            throw .sidecar(path: path, reason: error.summary)
        }
    }
}
