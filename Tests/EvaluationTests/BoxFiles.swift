import Foundation
import Sightline
import SightlineEvaluation
import SightlineTestSupport

/// Annotations and detections in COCO's format, made by tests.
struct BoxFiles {
    typealias Object = (picture: Int, category: Int, box: [Double], isCrowd: Bool)
    typealias Box = (picture: Int, category: Int, box: [Double], score: Double)

    var pictureCount = 2
    var categories = ["red", "green", "blue"]
    var objects: [Object] = []
    var boxes: [Box] = []

    /// The annotations, as text.
    var annotations: Data {
        get throws {
            try JSONSerialization.data(withJSONObject: [
                "images": (0..<pictureCount).map {
                    ["id": $0 + 1, "file_name": "\($0 + 1).png", "width": 100, "height": 100] as [String: Any]
                },
                "categories": categories.enumerated().map { ["id": $0 + 1, "name": $1] as [String: Any] },
                "annotations": objects.enumerated().map { index, object in
                    [
                        "id": index + 1, "image_id": object.picture + 1, "category_id": object.category + 1,
                        "bbox": object.box, "area": object.box[2] * object.box[3], "iscrowd": object.isCrowd ? 1 : 0,
                    ] as [String: Any]
                },
            ])
        }
    }

    /// The detections, as text.
    var detections: Data {
        get throws {
            try JSONSerialization.data(
                withJSONObject: boxes.map { box in
                    [
                        "image_id": box.picture + 1, "category_id": box.category + 1, "bbox": box.box,
                        "score": box.score,
                    ] as [String: Any]
                }
            )
        }
    }

    func report() throws -> BoxReport {
        try Self.report(annotations: annotations, detections: detections)
    }

    static func report(annotations: Data, detections: Data) throws -> BoxReport {
        try withTemporaryFolder { folder in
            let (known, found) = (folder.appending(path: "known.json"), folder.appending(path: "found.json"))
            try annotations.write(to: known)
            try detections.write(to: found)
            let annotations = try BoxAnnotations(contentsOf: known)
            return BoxEvaluator.evaluate(try BoxDetections(contentsOf: found, for: annotations), annotations)
        }
    }
}

extension BoxReport.BoxSummary {
    /// The numbers in the order in which `pycocotools` has them, −1 where there is none.
    var numbers: [Double] {
        [ap, ap50, ap75, apSmall, apMedium, apLarge, ar1, ar10, ar100, arSmall, arMedium, arLarge].map { $0 ?? -1 }
    }
}
