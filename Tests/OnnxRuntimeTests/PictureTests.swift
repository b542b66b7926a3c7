import Foundation
import OnnxRuntime
import Sightline
import SightlineTestSupport
import Testing

/// Detectors and classifiers whose outputs are constants: what is tested is how their shapes and texts are read.
@Suite(.hangLimit, .needsOnnxRuntime) struct PictureTests {
    /// A picture of the size that the models here take, so that nothing is resized.
    private static func picture() throws -> VisionImage {
        let plane = PixelBuffer.Plane(data: Data(repeating: 128, count: 64 * 64 * 3), bytesPerRow: 64 * 3)
        return VisionImage(pixels: try PixelBuffer(format: .rgb, width: 64, height: 64, planes: [plane]))
    }

    /// The cells of grids of strides 8, 16 and 32 over 64 × 64 pixels.
    private static let cells = 64 + 16 + 4

    private func objects(
        _ builder: OnnxBuilder,
        file: String = "model.onnx",
        sidecar: String? = nil
    ) async throws -> [DetectedObject] {
        try await withTemporaryFolder { folder in
            let url = folder.appending(path: file)
            try builder.data.write(to: url)
            if let sidecar { try Data(sidecar.utf8).write(to: folder.appending(path: "model.sightline.json")) }
            let detector = try ObjectDetector(options: ObjectDetectorOptions(model: LocalModel(url: url)))
            return try await detector.objects(in: Self.picture())
        }
    }

    /// Columns of a YOLO without objectness: one box with a class, and nothing else.
    private static func columns(classes: Int, box: [Float], classIndex: Int, score: Float) -> [Float] {
        var values = [Float](repeating: 0, count: (4 + classes) * cells)
        // Boxes in pixels are larger than 2 everywhere.
        for cell in 0..<cells { for row in 0..<4 { values[row * cells + cell] = 16 } }
        for (row, number) in box.enumerated() { values[row * cells + 10] = number }
        values[(4 + classIndex) * cells + 10] = score
        return values
    }

    @Test func readsAYOLOWithTheNamesThatItsExporterWrote() async throws {
        let values = Self.columns(classes: 3, box: [32, 16, 20, 10], classIndex: 2, score: 0.9)
        var builder = OnnxBuilder.constant([("output0", values, [1, 7, Self.cells])])
        builder.properties = ["names": "{0: 'cat', 1: \"it's\", 2: 'dog'}", "author": "Ultralytics", "task": "detect"]
        let found = try await objects(builder)
        #expect(found.map { $0.labels.first?.text } == ["dog"])
        let frame = try #require(found.first).frame
        #expect([frame.x, frame.y, frame.width, frame.height] == [22, 11, 20, 10])
    }

    @Test func readsAModelWhoseSizeIsOpenAtTheSizeThatItsExporterWrote() async throws {
        let values = Self.columns(classes: 3, box: [32, 16, 20, 10], classIndex: 0, score: 0.9)
        var builder = OnnxBuilder.constant(
            [("output0", values, [1, 7, Self.cells])],
            input: ["batch", 3, "height", "width"]
        )
        builder.properties = [
            "names": "['cat', 'bird', 'dog']", "author": "Ultralytics", "task": "detect", "imgsz": "[64, 64]",
        ]
        let found = try await objects(builder)
        #expect(found.map { $0.labels.first?.text } == ["cat"])
        // At another size, the box would lie elsewhere in the picture.
        #expect(found.first.map { [$0.frame.x, $0.frame.y, $0.frame.width, $0.frame.height] } == [22, 11, 20, 10])
    }

