import Foundation
import TestSupport
import Testing

@testable import TensorFlowLite

struct ModelLabelsTests {
    private static let labels = Data("rose\ntulip\ndaisy\n".utf8)

    @Test(arguments: [
        "classifier_float", "classifier_uint8", "classifier_int8", "ssd", "yolov8", "signatures", "echo_float",
    ])
    func aPackedModelHasTheLabelsAndComputesTheSame(_ name: String) throws {
        let original = try Data(contentsOf: TestData.fixture("models/\(name).tflite"))
        let packed = try ModelLabels.pack(Self.labels, fileName: "dict.txt", into: original)
        #expect(packed.range(of: original) != nil)
        let (old, new) = (try Model(data: original), try Model(data: packed))
        #expect(new.associatedFileNames == ["dict.txt"])
        #expect(try new.associatedFile(named: "dict.txt") == Self.labels)
        let metadata = try #require(new.metadata)
        #expect(metadata.inputs.count == old.inputs.count)
        #expect(metadata.outputs.count == old.outputs.count)
        let files = metadata.outputs.flatMap(\.associatedFiles)
        #expect(files.map(\.name) == ["dict.txt"])
        #expect(files.first?.kind == (old.outputs.count == 4 ? .valueLabels : .axisLabels))
        #expect(new.signatureKeys == old.signatureKeys)
        #expect(try outputs(of: new) == outputs(of: old))
    }

    @Test func aModelWithMetadataIsLeftAlone() throws {
        let model = try Data(contentsOf: TestData.fixture("models/classifier_float_metadata.tflite"))
        #expect(throws: ModelLabelsError.hasMetadata) {
            try ModelLabels.pack(Self.labels, fileName: "dict.txt", into: model)
        }
        let plain = try Data(contentsOf: TestData.fixture("models/classifier_float.tflite"))
        let packed = try ModelLabels.pack(Self.labels, fileName: "dict.txt", into: plain)
        #expect(throws: ModelLabelsError.hasMetadata) {
            try ModelLabels.pack(Self.labels, fileName: "dict.txt", into: packed)
        }
    }

    @Test(arguments: [Data(), Data([0xFF, 0xFE, 0xFF])])
    func whatIsNoTextIsNotPacked(_ labels: Data) throws {
        let model = try Data(contentsOf: TestData.fixture("models/classifier_float.tflite"))
        #expect(throws: ModelLabelsError.notText) { try ModelLabels.pack(labels, fileName: "dict.txt", into: model) }
    }

    @Test func whatIsNoModelIsSaidSo() {
        #expect(throws: ModelLabelsError.self) {
            try ModelLabels.pack(Self.labels, fileName: "dict.txt", into: Data("no model at all".utf8))
        }
    }

    private func outputs(of model: Model) throws -> [Data] {
        let interpreter = try Interpreter(model: model)
        try interpreter.allocateTensors()
        try interpreter.invoke()
        return try (0..<interpreter.outputTensorCount).map { try interpreter.output(at: $0).data }
    }
}
