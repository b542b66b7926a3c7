import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@Suite(.hangLimit) struct InterpreterTests {
    @Test func anInputMayTakeAnotherRank() throws {
        let interpreter = try interpreter("add")
        for shape in [[2, 2, 3], [1, 1, 1, 4], [3]] as [[Int]] {
            try interpreter.resizeInput(at: 0, to: Tensor.Shape(shape))
            try interpreter.allocateTensors()
            let count = shape.reduce(1, *)
            let values = (0..<count).map(Float.init)
            try interpreter.copy(Data(values: values), toInputAt: 0)
            try interpreter.invoke()
            let output = try interpreter.output(at: 0)
            #expect(output.shape.dimensions == shape)
            #expect(output.data.values(as: Float.self) == values.map { 3 * $0 })
        }
        let refused = InterpreterError.failedToResizeInputTensor(index: 0)
        for shape in [[], [0], [2, -1], [Int](repeating: 1, count: 9)] as [[Int]] {
            #expect(throws: refused) { try interpreter.resizeInput(at: 0, to: Tensor.Shape(shape)) }
        }
    }

    @Test func aModelThatOperatorsCannotRunAtAnotherRankSaysSoAndGoesOn() throws {
        let interpreter = try interpreter("classifier_float")
        try interpreter.resizeInput(at: 0, to: [4])
        #expect(throws: (any Error).self) {
            try interpreter.allocateTensors()
            try interpreter.invoke()
        }
        try interpreter.resizeInput(at: 0, to: [1, 8, 8, 3])
        try interpreter.allocateTensors()
        try interpreter.invoke()
    }

    @Test func anIntermediateTensorHasTheTypeThatItsOperatorGivesIt() throws {
        let interpreter = try interpreter("add_retyped")
        try interpreter.copy(Data([1, 2, 3, 50]), toInputAt: 0)
        try interpreter.invoke()
        #expect(try interpreter.output(at: 0).data == Data([3, 6, 9, 150]))
    }

    /// The file says that the output has three numbers; memory of that size would be overrun.
    @Test func aReshapeToAComputedShapeHasTheSizeThatItTakes() throws {
        let interpreter = try Interpreter(model: fixture("computed_reshape"))
        try interpreter.allocateTensors()
        #expect(try interpreter.output(at: 0).shape.dimensions == [1, 16, 3])
        let values = (0..<48).map(Float.init)
        try interpreter.copy(values.withUnsafeBytes { Data($0) }, toInputAt: 0)
        try interpreter.invoke()
        let output = try interpreter.output(at: 0)
        #expect(output.shape.dimensions == [1, 16, 3])
        #expect(output.data == values.withUnsafeBytes { Data($0) })
    }

    @Test func anOutputWhoseSizeAnInputHoldsIsRefused() throws {
        let model = try fixture("given_reshape")
        #expect(throws: ModelError.unsupported(.dataDependentSize(tensor: "y"))) { try Interpreter(model: model) }
    }

    /// The file says 48 numbers of everything behind the input, and all its shapes agree; the runtime finds three.
    @Test func anOutputOfAnotherSizeThanTheFileSaysIsRefusedAfterTheRun() throws {
        let interpreter = try interpreter("lying_sizes")
        let error = #expect(throws: InterpreterError.self) { try interpreter.invoke() }
        #expect("\(String(describing: error))".contains("the output \"y\", whose size depends on"))
    }

    @Test func computesWhatTheModelSays() throws {
        let interpreter = try interpreter("add")
        try interpreter.copy(Data(values: [1, -3] as [Float]), toInputAt: 0)
        try interpreter.invoke()
        let output = try interpreter.output(at: 0)
        #expect(output.data.values(as: Float.self) == [3, -9])
        #expect(output.name == "y")
        #expect(output.dataType == .float32)
        #expect(output.shape == [2])
        #expect(output.quantizationParameters == nil)
    }

    @Test func worksLikeTensorFlowLiteSwiftFromAPath() throws {
        var options = Interpreter.Options()
        options.threadCount = 2
        options.isXNNPackEnabled = true
        let path = TestData.fixture("models/add.tflite").path
        let interpreter = try Interpreter(modelPath: path, options: options, delegates: nil)
        #expect(interpreter.inputTensorCount == 1)
        #expect(interpreter.outputTensorCount == 1)
        try interpreter.resizeInput(at: 0, to: Tensor.Shape([2]))
        try interpreter.allocateTensors()
        let input = try interpreter.copy(Data(values: [2, 4] as [Float]), toInputAt: 0)
        #expect(input.data.count == 8)
        try interpreter.invoke()
        #expect(try interpreter.output(at: 0).data.values(as: Float.self) == [6, 12])
        #expect(interpreter.options == options)
    }

    @Test(arguments: [("add_uint8", Tensor.DataType.uInt8, 128), ("add_int8", .int8, 0)])
    func readsQuantisedModels(_ name: String, _ type: Tensor.DataType, _ zeroPoint: Int) throws {
        let interpreter = try interpreter(name)
        let input = try interpreter.copy(Data([1, 3, 100, 200]), toInputAt: 0)
        try interpreter.invoke()
        let output = try interpreter.output(at: 0)
        #expect(output.data == Data([1, 3, 100, 200]))
        #expect(input.dataType == type)
        #expect(input.quantizationParameters == .init(scale: 0.5, zeroPoint: zeroPoint))
        #expect(output.quantizationParameters == .init(scale: 1, zeroPoint: zeroPoint))
    }

    @Test func takesFloat16Inputs() throws {
        let interpreter = try interpreter("classifier_float16")
        var picture = [UInt16](repeating: 0xbc00, count: 8 * 8 * 3)  // −1
        for pixel in 0..<64 { picture[pixel * 3 + 2] = 0x3c00 }  // 1
        #expect(try interpreter.copy(Data(values: picture), toInputAt: 0).dataType == .float16)
        try interpreter.invoke()
        #expect(try interpreter.output(at: 0).data.values(as: Float.self)[2] > 0.99)
    }

    @Test(arguments: [("gather", [350]), ("pad", [1, 64, 64, 128])])
    func aSmallOutputOfALargeInputIsNotTakenForALargeOutput(name: String, shape: [Int]) throws {
        let interpreter = try interpreter(name)
        try interpreter.invoke()
        #expect(try interpreter.output(at: 0).shape.dimensions == shape)
    }

    @Test func givesAllOutputsOfADetector() throws {
        let interpreter = try interpreter("ssd")
        try interpreter.invoke()
        let boxes = try interpreter.output(at: 0)
        #expect(boxes.shape == [1, 10, 4])
        for (found, planted) in zip(boxes.data.values(as: Float.self), [0.1, 0.2, 0.5, 0.6] as [Float]) {
            #expect(abs(found - planted) < 1e-5)
        }
        #expect(try interpreter.output(at: 1).data.values(as: Float.self).prefix(3) == [0, 2, 1])
        #expect(try interpreter.output(at: 2).data.values(as: Float.self).prefix(3) == [0.9, 0.8, 0.4])
        #expect(try interpreter.output(at: 3).data.values(as: Float.self) == [3])
    }

    @Test func numbersOutputsAsTheFileDoes() throws {
        let interpreter = try interpreter("ssd_reordered")
        try interpreter.invoke()
        let shapes = try (0..<4).map { try interpreter.output(at: $0).shape }
        #expect(shapes == [[1, 10], [1, 10, 4], [1], [1, 10]])
        #expect(try interpreter.output(at: 2).data.values(as: Float.self) == [3])
    }

    @Test func resizesInputs() throws {
        let interpreter = try Interpreter(model: fixture("dynamic"))
        for (height, width) in [(2, 3), (5, 1), (2, 3)] {
            try interpreter.resizeInput(at: 0, to: [1, height, width, 3])
            try interpreter.allocateTensors()
            let values = (0..<height * width * 3).map(Float.init)
            try interpreter.copy(Data(values: values), toInputAt: 0)
            try interpreter.invoke()
            let output = try interpreter.output(at: 0)
            #expect(output.shape == Tensor.Shape(1, height, width, 3))
            #expect(output.data.values(as: Float.self) == values.map { 2 * $0 })
        }
    }

    @Test func resizesInputsWhoseShapeIsFixed() throws {
        let interpreter = try interpreter("add")
        try interpreter.resizeInput(at: 0, to: [5])
        #expect(throws: InterpreterError.allocateTensorsRequired) { try interpreter.invoke() }
        try interpreter.allocateTensors()
        try interpreter.copy(Data(values: [1, 2, 3, 4, 5] as [Float]), toInputAt: 0)
        try interpreter.invoke()
        #expect(try interpreter.output(at: 0).data.values(as: Float.self) == [3, 6, 9, 12, 15])
    }

    @Test(arguments: [[], [0], [-1], [Int.max], [Int(Int32.max)]])
    func refusesShapesThatTheInputCannotHave(_ shape: [Int]) throws {
        let interpreter = try interpreter("add")
        #expect(throws: InterpreterError.failedToResizeInputTensor(index: 0)) {
            try interpreter.resizeInput(at: 0, to: Tensor.Shape(shape))
        }
        try interpreter.allocateTensors()
        try interpreter.invoke()
    }

    @Test func runsManyInterpretersOverOneModelAtOnce() async throws {
        let model = try fixture("dynamic")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for round in 0..<20 {
                        let interpreter = try Interpreter(model: model)
                        let side = 1 + (worker + round) % 5
                        try interpreter.resizeInput(at: 0, to: [1, side, side, 3])
                        try interpreter.allocateTensors()
                        let values = (0..<side * side * 3).map { Float($0 + worker) }
                        try interpreter.copy(Data(values: values), toInputAt: 0)
                        try interpreter.invoke()
                        #expect(try interpreter.output(at: 0).data.values(as: Float.self) == values.map { 2 * $0 })
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func keepsItsModelAlive() throws {
        var model: Model? = try Model(data: fixtureData("add"))
        let interpreter = try Interpreter(model: #require(model))
        model = nil
        try interpreter.allocateTensors()
        try interpreter.copy(Data(values: [1, 1] as [Float]), toInputAt: 0)
        try interpreter.invoke()
        #expect(try interpreter.output(at: 0).data.values(as: Float.self) == [3, 3])
    }
}

@Suite(.hangLimit) struct ZeroCopyTests {
    @Test func lendsAlignedMemoryThatInvokeReadsAndWrites() throws {
        let interpreter = try interpreter("echo_float")
        try interpreter.withMutableInput(at: 0) { bytes in
            #expect(bytes.count == 8 * 8 * 3 * 4)
            #expect(Int(bitPattern: bytes.baseAddress) % 64 == 0)
            bytes.bindMemory(to: Float.self).update(repeating: 0.25)
        }
        try interpreter.invoke()
        try interpreter.withOutput(at: 0) { bytes in
            #expect(Int(bitPattern: bytes.baseAddress) % 64 == 0)
            #expect(bytes.bindMemory(to: Float.self).allSatisfy { $0 == 0.25 })
        }
    }

    @Test func passesErrorsOfTheCallerThrough() throws {
        struct Mine: Error {}
        let interpreter = try interpreter("add")
        #expect(throws: Mine.self) { try interpreter.withMutableInput(at: 0) { _ in throw Mine() } }
        #expect(throws: Mine.self) { try interpreter.withOutput(at: 0) { _ in throw Mine() } }
    }

    @Test func checksTheIndexFirstAndTheMemoryNext() throws {
        let interpreter = try Interpreter(model: fixture("add"))
        let wrong = InterpreterError.invalidTensorIndex(index: 1, maxIndex: 0)
        #expect(throws: wrong) { try interpreter.withMutableInput(at: 1) { _ in } }
        #expect(throws: wrong) { try interpreter.withOutput(at: 1) { _ in } }
        #expect(throws: InterpreterError.allocateTensorsRequired) { try interpreter.withMutableInput(at: 0) { _ in } }
        #expect(throws: InterpreterError.invokeInterpreterRequired) { try interpreter.withOutput(at: 0) { _ in } }
    }
}