    /// The Ultra-Light-Fast-Generic-Face-Detector gives 235 boxes for 64 × 64 pixels, and its form for masks has three scores.
    @Test func theFirstScoreOfAFaceDetectorIsThatOfTheBackground() async throws {
        let count = 8 * 8 * 3 + 4 * 4 * 2 + 2 * 2 * 2 + 3
        var boxes: [Float] = []
        for _ in 0..<count { boxes += [0.1, 0.1, 0.2, 0.2] }
        boxes.replaceSubrange(0..<4, with: [0.25, 0.5, 0.5, 1])
        var scores: [Float] = []
        for number in 0..<count { scores += number == 0 ? [0.05, 0.05, 0.9] : [0.98, 0.01, 0.01] }
        let builder = OnnxBuilder.constant([("scores", scores, [1, count, 3]), ("boxes", boxes, [1, count, 4])])
        let found = try await objects(builder)
        #expect(found.map(\.classIndex) == [1])
        #expect(found.map { [$0.frame.x, $0.frame.y, $0.frame.width, $0.frame.height] } == [[16, 32, 16, 32]])
    }

    /// The scores of DAMO-YOLO come before its boxes. It takes pixels as they are, in the top left corner.
    @Test func theOrderOfTheOutputsShowsADAMOYOLO() throws {
        let boxes = (0..<Self.cells).flatMap { _ in [8, 8, 24, 40] as [Float] }
        let scores = [Float](repeating: 0, count: Self.cells * 5)
        let first: (name: String, values: [Float], shape: [Int]) = ("output", scores, [1, Self.cells, 5])
        let second: (name: String, values: [Float], shape: [Int]) = ("1", boxes, [1, Self.cells, 4])
        for (outputs, range) in [([first, second], "0…255"), ([second, first], "0…1")] {
            try withTemporaryFolder { folder in
                let url = folder.appending(path: "model.onnx")
                try OnnxBuilder.constant(outputs).data.write(to: url)
                let inspection = try ModelInspection(of: LocalModel(url: url))
                #expect(inspection.assumptions.contains { $0.contains("normalized; \(range) is assumed") })
            }
        }
    }

    /// Detectors of torchvision take a picture without a batch, and list as many objects as they find.
    @Test func readsTheListsOfTorchvision() async throws {
        var builder = OnnxBuilder()
        builder.input("image", .float32, [3, "height", "width"])
        builder.constants("zero", [0], [1])
        builder.node("ReduceMean", ["image"], ["mean"], integers: ["keepdims": [0]])
        builder.node("Mul", ["mean", "zero"], ["nothing"])
        builder.constants("all boxes", [160, 320, 480, 640, 0, 0, 640, 640], [2, 4])
        builder.node("Add", ["all boxes", "nothing"], ["boxes"])
        builder.constants("all kinds", integers: [17, 18], [2])
        builder.node("Identity", ["all kinds"], ["labels"])
        builder.constants("all scores", [0.9, 0.1], [2])
        builder.node("Add", ["all scores", "nothing"], ["scores"])
        builder.output("boxes", .float32, ["objects", 4])
        builder.output("labels", .int64, ["objects"])
        builder.output("scores", .float32, ["objects"])
        let found = try await objects(builder)
        #expect(found.map(\.classIndex) == [17])
        #expect(found.map { [$0.frame.x, $0.frame.y, $0.frame.width, $0.frame.height] } == [[16, 32, 32, 32]])
    }

    @Test func readsTheLabelsThatRapidAIWrites() async throws {
        let values = Self.columns(classes: 3, box: [32, 16, 20, 10], classIndex: 1, score: 0.9)
        var builder = OnnxBuilder.constant([("output0", values, [1, 7, Self.cells])])
        builder.properties = ["character": "text\ntitle\nfigure"]
        #expect(try await objects(builder).map { $0.labels.first?.text } == ["title"])
    }

    @Test func readsRowsThatNeedNoSuppression() async throws {
        var rows = [Float](repeating: 0, count: 6 * 30)
        rows.replaceSubrange(0..<12, with: [8, 8, 24, 40, 0.8, 1, 9, 9, 24, 40, 0.7, 1])
        var builder = OnnxBuilder.constant([("output0", rows, [1, 30, 6])])
        builder.properties = [
            "names": "{0: 'cat', 1: 'bird'}", "author": "Ultralytics", "task": "detect", "end2end": "True",
        ]
        let found = try await objects(builder)
        #expect(found.count == 2 && found.allSatisfy { $0.labels.first?.text == "bird" })
        #expect(found.first.map { [$0.frame.x, $0.frame.y, $0.frame.width, $0.frame.height] } == [8, 8, 16, 32])
    }

