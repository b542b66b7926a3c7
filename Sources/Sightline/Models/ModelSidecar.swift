import Foundation

/// What a model cannot say of itself, said in a file beside it: `yolox_nano.sightline.json` for `yolox_nano.tflite`.
///
/// Every field is optional; what is said here wins over metadata and over what Sightline would assume.
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
    /// How a detector's outputs are to be read.
    public enum Head: String, Sendable, Hashable, Codable, CaseIterable {
        /// Boxes, classes, scores and a count, as the operator TFLite_Detection_PostProcess gives them.
        case ssdPostProcess = "ssd-postprocess"
        /// Box offsets `[1, anchors, 4]` and class scores `[1, anchors, classes]`, to be decoded with anchors.
        case ssdAnchors = "ssd-anchors"
        /// `[1, boxes, 5 + classes]`: centre, size, objectness, class scores.
        case yolov5
        /// `[1, 4 + classes, boxes]` or `[1, boxes, 4 + classes]`: centre, size, class scores. YOLOv8 and YOLO11.
        case yolov8
        /// `[1, cells, 5 + classes]` on a grid of strides 8, 16 and 32.
        case yolox
    }

    /// How the picture is given to the model.
    public struct Input: Sendable, Hashable, Codable {
        /// Width in pixels, where the model leaves it open.
        public var width: Int?
        /// Height in pixels, where the model leaves it open.
        public var height: Int?
        /// The order of colours.
        public var channels: InputFormat.Channels?
        /// What is subtracted from pixel values.
        public var mean: [Float]?
        /// What the difference is divided by.
        public var standardDeviation: [Float]?
        /// `stretch`, `crop` or `letterbox`.
        public var fit: Fit?
        /// Where a letterboxed picture lies.
        public var anchor: ImageFit.LetterboxAnchor?
        /// The pixel value around a letterboxed picture.
        public var fill: UInt8?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case width, height, channels, mean, standardDeviation, fit, anchor, fill
        }

        /// The names of the ways to fit.
        public enum Fit: String, Sendable, Hashable, Codable, CaseIterable {
            /// Squeeze the whole picture to the model's shape.
            case stretch
            /// Take the largest centred part.
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
        /// `[1]`: how many of the n are valid; nil if the model does not say.
        public var count: Int?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case boxes, classes, scores, count
        }
    }

    /// How the outputs are to be read.
    public var head: Head?
    /// How the picture is given to the model.
    public var input: Input?
    /// Which output is which.
    public var outputs: Outputs?
    /// YOLOX: whether boxes come in pixels (true) or as grid offsets (false).
    public var decoded: Bool?
    /// YOLO: whether boxes are fractions of the input (true) or its pixels (false).
    public var normalizedBoxes: Bool?
    /// The name of a label file in the same folder.
    public var labels: String?
    /// Objects or labels below this confidence are dropped unless the caller says otherwise.
    public var scoreThreshold: Float?
    /// Boxes of one class that overlap by more than this IoU are taken for one object.
    public var iouThreshold: Float?
    /// The anchors of a raw SSD head.
    public var anchors: SSDAnchors?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case head, input, outputs, decoded, normalizedBoxes, labels, scoreThreshold, iouThreshold, anchors
    }

    /// Reads the sidecar of a model, if there is one.
    static func load(for model: URL) throws(LocalModelError) -> ModelSidecar? {
        let url = model.deletingPathExtension().appendingPathExtension("sightline.json")
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do {
            let sidecar = try ModelSidecar(lenientJSON: url)
            try checkKeys(of: url)
            return sidecar
        } catch {
            throw .sidecar(path: url.path, reason: error.summary)
        }
    }
}
