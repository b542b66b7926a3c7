import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@testable import Sightline

/// Labels as Ultralytics' exporter packs them.
@Suite(.hangLimit) struct UltralyticsLabelTests {
    /// The text that `str` makes of the exporter's dictionary.
    private static let python = """
        {'description': "Ultralytics YOLOv8n model trained on coco's pictures", 'author': 'Ultralytics', 'date': \
        '2024-05-01T12:00:00.000001', 'stride': 32, 'task': 'detect', 'batch': 1, 'imgsz': [64, 64], 'names': \
        {0: 'person', 1: "driver's seat", 2: 'caf\\xe9'}, 'args': {'nms': False, 'iou': 0.7, 'data': None, 'kpt': (17, 3)}}
        """

    private func labels(_ text: String, fileName: String = "temp_meta.txt") throws -> ModelInspection.LabelSummary? {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "yolov8n.tflite")
            let model = try Data(contentsOf: TestData.fixture("models/yolov8.tflite"))
            try ModelLabels.pack(Data(text.utf8), fileName: fileName, into: model).write(to: url)
            return try ModelInspection(of: LocalModel(url: url)).labels
        }
    }

    @Test func theNamesOfAPythonDictionaryAreTheLabels() throws {
        let labels = try #require(try labels(Self.python))
        #expect(labels.first == ["person", "driver's seat", "café"])
        #expect(labels.source == "temp_meta.txt inside yolov8n.tflite")
    }

    @Test func aModelThatCarriesThemFindsNamedObjectsWithoutALabelFile() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "yolov8n.tflite")
            let model = try Data(contentsOf: TestData.fixture("models/yolov8.tflite"))
            try ModelLabels.pack(Data(Self.python.utf8), fileName: "temp_meta.txt", into: model).write(to: url)
            let detector = try ObjectDetector(options: ObjectDetectorOptions(model: LocalModel(url: url)))
            let objects = try detector.objects(in: .gray(PixelSize(width: 64, height: 64)))
            #expect(objects.first?.labels.first?.text == "person")
        }
    }

    @Test func theNamesOfMetadataInJSONAreTheLabels() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "yolo11n.tflite")
            try FileManager.default.copyItem(at: TestData.fixture("models/yolov8_ultralytics.tflite"), to: url)
            let labels = try #require(try ModelInspection(of: LocalModel(url: url)).labels)
            #expect(labels.first == ["red", "green", "blue"])
            #expect(labels.source == "metadata.json inside yolo11n.tflite")
        }
    }

    @Test(arguments: [
        ("{'task': 'detect'}", "it has no \"names\""), ("{'names': {0: 'a', 2: 'b'}}", "numbers 0 to 1"),
        ("{'names': {0: 'a', 1: 2}}", "are not texts"), ("{'names': {}}", "it has 0 names"),
        ("{'names': 'a'}", "neither a dictionary nor a list"), ("{'names': {0: 'a'}", "a comma or a brace, but ends"),
        ("{'names': __import__('os').system('true')}", "should have a value"),
        ("person\ncar", "it is not a Python dictionary"),
        (String(repeating: "[", count: 100_000), "more than 16 levels"),
        ("{'names': {0: '" + String(repeating: "a", count: 1 << 20) + "'}}", "more than 1048576 bytes"),
    ])
    func whatIsNoSuchDictionaryIsAnErrorThatSaysWhy(_ text: String, _ reason: String) {
        let error = #expect(throws: LocalModelError.self) { try labels(text) }
        guard case .labels(let source, let found) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(source == "temp_meta.txt inside yolov8n.tflite")
        #expect(found.contains(reason), "\(found)")
    }

    @Test func listsAreReadLikeDictionaries() throws {
        #expect(try labels("{'names': ['a', 'b', 'c']}")?.first == ["a", "b", "c"])
        #expect(
            try labels("{\"names\": {\"1\": \"b\", \"0\": \"\\ud83d\\ude00\", \"2\": \"c\"}}")?.first == [
                "😀", "b", "c",
            ]
        )
    }

    @Test func whateverIsDamagedNothingTraps() {
        var random = RepeatableRandom(seed: 3)
        let original = Array(Self.python.utf8)
        for _ in 0..<3000 {
            var damaged = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...127, using: &random)
            }
            _ = try? UltralyticsMetadata(python: Data(damaged), source: "temp_meta.txt")
        }
    }
}
