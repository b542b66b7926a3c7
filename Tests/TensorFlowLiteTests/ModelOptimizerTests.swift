import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@Suite(.hangLimit) struct ModelOptimizerTests {
    // MARK: - Answers

    @Test func aRewrittenClassifierGivesTheSameLabels() throws {
        let model = try fixture("uint8_classifier")
        let optimized = try ModelOptimizer().optimized(model).model
        var agreeing = 0
        for seed in 0..<40 {
            let (old, new) = (try outputs(of: model, seed: seed), try outputs(of: optimized, seed: seed))
            let (scores, newScores) = (try #require(old.first), try #require(new.first))
            #expect(zip(scores, newScores).allSatisfy { abs($0 - $1) <= 24.0 / 256 })
            if scores.firstIndex(of: scores.max() ?? 0) == newScores.firstIndex(of: newScores.max() ?? 0) {
                agreeing += 1
            }
        }
        #expect(agreeing >= 39)
    }

    @Test(arguments: ["uint8_operators", "uint8_twins"])
    func everyOperatorComputesTheSameWithinSteps(_ name: String) throws {
        let model = try fixture(name)
        let optimized = try ModelOptimizer().optimized(model).model
        for seed in 0..<20 {
            let (old, new) = (try outputs(of: model, seed: seed), try outputs(of: optimized, seed: seed))
            for (index, output) in model.outputs.enumerated() where output.name != "best" {
                let step = output.quantizationParameters?.scale ?? 1 / 60
                #expect(zip(old[index], new[index]).allSatisfy { abs($0 - $1) <= 2.01 * step }, "\(output.name)")
                let different = zip(old[index], new[index]).count { abs($0 - $1) > 0.01 * step }
                #expect(different <= old[index].count / 2)
            }
        }
    }

    @Test func theIndexOfTheLargestValueStaysAlmostEverywhere() throws {
        let model = try fixture("uint8_operators")
        let optimized = try ModelOptimizer().optimized(model).model
        let place = try #require(model.outputs.firstIndex { $0.name == "best" })
        for seed in 0..<20 {
            let old = try outputs(of: model, seed: seed)[place]
            let new = try outputs(of: optimized, seed: seed)[place]
            #expect(zip(old, new).count { $0 != $1 } <= old.count / 20)
        }
    }

    @Test func aRewrittenDetectorFindsTheSameBoxes() throws {
        let model = try fixture("uint8_detector")
        let optimized = try ModelOptimizer().optimized(model).model
        var (found, all) = (0, 0)
        for seed in 0..<20 {
            let old = try boxes(of: model, seed: seed)
            let new = try boxes(of: optimized, seed: seed)
            all += old.count
            found += old.count { box in
                new.contains { $0.class == box.class && zip($0.edges, box.edges).allSatisfy { abs($0 - $1) < 0.03 } }
            }
        }
        #expect(Double(found) >= 0.9 * Double(all))
    }

    @Test func aFocusStemBecomesOneConvolution() throws {
        let model = try fixture("focus")
        let result = try ModelOptimizer().optimized(model)
        #expect(result.plan.rewrites == [.focusStem])
        #expect(result.model.operators.map(\.name) == ["CONV_2D"])
        for seed in 0..<10 {
            let old = try #require(try outputs(of: model, seed: seed).first)
            let new = try #require(try outputs(of: result.model, seed: seed).first)
            #expect(zip(old, new).allSatisfy { abs($0 - $1) <= 1e-5 })
        }
    }

    @Test func headsAreStackedAndColumnsReplacedWithTheSameAnswers() throws {
        let model = try fixture("exported_heads")
        let result = try ModelOptimizer().optimized(model)
        #expect(result.plan.rewrites == [.stackedHeads, .columnAssignments])
        let kinds = Set(result.model.operators.map(\.name))
        #expect(kinds.isDisjoint(with: ["TRANSPOSE", "SCATTER_ND", "SUB", "BROADCAST_TO"]))
        for seed in 0..<10 {
            #expect(try outputs(of: model, seed: seed) == outputs(of: result.model, seed: seed))
        }
    }

    @Test func onlyAssignmentsToNeighboringColumnsBecomeSlices() throws {
        // The heads are transposed along other dimensions, and the first assignment goes to columns 0 and 2.
        let model = try fixture("exported_heads_apart")
        let result = try ModelOptimizer().optimized(model)
        #expect(result.plan.rewrites == [.columnAssignments])
        let counts = Dictionary(uniqueKeysWithValues: result.model.operators.map { ($0.name, $0.count) })
        #expect(counts["SCATTER_ND"] == 2)
        #expect(counts["TRANSPOSE"] == 3)
        for seed in 0..<10 {
            #expect(try outputs(of: model, seed: seed) == outputs(of: result.model, seed: seed))
        }
    }

    @Test func aScoreThresholdKeepsTheBoxesAboveIt() throws {
        // The model's own integers stay, so that all other numbers are the same.
        let model = try fixture("ssd")
        let result = try ModelOptimizer(scoreThreshold: 0.5).optimized(model)
        #expect(result.plan.rewrites == [.scoreThreshold(from: 0.05, to: 0.5)])
        let (old, new) = (try boxes(of: model, seed: 1), try boxes(of: result.model, seed: 1))
        #expect(old.map(\.score).min() ?? 1 < 0.5)
        #expect(new.count == old.count { $0.score >= 0.5 })
        for (one, two) in zip(old, new) {
            #expect((one.class, one.score) == (two.class, two.score))
            #expect(one.edges == two.edges)
        }
        #expect(throws: ModelOptimizerError.nothingToGain) {
            try ModelOptimizer(scoreThreshold: 0.5).optimized(result.model)
        }
    }

    // MARK: - What stays

    @Test(arguments: [
        "uint8_classifier", "uint8_operators", "uint8_detector", "uint8_twins", "focus", "exported_heads",
    ])
    func aRewrittenFileStandsInForTheOriginal(_ name: String) throws {
        let model = try fixture(name)
        let new = try ModelOptimizer(scoreThreshold: 0.1).optimized(model).model
        let reread = try Model(data: new.data)
        for (old, new) in zip(model.inputs + model.outputs, reread.inputs + reread.outputs) {
            #expect((old.name, old.dataType, old.shape) == (new.name, new.dataType, new.shape))
            #expect(old.quantizationParameters == new.quantizationParameters)
        }
        #expect(reread.signatureKeys == model.signatureKeys)
        #expect(reread.metadata == model.metadata)
        #expect(reread.associatedFileNames == model.associatedFileNames)
        for file in model.associatedFileNames {
            #expect(try reread.associatedFile(named: file) == model.associatedFile(named: file))
        }
    }

    @Test func packedFilesAreReadable() throws {
        let new = try ModelOptimizer().optimized(try fixture("uint8_classifier")).model
        #expect(try new.associatedFile(named: "labels.txt").starts(with: Data("class 0\n".utf8)))
    }

    @Test func labelsThatWereAddedBeforeAreKept() throws {
        let labels = Data("a\nb\n".utf8)
        let labeled = try ModelLabels.pack(labels, fileName: "names.txt", into: fixtureData("uint8_twins"))
        let new = try ModelOptimizer().optimized(try Model(data: labeled)).model
        #expect(try new.associatedFile(named: "names.txt") == labels)
        #expect(new.metadata?.outputs.flatMap(\.associatedFiles).map(\.name) == ["names.txt"])
    }

    @Test func operatorsWithoutATestedFormAreNamed() throws {
        let plan = try ModelOptimizer().plan(for: try fixture("uint8_operators"))
        #expect(plan.kept.map(\.name) == ["TANH"])
        #expect(plan.kept.map(\.count) == [1])
    }

    @Test func aPlanTellsWhatIsRewritten() throws {
        let model = try fixture("uint8_detector")
        #expect(try ModelOptimizer().plan(for: model) == ModelOptimizer().optimized(model).plan)
        let plan = try ModelOptimizer(scoreThreshold: 0.25).plan(for: model)
        #expect(plan.rewrites.last == .scoreThreshold(from: -20, to: 0.25))
        guard case .signedIntegers(_, let exact, let all)? = plan.rewrites.first else {
            Issue.record("the integers are not rewritten")
            return
        }
        #expect(all == 16 && (1..<16).contains(exact))
    }

    @Test(arguments: [
        "classifier_float", "classifier_int8", "classifier_uint8", "add_uint8", "ssd", "yolov8", "yolov8_int8",
        "dynamic",
    ])
    func aModelThatCannotBecomeFasterIsRefused(_ name: String) throws {
        let model = try fixture(name)
        #expect(throws: ModelOptimizerError.nothingToGain) { try ModelOptimizer().optimized(model) }
    }

    @Test func aRewrittenModelIsNotRewrittenAgain() throws {
        let new = try ModelOptimizer().optimized(try fixture("uint8_classifier")).model
        #expect(throws: ModelOptimizerError.nothingToGain) { try ModelOptimizer().optimized(new) }
    }

    @Test func aModelOfTwoSubgraphsIsRefused() throws {
        let model = try fixture("signatures")
        let error = #expect(throws: ModelOptimizerError.self) { try ModelOptimizer().optimized(model) }
        guard case .layout? = error else {
            Issue.record("found \(String(describing: error))")
            return
        }
    }

    // MARK: - Hostile files

    @Test(arguments: ["uint8_classifier", "uint8_operators", "uint8_detector", "focus", "exported_heads"])
    func damagedModelsLeadToErrorsOrToValidModels(_ name: String) throws {
        let original = try fixtureData(name)
        var random = RepeatableRandom(seed: 1)
        for _ in 0..<400 {
            var damaged = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<damaged.count, using: &random)
                damaged[place] = UInt8.random(in: 0...255, using: &random)
            }
            guard let model = try? Model(data: damaged) else { continue }
            do {
                _ = try ModelOptimizer(scoreThreshold: 0.5).optimized(model)
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    // MARK: - Running models

    /// The real values of the outputs for a picture of random squares.
    private func outputs(of model: Model, seed: Int) throws -> [[Float]] {
        let interpreter = try Interpreter(model: model)
        try interpreter.allocateTensors()
        var random = RepeatableRandom(seed: UInt64(seed))
        let input = try interpreter.input(at: 0)
        let shape = input.shape.dimensions
        let squares = (0..<64 * shape[3]).map { _ in Int.random(in: 0..<256, using: &random) }
        var values: [Int] = []
        for row in 0..<shape[1] {
            for column in 0..<shape[2] {
                for channel in 0..<shape[3] {
                    let square = squares[(row * 8 / shape[1] * 8 + column * 8 / shape[2]) * shape[3] + channel]
                    values.append(min(max(square + Int.random(in: -8...8, using: &random), 0), 255))
                }
            }
        }
        try interpreter.copy(
            input.dataType == .uInt8
                ? Data(values.map { UInt8(clamping: $0) }) : Data(values: values.map { Float($0) / 255 }),
            toInputAt: 0
        )
        try interpreter.invoke()
        return try (0..<interpreter.outputTensorCount).map { try interpreter.output(at: $0).realValues }
    }

    private struct Box {
        let edges: [Float]
        let `class`: Float
        let score: Float
    }

    private func boxes(of model: Model, seed: Int) throws -> [Box] {
        let outputs = try outputs(of: model, seed: seed)
        let count = Int(try #require(outputs[3].first))
        return (0..<count).map { row in
            Box(edges: Array(outputs[0][4 * row..<4 * row + 4]), class: outputs[1][row], score: outputs[2][row])
        }
    }
}

extension Tensor {
    /// The values, with the scale and the zero point if there are any.
    fileprivate var realValues: [Float] {
        let (scale, zeroPoint) = (quantizationParameters?.scale ?? 1, quantizationParameters?.zeroPoint ?? 0)
        return switch dataType {
        case .uInt8: data.map { scale * Float(Int($0) - zeroPoint) }
        case .int32: data.values(as: Int32.self).map { Float($0) }
        default: data.values(as: Float.self)
        }
    }
}