    /// RT-DETR and D-FINE take the size of the picture as a second input and give boxes in pixels of that size.
    @Test func tellsATransformerTheSizeOfItsInput() async throws {
        var builder = OnnxBuilder()
        builder.input("images", .float32, ["N", 3, 64, 64])
        builder.input("orig_target_sizes", .int64, ["N", 2])
        builder.constants("zero", [0], [1])
        builder.node("ReduceMean", ["images"], ["mean"], integers: ["keepdims": [0]])
        builder.node("Mul", ["mean", "zero"], ["nothing"])
        let count = 6
        let boxes: [Float] = [0.25, 0.5, 0.75, 1] + (1..<count).flatMap { _ in [0, 0, 0.1, 0.1] as [Float] }
        builder.constants("fractions", boxes, [1, count, 4])
        builder.node("Cast", ["orig_target_sizes"], ["size"], integers: ["to": [1]])
        builder.node("Concat", ["size", "size"], ["corners"], integers: ["axis": [1]])
        builder.node("Mul", ["fractions", "corners"], ["pixels"])
        builder.node("Add", ["pixels", "nothing"], ["boxes"])
        builder.constants("fixed", [0.9] + [Float](repeating: 0.01, count: count - 1), [1, count])
        builder.node("Add", ["fixed", "nothing"], ["scores"])
        builder.constants("kinds", integers: [7] + [Int64](repeating: 3, count: count - 1), [1, count])
        builder.node("Identity", ["kinds"], ["labels"])
        builder.output("labels", .int64, ["N", "queries"])
        builder.output("boxes", .float32, ["N", "queries", 4])
        builder.output("scores", .float32, ["N", "queries"])
        let found = try await objects(builder)
        #expect(found.map(\.classIndex) == [7])
        #expect(found.first.map { [$0.frame.x, $0.frame.y, $0.frame.width, $0.frame.height] } == [16, 32, 32, 32])
    }

    @Test func theFirstOfTwoScoresIsThatOfTheBackground() async throws {
        let count = 1200
        var boxes: [Float] = []
        for _ in 0..<count { boxes += [0.1, 0.1, 0.2, 0.2] }
        boxes.replaceSubrange(0..<4, with: [0.25, 0.5, 0.5, 1])
        var scores: [Float] = []
        for number in 0..<count { scores += number == 0 ? [0.1, 0.9] : [0.99, 0.01] }
        let builder = OnnxBuilder.constant([("scores", scores, [1, count, 2]), ("boxes", boxes, [1, count, 4])])
        let found = try await objects(builder)
        #expect(found.map { [$0.frame.x, $0.frame.y, $0.frame.width, $0.frame.height] } == [[16, 32, 16, 32]])
    }

    @Test func readsListsOfCellsOfNanoDet() async throws {
        let grids = [(stride: 8, cells: 64), (stride: 16, cells: 16), (stride: 32, cells: 4)]
        var scores = grids.map { [Float](repeating: 0, count: $0.cells * 3) }
        var distances = grids.map { [Float](repeating: 0, count: $0.cells * 32) }
        // The cell at row 1, column 2 of the second grid, whose center is 16 × (2 + ½) − ½: a step of 1 to the left, 2 to the top.
        let cell = 1 * 4 + 2
        scores[1][cell * 3 + 2] = 0.8
        for (edge, step) in [1, 1, 2, 0].enumerated() { distances[1][cell * 32 + edge * 8 + step] = 100 }
        let names = grids.map(\.stride)
        let builder = OnnxBuilder.constant(
            zip(names, grids).enumerated().map { ("cls_pred_stride_\($1.0)", scores[$0], [1, $1.1.cells, 3]) }
                + zip(names, grids).enumerated().map {
                    ("dis_pred_stride_\($1.0)", distances[$0], [1, $1.1.cells, 32])
                }
        )
        let found = try await objects(builder)
        #expect(found.map { $0.classIndex } == [2])
        let frame = try #require(found.first).frame
        #expect([frame.x, frame.y].map { ($0 * 10).rounded() / 10 } == [23.5, 7.5])
        #expect([frame.width, frame.height].map { ($0 * 10).rounded() / 10 } == [40.5, 16])
    }

