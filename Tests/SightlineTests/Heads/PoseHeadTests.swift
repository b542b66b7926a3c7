import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Bodies of MoveNet, and points behind the boxes of YOLO models. Tests/Fixtures/README.md describes the models.
@Suite(.hangLimit) struct PoseHeadTests {
    private static let size = PixelSize(width: 1000, height: 1000)

    private func objects(
        _ model: String,
        size: PixelSize = size,
        change: (inout ObjectDetectorOptions) -> Void = { _ in }
    ) throws -> [DetectedObject] {
        var options = ObjectDetectorOptions(model: LocalModel(url: TestData.fixture("models/\(model).tflite")))
        change(&options)
        return try ObjectDetector(options: options).objects(in: .gray(size))
    }

    /// Coral's reference of MoveNet for a person who squats: y, x and confidence.
    private static let squat: [(Double, Double, Float)] = [
        (0.332112, 0.589104, 0.498168), (0.320251, 0.597011, 0.446770), (0.312343, 0.561428, 0.553520),
        (0.320251, 0.577242, 0.343973), (0.320251, 0.502122, 0.604918), (0.427001, 0.553520, 0.553520),
        (0.399325, 0.430955, 0.846095), (0.494214, 0.703761, 0.786789), (0.506076, 0.517937, 0.498168),
        (0.423047, 0.672132, 0.296529), (0.403279, 0.656317, 0.343973), (0.604918, 0.423047, 0.656317),
        (0.608872, 0.292575, 0.604918), (0.644456, 0.577242, 0.747252), (0.672132, 0.411186, 0.604918),
        (0.826326, 0.525844, 0.656317), (0.901447, 0.328158, 0.703761),
    ]

    private func expect(_ points: [ObjectPoint]?, movedDown: Double = 0) throws {
        let points = try #require(points)
        #expect(points.map(\.name) == ObjectPoint.Name.body)
        for (point, (y, x, confidence)) in zip(points, Self.squat) {
            #expect(abs(point.position.x - 1000 * x) < 0.01)
            #expect(abs(point.position.y - 1000 * (y + movedDown)) < 0.01)
            #expect(abs((point.confidence ?? 0) - confidence) < 1e-6)
        }
    }

    @Test func theOneBodyOfMoveNetHasItsPointsAndABoxAroundThem() throws {
        let bodies = try objects("movenet_one")
        let body = try #require(bodies.first)
        #expect(bodies.count == 1 && body.labels.map(\.text) == ["person"])
        try expect(body.points)
        let (frame, mean) = (body.frame, Self.squat.reduce(0) { $0 + $1.2 } / 17)
        for (edge, wanted) in [(frame.x, 292.575), (frame.y, 312.343), (frame.maxX, 703.761), (frame.maxY, 901.447)] {
            #expect(abs(edge - wanted) < 0.01)
        }
        #expect(abs(body.confidence - mean) < 1e-5)
    }

    @Test func pointsOfLittleConfidenceDoNotWidenTheBox() throws {
        let body = try #require(try objects("movenet_hidden").first)
        // All points but those of the shoulders and hips have a confidence of 0.1 and lie in a corner.
        #expect(abs(body.frame.x - 423.047) < 0.01 && abs(body.frame.maxX - 553.52) < 0.01)
        #expect(body.points?.count == 17)
        #expect(body.points?.count(where: \.isConfident) == 3)
    }

    @Test func severalBodiesOfMoveNetHaveTheirOwnBoxes() throws {
        let bodies = try objects("movenet_several")
        #expect(bodies.map(\.confidence) == [0.75, 0.5])
        #expect(
            bodies.map { $0.frame.y.rounded() } == [250, 300] && bodies.map { $0.frame.x.rounded() } == [250, 250]
        )
        try expect(bodies.first?.points)
        try expect(bodies.last?.points, movedDown: 0.05)
    }

    @Test func pointsLeaveTheLetterboxWithTheirBody() throws {
        let body = try #require(try objects("movenet_one", size: PixelSize(width: 1000, height: 500)).first)
        let nose = try #require(body.points?.first)
        // The picture fills the middle half of the input's height.
        #expect(abs(nose.position.x - 589.104) < 0.1 && abs(nose.position.y - (332.112 - 250)) < 0.1)
    }

    @Test func aMirrorImageExchangesLeftAndRight() throws {
        let body = try #require(
            try objects("movenet_one") {
                $0.searchesMirrorImage = true
                $0.iouThreshold = 1
            }.last
        )
        let left = try #require(body.points?.first { $0.name == .leftKnee })
        // The model sees the same in both pictures, so the right knee of the mirror image is the left one.
        #expect(abs(left.position.x - (1000 - 411.186)) < 0.1 || abs(left.position.x - 577.242) < 0.1)
    }

    /// Models, the names of their points, and whether these have confidences.
    @Test(
        arguments: [
            ("yolo_points", ObjectPoint.Name.body.map(\.rawValue), true),
            ("yolo_points_named", ["leftEye", "tail"], true),
            ("yolo_points_plain", ["point1", "point2", "point3"], false),
            ("end_to_end_points", ObjectPoint.Name.body.map(\.rawValue), true),
        ]
    )
    func pointsOfYOLOModelsBelongToTheirBoxes(model: String, names: [String], hasConfidence: Bool) throws {
        let found = try objects(model) { $0.scoreThreshold = 0.1 }
        #expect(found.map { $0.labels.first?.text } == ["red", "blue", "green"])
        for (object, (left, top)) in zip(found, [(0.2, 0.1), (0.55, 0.5), (0.7, 0.05)]) {
            let points = try #require(object.points)
            #expect(points.map(\.name.rawValue) == names)
            for (index, point) in points.enumerated() {
                let offset = Double(index + 1) / 100
                #expect(abs(point.position.x - 1000 * (left + offset)) < 0.1)
                #expect(abs(point.position.y - 1000 * (top + offset)) < 0.1)
                let confidence = point.confidence.map { abs($0 - (0.9 - Float(index) / 20)) < 1e-5 }
                #expect(confidence == (hasConfidence ? true : nil))
            }
        }
    }

    @Test(arguments: [
        "movenet_one", "movenet_several", "yolo_points", "yolo_points_plain", "end_to_end_points", "yolo_pose",
    ])
    func nothingOfAPoseModelIsUnused(model: String) throws {
        let url = TestData.fixture("models/\(model).tflite")
        let inspection = try ModelInspection(of: LocalModel(url: url))
        #expect(inspection.task == .detection && inspection.unused == nil)
        #expect(try ObjectDetector(options: .init(model: LocalModel(url: url))).pointNames?.isEmpty == false)
    }

    @Test func aPointThatIsNotFiniteIsAnError() throws {
        #expect(throws: OutputError.self) { try objects("movenet_nan") }
    }
}
