import Foundation
import TensorFlowLite

/// A detection model: what it takes, how its outputs are read, what its classes are called.
struct DetectionModel: Sendable {
    let files: ModelFiles
    let input: ImageInput
    let head: any DetectorHead
    let names: ClassNames

    /// Reads a model's files and checks that it is a detector.
    init(_ local: LocalModel) throws {
        try self.init(files: ModelFiles(local))
    }

    init(files: ModelFiles) throws {
        self.files = files
        head = try Self.head(files)
        input = try ImageInput(files, floatRange: head.floatRange, channels: head.channels)
        names = try files.classNames(detectorWith: head.classCount)
    }

    private static func head(_ files: ModelFiles) throws -> any DetectorHead {
        let said = files.sidecar.head
        if said == nil || said == .ssdPostProcess, let head = try SSDPostProcessHead(files) { return head }
        if said == nil || said == .ssdAnchors, let head = try SSDAnchorHead(files) { return head }
        if said == nil || said == .yolov5 || said == .yolov8 || said == .yolox {
            // The version does not change which input takes the picture, nor its size.
            let input = try ImageInput(files, floatRange: .pixelValues)
            let head = try YOLOHead.find(in: files, inputSize: input.format.size) { draft in
                try probe(files, input: input, head: draft)
            }
            if let head { return head }
        }
        let outputs = files.model.outputs.map { "\($0.name) \($0.shape.dimensions)" }.joined(separator: ", ")
        throw LocalModelError.output(
            model: files.name,
            reason: said.map { "the sidecar file says \($0.rawValue), which its outputs (\(outputs)) are not" }
                ?? "its outputs (\(outputs)) are those of no detector that is known here"
        )
    }

    /// What a YOLO model gives for a grey picture.
    private static func probe(_ files: ModelFiles, input: ImageInput, head: YOLOHead) throws -> [Float]? {
        let grey = Data(repeating: 128, count: 3)
        let pixels = try PixelBuffer(
            format: .rgb,
            width: 1,
            height: 1,
            planes: [PixelBuffer.Plane(data: grey, bytesPerRow: 3)]
        )
        let image = VisionImage(pixels: pixels)
        let actual = try ImageInput(files, floatRange: head.floatRange, channels: head.channels)
        var runner = try ModelRunner(files: files, input: actual, threads: 1)
        let placement = Placement(PixelRect(image.size), into: actual.format.size, fit: .stretch)
        try runner.write(placement, of: try image.decoded(for: [placement]))
        try runner.run()
        return try head.allValues(of: runner.interpreter, values: &runner.outputs)
    }

    /// The score threshold: an explicit valid value, the model's own, then the usual one for its kind.
    func scoreThreshold(explicit: Float?) -> Float {
        explicit?.validConfidence ?? files.recommendedThreshold ?? head.defaultScoreThreshold
    }

    /// The IoU threshold; nil where the model suppresses overlapping boxes itself.
    func iouThreshold(explicit: Float?) -> Float? {
        explicit?.validConfidence ?? files.sidecar.iouThreshold?.validConfidence ?? head.defaultIoUThreshold
    }

    /// How pictures are fitted: what the sidecar says, otherwise as this kind of model is trained.
    var fit: ImageFit { files.sidecar.fit(preferred: head.fit) }

    /// Whether the model only says that there is an object, not what it is.
    var isClassAgnostic: Bool { head.classCount == 1 }

    /// A compiled copy of the model for one owner.
    func makeRunner(threads: Int) throws -> ModelRunner {
        try ModelRunner(files: files, input: input, threads: threads)
    }
}