    @Test func readsAModelInAnArchiveAndInAFolder() async throws {
        let values = Self.columns(classes: 3, box: [32, 16, 20, 10], classIndex: 2, score: 0.9)
        var builder = OnnxBuilder.constant([("output0", values, [1, 7, Self.cells])])
        builder.properties = ["names": "{0: 'cat', 1: 'bird', 2: 'dog'}"]
        let zip = ZipBuilder(files: [.init(name: "export/best.onnx", content: builder.data)]).data
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "export.zip")
            try zip.write(to: file)
            let inside = folder.appending(path: "folder")
            try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
            try builder.data.write(to: inside.appending(path: "best.onnx"))
            for url in [file, inside] {
                let detector = try ObjectDetector(options: ObjectDetectorOptions(model: LocalModel(url: url)))
                #expect(try await detector.objects(in: Self.picture()).map { $0.labels.first?.text } == ["dog"])
            }
        }
    }

    /// A classifier of two classes whose scores are logits of the mean red and the mean blue.
    private func classifier(_ type: OnnxType = .float32) -> OnnxBuilder {
        var builder = OnnxBuilder()
        builder.input("input", type, ["batch", 3, 64, 64])
        var picture = "input"
        if type == .float16 {
            builder.node("Cast", ["input"], ["picture"], integers: ["to": [1]])
            picture = "picture"
        }
        builder.node("GlobalAveragePool", [picture], ["pooled"])
        builder.node("Flatten", ["pooled"], ["features"])
        builder.constants("weights", [1, 0, 0, 0, 0, 1], [3, 2])
        builder.node("MatMul", ["features", "weights"], [type == .float16 ? "wide" : "logits"])
        if type == .float16 { builder.node("Cast", ["wide"], ["logits"], integers: ["to": [10]]) }
        builder.output("logits", type, ["batch", 2])
        return builder
    }

    @Test(arguments: [OnnxType.float32, .float16]) func readsAClassifier(type: OnnxType) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appending(path: "colors.onnx")
            try classifier(type).data.write(to: url)
            try Data("red\nblue\n".utf8).write(to: folder.appending(path: "colors.txt"))
            let labeler = try ImageLabeler(options: ImageLabelerOptions(model: LocalModel(url: url)))
            let labels = try await labeler.labels(in: Self.picture())
            // Gray is (0.502 − mean) / deviation of ImageNet: 0.073 red, 0.427 blue.
            #expect(labels.first?.text == "blue")
            #expect(abs((labels.first?.confidence ?? 0) - 0.5874) < 0.002)
        }
    }

    @Test func inspectionNamesTheFormatTheRuntimeAndTheOperators() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "colors.onnx")
            try classifier().data.write(to: url)
            let inspection = try ModelInspection(of: LocalModel(url: url))
            #expect(inspection.runtime == "ONNX, operators of version 17; runs in ONNX Runtime")
            #expect(inspection.operators == ["Flatten × 1", "GlobalAveragePool × 1", "MatMul × 1"])
            #expect(inspection.task == .labeling && inspection.problem == nil)
            #expect(inspection.assumptions.contains { $0.contains("ImageNet's mean and deviation is assumed") })
        }
    }

    /// The scores of many boxes are compared at once; of two equal scores, that of the first class counts.
    @Test func findsTheBestClassesOfManyBoxes() async throws {
        let (cells, classes) = (32 * 32 + 16 * 16 + 8 * 8, 7)
        var values = [Float](repeating: 0, count: (4 + classes) * cells)
        func put(_ column: Int, _ cell: Int, _ value: Float) { values[column * cells + cell] = value }
        for cell in 0..<cells { for column in 0..<4 { put(column, cell, 16) } }
        // In the first block, at both sides of a border between two, and in the last.
        let wanted = [(3, 6), (255, 0), (256, 4), (cells - 1, 2)]
        for (number, (cell, classIndex)) in wanted.enumerated() {
            for (column, value) in [20 + 60 * number, 30, 20, 10].enumerated() { put(column, cell, Float(value)) }
            put(4 + classIndex, cell, 0.9)
            if classIndex + 1 < classes { put(5 + classIndex, cell, 0.9) }
        }
        func builder() -> OnnxBuilder {
            var builder = OnnxBuilder.constant(
                [("output0", values, [1, 4 + classes, cells])],
                input: [1, 3, 256, 256]
            )
            builder.properties = [
                "names": "['a', 'b', 'c', 'd', 'e', 'f', 'g']", "author": "Ultralytics", "task": "detect",
            ]
            return builder
        }
        let found = try await objects(builder()).sorted { $0.frame.x < $1.frame.x }
        #expect(found.map(\.classIndex) == wanted.map(\.1))
        put(4, 700, .nan)
        await #expect(throws: OutputError.self) { try await objects(builder()) }
    }

    // MARK: - Offsets from anchors

    /// The outputs of an SSD whose numbers are far from boxes, with one confident anchor in the middle of a grid.
    private static func offsets(anchors: Int, classes: Int, confident: Int) -> [(
        name: String, values: [Float], shape: [Int]
    )] {
        var (scores, boxes): ([Float], [Float]) = ([], [])
        for anchor in 0..<anchors {
            var row = [Float](repeating: 0.01, count: classes)
            row[anchor == confident ? 1 : 0] = 0.95
            scores += row
            // Some of both signs, so that they are neither corners nor sizes.
            boxes +=
                anchor == confident
                ? [0, 0, 0, 0] : anchor.isMultiple(of: 2) ? [1.4, -2, -0.6, 0.3] : [-0.9, 1.2, 0.8, -1.5]
        }
        return [("scores", scores, [1, anchors, classes]), ("boxes", boxes, [1, anchors, 4])]
    }

    /// Ultra-Light-Face without its post-processing has the same shapes as with it.
    @Test(arguments: [(240, 320, 4420), (480, 640, 17640)])
    func readsFacesThatAreOffsetsFromAnchors(height: Int, width: Int, anchors: Int) async throws {
        // Row 2, column 3 of the finest grid, whose cells are 8 pixels wide and have three anchors: the last has 24 pixels.
        let confident = (2 * width / 8 + 3) * 3 + 2
        let builder = OnnxBuilder.constant(
            Self.offsets(anchors: anchors, classes: 2, confident: confident),
            input: [1, 3, .fixed(height), .fixed(width)]
        )
        let found = try await objects(builder)
        #expect(found.map { $0.labels.first?.text } == ["face"])
        let frame = try #require(found.first).frame
        let expected = [3.5 * 8 - 12, 2.5 * 8 - 12, 24, 24]
        let scale = [64 / Double(width), 64 / Double(height), 64 / Double(width), 64 / Double(height)]
        for (value, (pixels, factor)) in zip(
            [frame.x, frame.y, frame.width, frame.height],
            zip(expected, scale)
        ) { #expect(abs(Double(value) - pixels * factor) < 0.01) }
    }

    /// The SSDLite of torchvision has 3,234 anchors of a rule of its own; other shapes could be anything.
    @Test(arguments: [(3234, 91), (1000, 2), (8732, 21)])
    func offsetsFromUnknownAnchorsAreRefusedWithTheNextStep(anchors: Int, classes: Int) async throws {
        let builder = OnnxBuilder.constant(
            Self.offsets(anchors: anchors, classes: classes, confident: 10),
            input: [1, 3, 320, 320]
        )
        await #expect {
            _ = try await objects(builder)
        } throws: { error in
            "\(error)".contains("describe the anchors under \"anchors\"")
                || "\(error)".contains("stand for the background")
        }
    }
}
