import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@Suite(.hangLimit) struct ModelTests {
    @Test func describesInputsAndOutputs() throws {
        let model = try fixture("classifier_uint8")
        #expect(
            model.inputs == [
                TensorDescription(
                    name: "image",
                    dataType: .uInt8,
                    shape: [1, 8, 8, 3],
                    quantizationParameters: QuantizationParameters(scale: 1 / 128, zeroPoint: 128)
                )
            ]
        )
        #expect(model.outputs.map(\.shape) == [[1, 3]])
        #expect(model.metadata == nil)
        #expect(model.associatedFileNames.isEmpty)
    }

    @Test func showsOpenDimensionsAsMinusOne() throws {
        #expect(try fixture("dynamic").inputs.map(\.shape) == [[1, -1, -1, 3]])
    }

    @Test func namesItsOperators() throws {
        let operators = try fixture("ssd").operators
        #expect(operators.contains { $0.name == "TFLite_Detection_PostProcess" && $0.isCustom && $0.count == 1 })
        #expect(operators.contains { $0.name == "MEAN" && !$0.isCustom && $0.count == 2 })
    }

    @Test func givesItsBytesBack() throws {
        let data = try fixtureData("add")
        #expect(try fixture("add").data == data)
        var kept: Data?
        do { kept = try Model(data: data).data }
        #expect(kept == data)
    }

    @Test func readsSlicesThatDoNotStartAtZero() throws {
        let data = try Data([1, 2, 3]) + fixtureData("add")
        #expect(try Model(data: data.dropFirst(3)).inputs.map(\.name) == ["x"])
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func readsRealModels() throws {
        let detector = try Model(contentsOf: TestData.real("models/coco_ssd/detect.tflite"))
        #expect(detector.inputs.map(\.shape) == [[1, 300, 300, 3]])
        #expect(detector.outputs.count == 4)
        let interpreter = try Interpreter(model: detector)
        try interpreter.allocateTensors()
        try interpreter.invoke()
        #expect(try interpreter.output(at: 0).shape == [1, 10, 4])
        #expect(try interpreter.output(at: 3).shape == [1])
    }
}

