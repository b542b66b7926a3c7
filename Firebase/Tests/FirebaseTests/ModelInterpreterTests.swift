import Firebase
import HubTestSupport
import Sightline
import SightlineTestSupport
import TensorFlowLite
import Testing

/// The interpreter of the pod Firebase/MLModelInterpreter.
@Suite(.hangLimit)
struct ModelInterpreterTests {
    private static func interpreter(_ name: String) -> ModelInterpreter {
        let path = TestData.fixture("models/\(name).tflite").path
        return ModelInterpreter.modelInterpreter(localModel: CustomLocalModel(modelPath: path))
    }

    private static func inputs(_ inputs: Any...) throws -> ModelInputs {
        let result = ModelInputs()
        for input in inputs { try result.addInput(input) }
        return result
    }

    private static func options(_ input: [NSNumber], _ output: [NSNumber]) throws -> ModelInputOutputOptions {
        let options = ModelInputOutputOptions()
        try options.setInputFormat(index: 0, type: .float32, dimensions: input)
        try options.setOutputFormat(index: 0, type: .float32, dimensions: output)
        return options
    }

    private static func bytes(_ values: [Float]) -> Data { values.withUnsafeBytes { Data($0) } }

    @Test func aRunTakesNumbersAndGivesNumbersOnTheMainQueue() async throws {
        let inputs = try Self.inputs([Float(1), Float(-3)])
        let options = try Self.options([2], [2])
        let calls = Counter()
        let outputs: ModelOutputs? = await withCheckedContinuation { continuation in
            Self.interpreter("add").run(inputs: inputs, options: options) { outputs, error in
                #expect(isOnMainQueue && error == nil)
                calls.add()
                continuation.resume(returning: outputs)
            }
        }
        let numbers = try outputs?.output(index: 0) as? [NSNumber]
        #expect(numbers?.map(\.floatValue) == [3, -9])
        #expect(calls.count == 1)
    }

    @Test(arguments: 0..<4)
    func anInputIsDataOrAnArrayOfAnyNumbers(_ kind: Int) async throws {
        let input: Any =
            switch kind {
            case 0: Self.bytes([1, -3])
            case 1: [1.0, -3.0]
            case 2: [1, -3]
            default: [NSNumber(value: 1), NSNumber(value: -3)]
            }
        let outputs = try await Self.interpreter("add").run(
            inputs: Self.inputs(input),
            options: ModelInputOutputOptions()
        )
        #expect(try (outputs.output(index: 0) as? [NSNumber])?.map(\.floatValue) == [3, -9])
    }

    @Test func arraysAreNestedAsTheDimensionsAre() async throws {
        let interpreter = Self.interpreter("dynamic")
        let rows = [[[[Float(1), 2, 3], [4, 5, 6]]]]
        let dimensions: [NSNumber] = [1, 1, 2, 3]
        let outputs = try await interpreter.run(
            inputs: Self.inputs(rows),
            options: Self.options(dimensions, dimensions)
        )
        let result = try #require(try outputs.output(index: 0) as? [[[[NSNumber]]]])
        #expect(result == [[[[2, 4, 6], [8, 10, 12]]]])
    }

    @Test func otherDimensionsResizeAnInputForOneRun() async throws {
        let interpreter = Self.interpreter("add")
        let wide = try await interpreter.run(
            inputs: Self.inputs([Float(1), 2, 3]),
            options: Self.options([3], [3])
        )
        #expect(try (wide.output(index: 0) as? [NSNumber])?.count == 3)
        let own = try await interpreter.run(
            inputs: Self.inputs([Float(1), 2]),
            options: ModelInputOutputOptions()
        )
        #expect(try (own.output(index: 0) as? [NSNumber])?.count == 2)
    }

    @Test func inputsAndOutputsAreFoundByName() async throws {
        let interpreter = Self.interpreter("ssd")
        let model = try Model(contentsOf: TestData.fixture("models/ssd.tflite"))
        #expect(try await interpreter.inputIndex(opName: model.inputs[0].name) == 0)
        #expect(try await interpreter.outputIndex(opName: model.outputs[2].name) == 2)
        let error = await #expect(throws: NSError.self) { try await interpreter.outputIndex(opName: "nothing") }
        #expect(error?.domain == "com.firebase.ml" && error?.code == 5)
        #expect(error?.localizedDescription.contains(model.outputs[2].name) == true)
    }

