import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation
import TextFormatting

struct EvaluateBoxesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boxes",
        abstract: "Measure a detector on pictures with annotations of COCO or YOLO.",
        discussion: """
            AP and AR are computed as in pycocotools: over IoU .50, .55 … .95 and 101 recalls, for objects of all, small, \
            medium and large areas, with 1, 10 and 100 detections. Crowds count neither as found nor as missed. A label of the \
            model stands for the category with its name. "Any object" treats all categories as one.

            Without --model, the command measures the built-in detector.

            Examples:
              sightline evaluate boxes annotations.json --images photos/ \\
                --model coco-ssd-mobilenet-v1
              sightline evaluate boxes street.zip --model coco-ssd-mobilenet-v1
              sightline evaluate boxes dataset/data.yaml --model yolox-nano-ti-lite
              sightline evaluate boxes annotations.json --images photos/ \\
                --model yolox-nano-ti-lite --html report.html
              sightline evaluate boxes annotations.json --images photos/ --masks \\
                --model yolo11n-seg.tflite
              sightline evaluate boxes aerial.zip --model yolox-nano-ti-lite --slice 640
              sightline evaluate boxes people.json --keypoints --detections results.json
              sightline evaluate boxes annotations.json --detections results.json \\
                --format json | jq .summary.ap

            \(EvaluationArguments.exitCodes)
            """
    )

    @Argument(
        help: """
            Annotations in COCO's format, or a zip archive with them and their pictures; or the folder or data.yaml of a data set of \
            YOLO, with the folders images and labels.
            """,
        completion: .file()
    )
    var annotations: String

    @Option(
        help: """
            The folder of the pictures (default: the folder images beside the annotations, or the folders of the data set; not for an \
            archive).
            """,
        completion: .directory
    )
    var images: String?

    @Option(help: "Measure these detections, in COCO's format for results, instead of a model.", completion: .file())
    var detections: String?

    @Flag(help: "Compare key points instead of boxes, by COCO's similarity OKS, and with 20 detections.")
    var keypoints = false

    @Flag(
        help: """
            Compare the masks of objects instead of their boxes, as pycocotools with the iouType segm. The annotations need outlines: \
            segmentation in COCO's format (polygons or RLE), or YOLO's labels for segmentation.
            """
    )
    var masks = false

    @OptionGroup var slicing: SliceArguments
    @OptionGroup var arguments: EvaluationArguments

    func validate() throws {
        if detections != nil, arguments.model.model != nil {
            throw ValidationError("Give either --model or --detections, not both.")
        }
        if keypoints, masks { throw ValidationError("Give either --keypoints or --masks, not both.") }
        if detections != nil, slicing.slice != nil {
            throw ValidationError("--slice is for a model; detections in a file were found already.")
        }
    }

    func run() async throws {
        let known = try reporting {
            try AnnotatedPictures(
                contentsOf: URL(filePath: annotations),
                pictures: images.map { URL(filePath: $0) },
                masks: masks
            )
        }
        let report =
            if let detections { try report(ofDetections: detections, known) } else { try await reportOfModel(known) }
        try arguments.print(report, of: known.files, ThresholdChoice())
    }

    private func report(ofDetections path: String, _ known: AnnotatedPictures) throws -> BoxReport {
        try reporting {
            let annotations = try compared(known).annotations
            let found = try BoxDetections(contentsOf: URL(filePath: path), for: annotations)
            if found.unscoredCount > 0 {
                StandardError.report(
                    "\(NumberText.count(found.unscoredCount, "detection")) without a score (-1) counted as certain."
                )
            }
            return BoxEvaluator.evaluate(found, annotations)
        }
    }

    /// The pictures, for the comparison that is asked for.
    private func compared(_ known: AnnotatedPictures) throws -> AnnotatedPictures {
        keypoints ? try known.comparingKeypoints() : known
    }

    private func reportOfModel(_ known: AnnotatedPictures) async throws -> BoxReport {
        var options = BoxEvaluatorOptions()
        if let model = try arguments.model.localModel() { options.model = model }
        options.optimizesModel = arguments.model.optimize ?? false
        if let workers = arguments.workers { options.workers = workers }
        options.slices = slicing.slices
        let model = RequestedModel(options.model, named: arguments.model.name, for: .detection)
        let evaluator = try loading([model]) { try BoxEvaluator(options: options) }
        return try await reporting { try await arguments.report(of: evaluator, on: compared(known)) }
    }
}