@Suite(.hangLimit) struct BadModelTests {
    @Test func saysWhyAFileCannotBeRead() throws {
        for url in [TestData.fixture("models/absent.tflite"), TestData.fixture("models")] {
            let error = #expect(throws: ModelError.self) { try Model(contentsOf: url) }
            guard case .unreadable(let path, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(path.contains("models"))
        }
        #expect(throws: ModelError.empty) { try Model(data: Data()) }
    }

    @Test func recognisesWhatIsNoModel() {
        #expect(throws: ModelError.notAModel(found: "a picture", advice: "use a .tflite or .onnx file")) {
            try Model(data: Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]))
        }
    }

    @Test(arguments: ["add", "signatures", "ssd_metadata", "classifier_int8_metadata"])
    func refusesAFileThatIsCutShortAnywhere(_ name: String) throws {
        let data = try fixtureData(name)
        // The archive follows the FlatBuffer; a file cut there is still a model.
        let end = data.range(of: Data([0x50, 0x4b, 3, 4]))?.lowerBound ?? data.count
        for count in stride(from: 0, to: end - 64, by: 3) {
            #expect(throws: ModelError.self) { try Model(data: data.prefix(count)) }
        }
    }

    @Test(arguments: [
        ("while", ModelLimitation.controlFlow(operatorName: "WHILE")),
        ("stateful", .controlFlow(operatorName: "CALL_ONCE")), ("variable", .variableTensor(name: "state")),
        ("saved", .state(operatorName: "VAR_HANDLE")), ("strings", .elementType(tensor: "texts", type: "string")),
        ("edge_tpu", .unknownOperator(name: "edgetpu-custom-op")),
        ("where", .dataDependentSize(tensor: "y")), ("custom_operator", .unknownOperator(name: "Sightline_Unknown")),
    ])
    func namesWhatTheRuntimeCannotDo(_ name: String, _ limitation: ModelLimitation) throws {
        #expect(throws: ModelError.unsupported(limitation)) { try fixture(name) }
    }

    @Test func namesTheChipForWhichAModelWasCompiled() throws {
        let error = #expect(throws: ModelError.self) { try fixture("edge_tpu") }
        #expect(error?.description.contains("compiled for the Edge TPU; use the file from which") == true)
    }

    /// Outputs are small although the products of the inputs' sizes are not.
    @Test(arguments: ["sizes", "strides"])
    func runsOperatorsWithLargeInputsAndSmallOutputs(_ name: String) throws {
        let interpreter = try Interpreter(model: fixture(name))
        try interpreter.allocateTensors()
        try interpreter.invoke()
        #expect(try interpreter.output(at: 0).data.allSatisfy { $0 == 0 })
    }

    @Test func saysThatAFileIsTooLargeForTheFormat() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "big.tflite")
            try fixtureData("add").write(to: url)
            #expect(truncate(url.path, 2_300_000_000) == 0)
            let error = #expect(throws: ModelError.self) { try Model(contentsOf: url) }
            #expect(error == .fileTooLarge(bytes: 2_300_000_000, limit: 2_147_483_647))
            #expect(error?.description.contains("LiteRT cannot load more than") == true)
        }
    }

    @Test func refusesInputsWithoutNames() throws {
        // A string is its length, its letters and a zero: without letters the input has no name.
        let data = try fixtureData("add").replacing([1, 0, 0, 0, 0x78, 0], with: [0, 0, 0, 0, 0x78, 0])
        #expect(throws: ModelError.corrupted(reason: "an input of subgraph 0 has no name")) { try Model(data: data) }
    }

    @Test func refusesTensorsThatTakeTooMuchMemory() throws {
        // The shape [1, 8, 8, 3] becomes [1, 32768, 32768, 3].
        let shape: [UInt8] = [4, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0]
        let huge: [UInt8] = [4, 0, 0, 0, 1, 0, 0, 0, 0, 128, 0, 0, 0, 128, 0, 0, 3, 0, 0, 0]
        let data = try fixtureData("classifier_float").replacing(shape, with: huge)
        let expected = ModelError.tooLarge(
            what: "tensor \"image\"",
            bytes: 12 << 30,
            limit: ModelLimits.standard.maximumTensorBytes
        )
        #expect(throws: expected) { try Model(data: data) }
    }

    @Test func refusesShapesWhoseSizeOverflows() throws {
        let shape: [UInt8] = [4, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0]
        let most: [UInt8] = [0xff, 0xff, 0xff, 0x7f]
        let data = try fixtureData("classifier_float").replacing(shape, with: [4, 0, 0, 0] + most + most + most + most)
        #expect(throws: ModelError.self) { try Model(data: data) }
    }

    @Test func obeysTheLimitsItIsGiven() throws {
        let url = TestData.fixture("models/classifier_float.tflite")
        #expect(throws: ModelError.tooLarge(what: "tensor \"image\"", bytes: 768, limit: 100)) {
            try Model(contentsOf: url, limits: ModelLimits(maximumTensorBytes: 100))
        }
        #expect(throws: ModelError.self) { try Model(contentsOf: url, limits: ModelLimits(maximumTotalBytes: 770)) }
        _ = try Model(contentsOf: url, limits: ModelLimits(maximumTensorBytes: 768, maximumTotalBytes: 1000))
    }

    @Test func neverTrapsOnAFlippedByte() throws {
        for name in ["signatures", "ssd_metadata", "classifier_float_deflated"] {
            let original = try fixtureData(name)
            for position in stride(from: 0, to: original.count, by: 2) {
                var data = original
                data[position] ^= 0xff
                guard let model = try? Model(data: data) else { continue }
                for file in model.associatedFileNames { _ = try? model.associatedFile(named: file) }
                #expect(model.data.count == original.count)
            }
        }
    }
}
