import Foundation
import SightlineTestSupport
import TensorFlowLite

/// Archives of pictures with known objects, and detectors.
enum BoxPictures {
    /// A detector that finds the same three objects in every picture: red 90 %, blue 80 %, green 40 %.
    static let detector = TestData.fixture("models/ssd_metadata.tflite")

    /// A detector with random weights that can be rewritten, with labels.
    static func rewritable() throws -> Data {
        try ModelLabels.pack(
            Data("red\ngreen\nblue\n".utf8),
            fileName: "labels.txt",
            into: Data(contentsOf: TestData.fixture("models/uint8_detector.tflite"))
        )
    }

    /// Three pictures of 100 × 100 pixels; ``detector`` finds all objects of the first.
    static func annotations() throws -> Data {
        let objects: [(picture: Int, category: Int, box: [Double])] = [
            (1, 1, [20, 10, 40, 40]), (1, 3, [55, 50, 40, 40]), (2, 1, [20, 10, 40, 40]), (3, 2, [0, 60, 20, 20]),
        ]
        return try JSONSerialization.data(withJSONObject: [
            "images": (1...3).map {
                ["id": $0, "file_name": "\($0).png", "width": 100, "height": 100] as [String: Any]
            },
            "categories": ["red", "green", "blue"].enumerated().map { ["id": $0 + 1, "name": $1] as [String: Any] },
            "annotations": objects.enumerated().map {
                ["id": $0 + 1, "image_id": $1.picture, "category_id": $1.category, "bbox": $1.box] as [String: Any]
            },
        ])
    }

    /// An archive of ``annotations()`` and its pictures, of which the third is not a picture.
    static func archive() throws -> Data {
        let picture = try Pictures.png(red: 120, green: 130, blue: 140, width: 100, height: 100)
        return zipArchive([
            ("annotations.json", try annotations()), ("images/1.png", picture), ("images/2.png", picture),
            ("images/3.png", Data("no picture".utf8)),
        ])
    }

    /// An archive of photos with the most objects.
    static func real(count: Int) throws -> Data {
        let source = try Data(contentsOf: TestData.real("detection/annotations.json"))
        var known = try JSONSerialization.jsonObject(with: source) as? [String: Any] ?? [:]
        let (images, objects) = (known["images"] as? [[String: Any]], known["annotations"] as? [[String: Any]])
        let counts = Dictionary(grouping: objects ?? []) { $0["image_id"] as? Int ?? 0 }.mapValues(\.count)
        let chosen = (images ?? []).sorted { counts[$0["id"] as? Int ?? 0] ?? 0 > counts[$1["id"] as? Int ?? 0] ?? 0 }
            .prefix(count)
        let ids = Set(chosen.compactMap { $0["id"] as? Int })
        known["images"] = Array(chosen)
        known["annotations"] = (objects ?? []).filter { ids.contains($0["image_id"] as? Int ?? -1) }
        let names = chosen.compactMap { $0["file_name"] as? String }
        return zipArchive(
            [("annotations.json", try JSONSerialization.data(withJSONObject: known))]
                + (try names.map { ("images/\($0)", try Data(contentsOf: TestData.real("detection/images/\($0)"))) })
        )
    }
}