    @Test(arguments: [(ModelElementType.unknown, [2]), (.float32, []), (.float32, [0]), (.float32, [-1, 2])])
    func aFormatThatCannotBeIsRefused(_ type: ModelElementType, _ dimensions: [Int]) {
        let dimensions = dimensions.map { NSNumber(value: $0) }
        let options = ModelInputOutputOptions()
        let errors = [
            #expect(throws: NSError.self) { try options.setInputFormat(index: 0, type: type, dimensions: dimensions) },
            #expect(throws: NSError.self) { try options.setOutputFormat(index: 0, type: type, dimensions: dimensions) },
        ]
        for error in errors { #expect(error?.domain == "com.firebase.ml" && error?.code == 3) }
    }

    @Test func anInputThatIsNeitherDataNorNumbersIsRefused() {
        for input in ["text", ["text"], [[1], ["text"]], 5] as [Any] {
            let error = #expect(throws: NSError.self) { try Self.inputs(input) }
            #expect(error?.code == 3)
        }
    }

    @Test func whatDoesNotFitTheModelIsAnInvalidArgument() async throws {
        let interpreter = Self.interpreter("add")
        let none = ModelInputOutputOptions()
        let wrongType = ModelInputOutputOptions()
        try wrongType.setInputFormat(index: 0, type: .int32, dimensions: [2])
        let runs: [(ModelInputs, ModelInputOutputOptions)] = [
            (ModelInputs(), none),
            (try Self.inputs([Float(1), 2], [Float(1), 2]), none),
            (try Self.inputs([Float(1)]), none),
            (try Self.inputs(Data(count: 9)), none),
            (try Self.inputs([Float(1), 2]), wrongType),
            (try Self.inputs([Float(1), 2]), try Self.options([2], [3])),
            (try Self.inputs([Float(1), 2]), try Self.options([4_000_000_000_000], [2])),
        ]
        for (inputs, options) in runs {
            let error = await #expect(throws: NSError.self) {
                try await interpreter.run(inputs: inputs, options: options)
            }
            #expect(error?.domain == "com.firebase.ml" && error?.code == 3, "\(String(describing: error))")
        }
        let outputs = try await interpreter.run(inputs: Self.inputs([Float(1), 2]), options: none)
        for index in [1, UInt.max] {
            let error = #expect(throws: NSError.self) { try outputs.output(index: index) }
            #expect(error?.code == 3)
        }
    }

    @Test func aNumberThatTheElementTypeCannotHoldIsAnInvalidArgument() async throws {
        let path = TestData.fixture("models/add_uint8.tflite").path
        let interpreter = ModelInterpreter.modelInterpreter(localModel: CustomLocalModel(modelPath: path))
        let outputs = try await interpreter.run(
            inputs: Self.inputs([1, 3, 100, 200]),
            options: ModelInputOutputOptions()
        )
        #expect(try outputs.output(index: 0) as? [NSNumber] == [1, 3, 100, 200])
        let error = await #expect(throws: NSError.self) {
            try await interpreter.run(inputs: Self.inputs([1, 3, 100, 256]), options: ModelInputOutputOptions())
        }
        #expect(error?.code == 3)
    }

    @Test func aFileThatIsNoModelIsAnErrorOfTheRun() async throws {
        for (path, code) in [("/nowhere.tflite", 5), (TestData.fixture("images/large.png").path, 3)] {
            let interpreter = ModelInterpreter.modelInterpreter(localModel: CustomLocalModel(modelPath: path))
            let error = await #expect(throws: NSError.self) { try await interpreter.inputIndex(opName: "x") }
            #expect(error?.domain == "com.firebase.ml" && error?.code == code)
        }
    }

    @Test func aRemoteModelRunsOnceItIsDownloaded() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("interpreted", Data(contentsOf: TestData.fixture("models/add.tflite")))
            let model = CustomRemoteModel(name: "interpreted")
            let interpreter = ModelInterpreter.modelInterpreter(remoteModel: model)
            let error = await #expect(throws: NSError.self) { try await interpreter.inputIndex(opName: "x") }
            #expect(error?.code == 9)
            let ends = DownloadEnds(of: "interpreted")
            ModelManager.modelManager().download(model, conditions: ModelDownloadConditions())
            #expect(await ends.next().error == nil)
            let outputs = try await interpreter.run(
                inputs: Self.inputs([Float(1), 2]),
                options: ModelInputOutputOptions()
            )
            #expect(try (outputs.output(index: 0) as? [NSNumber])?.map(\.floatValue) == [3, 6])
        }
    }

    @Test func numbersAreFirebases() {
        let types: [ModelElementType] = [.unknown, .float32, .int32, .uInt8, .int64]
        #expect(types.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(!Self.interpreter("add").isStatsCollectionEnabled)
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func aRealModelNamesAFlower() async throws {
        let path = TestData.real("models/automl_flowers/model.tflite").path
        let names = try String(contentsOf: TestData.real("models/automl_flowers/dict.txt"), encoding: .utf8)
            .split(separator: "\n")
        let tensor = try Interpreter(modelPath: path).model.inputs[0]
        let sides = tensor.shape.dimensions
        let picture = try Sightline.VisionImage(contentsOf: TestData.real("images/daisy.jpeg"))
        let format = InputFormat(size: PixelSize(width: sides[2], height: sides[1]))

        let options = ModelInputOutputOptions()
        try options.setInputFormat(index: 0, type: .uInt8, dimensions: sides.map { NSNumber(value: $0) })
        try options.setOutputFormat(index: 0, type: .uInt8, dimensions: [1, NSNumber(value: names.count)])
        let interpreter = ModelInterpreter.modelInterpreter(localModel: CustomLocalModel(modelPath: path))
        let outputs = try await interpreter.run(inputs: Self.inputs(picture.tensor(format)), options: options)
        let scores = try #require(try outputs.output(index: 0) as? [[NSNumber]])[0].map(\.intValue)
        let best = try #require(scores.indices.max { scores[$0] < scores[$1] })
        #expect(names[best].contains("daisy"))
    }
}
