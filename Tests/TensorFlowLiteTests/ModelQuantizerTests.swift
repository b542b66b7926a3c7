import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@Suite(.hangLimit) struct ModelQuantizerTests {
    // MARK: - Answers

    @Test func answersStayNearThoseOfTheFloatModel() throws {
        let model = try fixture("float_network")
        let quantized = try quantized(model)
        var agreeing = 0
        for seed in 100..<120 {
            let old = try #require(try outputs(of: model, seed: seed).first)
            let new = try #require(try outputs(of: quantized.model, seed: seed).first)
            #expect(zip(old, new).allSatisfy { abs($0 - $1) <= 0.1 })
            if old.firstIndex(of: old.max() ?? 0) == new.firstIndex(of: new.max() ?? 0) { agreeing += 1 }
        }
        #expect(agreeing >= 19)
    }

    @Test func layersAndWhatFollowsThemComputeWithInt8() throws {
        let quantized = try quantized(try fixture("float_network"))
        guard case .calibratedIntegers(let layers, let floatLayers, let pictures)? = quantized.plan.rewrites.first
        else {
            Issue.record("found \(quantized.plan.rewrites)")
            return
        }
        #expect(layers + floatLayers == 8 && layers > floatLayers)
        #expect(pictures == 24)
        #expect(quantized.plan.rewrites.map(\.isExact) == [false])
        let counts = Dictionary(uniqueKeysWithValues: quantized.model.operators.map { ($0.name, $0.count) })
        #expect(counts["QUANTIZE", default: 0] >= 1 && counts["DEQUANTIZE", default: 0] >= 1)
        // The limits of the layer before it cut the same values.
        if floatLayers == 0 { #expect(counts["RELU"] == nil) }
    }

    @Test func weightsTakeAByteEach() throws {
        let model = try fixture("float_network")
        let quantized = try quantized(model)
        #expect(quantized.model.data.count < model.data.count)
    }

    @Test func theSamePicturesGiveTheSameBytes() throws {
        let model = try fixture("float_network")
        let (one, two) = (try quantized(model), try quantized(model))
        #expect(one.model.data == two.model.data)
    }

    @Test func anOperatorWithoutAnInt8FormStaysBetweenConversions() throws {
        let model = try fixture("float_islands")
        let quantized = try quantized(model)
        #expect(quantized.plan.kept.map(\.name) == ["EXP"])
        #expect(quantized.plan.kept.map(\.count) == [1])
        let names = quantized.model.operators.map(\.name)
        #expect(names.contains("EXP") && names.contains("QUANTIZE") && names.contains("DEQUANTIZE"))
        for seed in 100..<110 {
            let old = try #require(try outputs(of: model, seed: seed).first)
            let new = try #require(try outputs(of: quantized.model, seed: seed).first)
            #expect(zip(old, new).allSatisfy { abs($0 - $1) <= 0.05 })
        }
    }

    @Test func aLayerCutsTheValuesOfTheFunctionBehindIt() throws {
        let model = try fixture("float_cuts")
        let quantized = try quantized(model)
        let counts = Dictionary(uniqueKeysWithValues: quantized.model.operators.map { ($0.name, $0.count) })
        // One of two RELU follows a pooling, which cuts nothing.
        #expect(counts["RELU"] == 1 && counts["RELU_0_TO_1"] == nil)
        for seed in 100..<110 {
            let old = try #require(try outputs(of: model, seed: seed).first)
            let new = try #require(try outputs(of: quantized.model, seed: seed).first)
            let range = (old.max() ?? 0) - (old.min() ?? 0)
            #expect(zip(old, new).allSatisfy { abs($0 - $1) <= 0.06 * range })
        }
    }

    @Test func operatorsWithASlowInt8KernelStayFloat() throws {
        let quantized = try quantized(try fixture("float_cuts"))
        #expect(quantized.plan.kept.map(\.name) == ["HARD_SWISH", "RELU"])
        #expect(quantized.plan.kept.map(\.count) == [1, 1])
    }

    // MARK: - Pictures of every kind

    @Test(arguments: ["float_network", "float_islands", "float_cuts"], [Float(0), 1, -1, 1e-20, 1e-39])
    func picturesOfOneValueLeadToAModelThatRuns(_ name: String, _ value: Float) throws {
        let model = try fixture(name)
        let picture = Data(values: [Float](repeating: value, count: 32 * 32 * 3))
        let samples = CalibrationSamples(count: 3) { _ in [picture] }
        let new = try ModelQuantizer().quantized(model, with: samples).model
        #expect(try outputs(of: new, seed: 1).allSatisfy { $0.allSatisfy(\.isFinite) })
    }

    @Test(arguments: ["float_network", "float_islands", "float_cuts"], [Float.nan, .infinity, 1e38, -3e38])
    func picturesOfExtremeValuesLeadToAModelOrAnError(_ name: String, _ value: Float) throws {
        let model = try fixture(name)
        let picture = Data(values: (0..<32 * 32 * 3).map { $0.isMultiple(of: 3) ? value : -value })
        do {
            let new = try ModelQuantizer().quantized(model, with: CalibrationSamples(count: 2) { _ in [picture] }).model
            #expect(try !outputs(of: new, seed: 1).isEmpty)
        } catch let error as ModelQuantizerError {
            #expect(!error.description.isEmpty)
        }
    }

    // MARK: - What stays

    @Test(arguments: ["float_network", "float_islands", "float_cuts"])
    func aQuantizedFileStandsInForTheOriginal(_ name: String) throws {
        let model = try fixture(name)
        let new = try quantized(model).model
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

    @Test func progressEndsWithAllOfTheWork() throws {
        var steps: [(Int, Int)] = []
        _ = try ModelQuantizer().quantized(try fixture("float_network"), with: try samples(32)) {
            steps.append(($0, $1))
        }
        #expect(steps.allSatisfy { (1...$1).contains($0) })
        #expect(steps.last.map { $0.0 == $0.1 } == true)
    }

    // MARK: - Refusals

    @Test(arguments: ["uint8_classifier", "uint8_detector"])
    func aModelOf8BitWeightsIsRefused(_ name: String) throws {
        let model = try fixture(name)
        #expect(throws: ModelQuantizerError.alreadyQuantized) { try quantized(model) }
    }

    @Test func aQuantizedModelIsNotQuantizedAgain() throws {
        let new = try quantized(try fixture("float_network")).model
        #expect(throws: ModelQuantizerError.alreadyQuantized) { try quantized(new) }
    }

    @Test func aModelWithoutLayersIsRefused() throws {
        let samples = CalibrationSamples(count: 1) { _ in [Data(values: [Float(1), 2])] }
        let model = try fixture("add")
        #expect(throws: ModelQuantizerError.noLayers) { try ModelQuantizer().quantized(model, with: samples) }
    }

    @Test func aModelOfALastLayerAloneIsRefused() throws {
        let model = try fixture("classifier_float_metadata")
        #expect(throws: ModelQuantizerError.nothingToGain(reasons: [])) { try quantized(model) }
    }

    @Test func withoutPicturesNothingIsQuantized() throws {
        let model = try fixture("float_network")
        let none = CalibrationSamples(count: 0) { _ in [] }
        #expect(throws: ModelQuantizerError.noSamples) { try ModelQuantizer().quantized(model, with: none) }
    }

    @Test func picturesOfTheWrongSizeAreRefused() throws {
        let model = try fixture("float_network")
        let small = CalibrationSamples(count: 2) { _ in [Data(count: 16)] }
        #expect(throws: InterpreterError.self) { try ModelQuantizer().quantized(model, with: small) }
    }

    @Test func anErrorOfThePicturesIsPassedOn() throws {
        let model = try fixture("float_network")
        let failing = CalibrationSamples(count: 2) { _ in throw CocoaError(.fileReadNoSuchFile) }
        #expect(throws: CocoaError.self) { try ModelQuantizer().quantized(model, with: failing) }
    }

    @Test func aCancelledTaskEndsTheCalibration() async throws {
        let model = try fixture("float_network")
        let samples = try samples(8)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try ModelQuantizer().quantized(model, with: samples)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func valuesThatAreNotFiniteDoNotCount() throws {
        let model = try fixture("float_islands")
        var pictures = try (0..<8).map { try picture(32, seed: $0) }
        pictures[3].replaceSubrange(0..<8, with: Data(values: [Float.nan, .infinity]))
        let samples = CalibrationSamples(count: 8) { [pictures] in [pictures[$0]] }
        do {
            _ = try ModelQuantizer().quantized(model, with: samples)
        } catch {
            #expect(!"\(error)".isEmpty)
        }
    }

    @Test(arguments: ["float_network", "float_islands", "float_cuts"])
    func damagedModelsLeadToErrorsOrToValidModels(_ name: String) throws {
        let original = try fixtureData(name)
        let samples = try samples(1)
        var random = RepeatableRandom(seed: 7)
        for _ in 0..<60 {
            var damaged = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                // Most of the tables lie at the ends, between them are weights.
                let place = Int.random(in: 0..<damaged.count, using: &random)
                damaged[place] = UInt8.random(in: 0...255, using: &random)
            }
            guard let model = try? Model(data: damaged) else { continue }
            do {
                _ = try ModelQuantizer().quantized(model, with: samples)
            } catch {
                #expect(!"\(error)".isEmpty)
            }
        }
    }

    // MARK: - Running models

    private func quantized(_ model: Model) throws -> OptimizedModel {
        try ModelQuantizer().quantized(model, with: try samples(model.inputs[0].shape.dimensions[1]))
    }

    private func samples(_ side: Int) throws -> CalibrationSamples {
        let pictures = try (0..<24).map { try picture(side, seed: $0) }
        return CalibrationSamples(count: pictures.count) { [pictures[$0]] }
    }

    /// A picture of random squares, with values of −1…1.
    private func picture(_ side: Int, seed: Int) throws -> Data {
        var random = RepeatableRandom(seed: UInt64(seed))
        let squares = (0..<16 * 3).map { _ in Float.random(in: -1...1, using: &random) }
        var values: [Float] = []
        for row in 0..<side {
            for column in 0..<side {
                for channel in 0..<3 {
                    let square = squares[(row * 4 / side * 4 + column * 4 / side) * 3 + channel]
                    values.append(min(max(square + Float.random(in: -0.1...0.1, using: &random), -1), 1))
                }
            }
        }
        return Data(values: values)
    }

    private func outputs(of model: Model, seed: Int) throws -> [[Float]] {
        let interpreter = try Interpreter(model: model)
        try interpreter.allocateTensors()
        try interpreter.copy(try picture(model.inputs[0].shape.dimensions[1], seed: seed), toInputAt: 0)
        try interpreter.invoke()
        return try (0..<interpreter.outputTensorCount).map {
            try interpreter.output(at: $0).data.values(as: Float.self)
        }
    }
}
