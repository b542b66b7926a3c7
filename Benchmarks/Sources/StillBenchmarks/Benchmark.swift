import Foundation
import Sightline

/// One row of the table: a task on a picture.
struct Benchmark {
    /// The task for the picture.
    enum Task {
        case label(model: String, fit: ImageFit)
        case detect(model: String)
        /// The classifier names at most five objects that the model is at least so sure of.
        case detectAndClassify(model: String, classifier: String, minimumScore: Float)
    }

    /// `Area:Thing:Case`.
    let name: String
    let task: Task
    /// The picture's name in the folder that pictures.py filled.
    let picture: String

    /// The maximum number of objects that the second stage names.
    static let classifiedObjects = 5

    /// Every row, in the order of the table. Models are named relative to the `models` folder of the real data.
    ///
    /// A row for a YOLO model stands first when the model's path is given: the real data has no such model.
    ///
    /// Labeling stretches the picture, as the peers do, so that all do the same work.
    static func all(yolo: String? = nil) -> [Benchmark] {
        let quantized = "classifiers/mobilenet_v2_1.0_224_quant.tflite"
        let tiny = "classifiers/mobilenet_v1_0.25_224_float.tflite"
        let ssd = "coco_ssd/detect_with_metadata.tflite"
        let localizer = "object_localizer/mobile_object_localizer_v1.tflite"
        let namer = "classifiers/object_labeler.tflite"
        let yoloRows = yolo.map {
            [Benchmark(name: "Detect:YOLO:1080p", task: .detect(model: $0), picture: "1080p.jpg")]
        }
        return (yoloRows ?? []) + [
            Benchmark(
                name: "Label:MobileNetV2:1080p",
                task: .label(model: quantized, fit: .stretch),
                picture: "1080p.jpg"
            ),
            Benchmark(
                name: "Label:MobileNetV2:12MP",
                task: .label(model: quantized, fit: .stretch),
                picture: "12mp.jpg"
            ),
            Benchmark(
                name: "Label:MobileNetV2:12MPProgressive",
                task: .label(model: quantized, fit: .stretch),
                picture: "12mp_progressive.jpg"
            ),
            Benchmark(
                name: "Label:MobileNetV1Tiny:1080p",
                task: .label(model: tiny, fit: .stretch),
                picture: "1080p.jpg"
            ),
            Benchmark(name: "Detect:COCOSSD:1080p", task: .detect(model: ssd), picture: "1080p.jpg"),
            Benchmark(name: "Detect:COCOSSD:12MP", task: .detect(model: ssd), picture: "12mp.jpg"),
            Benchmark(
                name: "Detect:TwoStageOneObject:12MP",
                task: .detectAndClassify(model: localizer, classifier: namer, minimumScore: 0.5),
                picture: "12mp.jpg"
            ),
            Benchmark(
                name: "Detect:TwoStageFiveObjects:1080p",
                task: .detectAndClassify(model: localizer, classifier: namer, minimumScore: 0),
                picture: "1080p.jpg"
            ),
            Benchmark(
                name: "Detect:TwoStageFiveObjects:12MP",
                task: .detectAndClassify(model: localizer, classifier: namer, minimumScore: 0),
                picture: "12mp.jpg"
            ),
        ]
    }
}

extension URL {
    /// The file of a model that a benchmark names. An absolute path stands for itself.
    ///
    /// The URL is the folder of the models.
    func model(_ path: String) -> URL {
        path.hasPrefix("/") ? URL(filePath: path) : appending(path: path)
    }
}
