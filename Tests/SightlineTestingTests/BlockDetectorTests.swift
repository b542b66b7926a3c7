import Sightline
import SightlineTestSupport
import SightlineTesting
import Testing

@Suite(.hangLimit)
struct BlockDetectorTests {
    /// Blocks at random places, a cell apart at least.
    private static func scene(seed: UInt64) -> TestScene {
        var random = RepeatableRandom(seed: seed)
        var scene = TestScene(ground: UInt8.random(in: 0...255, using: &random))
        var taken = Set<[Int]>()
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let sides = [2, 3, 4, 6, 8].shuffled(using: &random)
            let color = TestScene.Color.allCases.randomElement(using: &random) ?? .red
            let block = TestScene.Block(
                color,
                column: Int.random(in: 0...16 - sides[0], using: &random),
                row: Int.random(in: 0...12 - sides[1], using: &random),
                columns: sides[0],
                rows: sides[1]
            )
            let cells = (block.column - 1...block.column + block.columns).flatMap { column in
                (block.row - 1...block.row + block.rows).map { [column, $0] }
            }
            guard taken.isDisjoint(with: cells) else { continue }
            taken.formUnion(cells)
            scene.blocks.append(block)
        }
        return scene
    }

    @Test
    func theDetectorFindsTheBlocksOfRandomScenes() async throws {
        let detector = try ObjectDetector(options: ObjectDetectorOptions(model: TestModels.blockDetector))
        for seed in 0..<200 {
            let scene = Self.scene(seed: UInt64(seed))
            let found = try await detector.objects(in: scene.image())
            #expect(found.count == scene.blocks.count, "seed \(seed)")
            for object in scene.objects {
                let match = found.first { $0.frame.iou(object.frame) > 0.9 }
                #expect(match?.labels.first?.text == object.labels.first?.text, "seed \(seed)")
                #expect(match?.confidence ?? 0 > 0.9, "seed \(seed)")
            }
        }
    }

    @Test func aMovingBlockKeepsItsIdentity() throws {
        let scene = TestScene(blocks: [
            .init(.red, column: 0, row: 1, columns: 4, rows: 4), .init(.blue, column: 12, row: 7, columns: 4, rows: 4),
        ])
        let frames = try scene.frames(count: 12) { block, index in
            block.column += block.color == .red ? index : -index
        }
        let detector = try StreamDetector(detection: ObjectDetectorOptions(model: TestModels.blockDetector))
        var names: [Int: Set<String>] = [:]
        for frame in frames {
            for object in try detector.result(in: frame).objects {
                if let id = object.id { names[id, default: []].formUnion(object.labels.map(\.text)) }
            }
        }
        #expect(Set(names.values) == [["red"], ["blue"]])
        #expect(names.count == 2)
    }

    @Test(arguments: TestScene.Color.allCases)
    func theClassifierNamesTheColor(_ color: TestScene.Color) async throws {
        let labeler = try ImageLabeler(options: ImageLabelerOptions(model: TestModels.colorClassifier))
        let scene = TestScene(blocks: [.init(color, column: 0, row: 0, columns: 16, rows: 12)])
        let labels = try await labeler.labels(in: scene.image())
        #expect(labels.first?.text == color.name)
    }
}
