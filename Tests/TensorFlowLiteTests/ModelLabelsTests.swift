import Foundation
import SightlineTestSupport
import Testing

@testable import TensorFlowLite

@Suite(.hangLimit)
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

    @Test func metadataWithoutLabelsIsKeptAndGetsThem() throws {
        let original = try Self.withoutLabels("classifier_float_metadata")
        let old = try Model(data: original)
        let before = try #require(old.metadata)
        #expect(before.outputs.first?.associatedFiles == [])
        let packed = try ModelLabels.pack(Self.labels, fileName: "dict.txt", into: original)
        #expect(packed.range(of: original) != nil)
        let new = try Model(data: packed)
        let after = try #require(new.metadata)
        #expect((after.name, after.description, after.author) == (before.name, before.description, before.author))
        #expect(after.inputs == before.inputs && after.associatedFiles == before.associatedFiles)
        #expect(after.inputs.first?.normalization != nil)
        let (output, oldOutput) = (try #require(after.outputs.first), try #require(before.outputs.first))
        #expect(output.associatedFiles.map(\.name) == ["dict.txt"])
        #expect(output.associatedFiles.map(\.kind) == [.axisLabels])
        #expect((output.name, output.scoreThreshold) == (oldOutput.name, 0.35))
        // The files that were there still are.
        #expect(Set(new.associatedFileNames) == Set(old.associatedFileNames + ["dict.txt"]))
        for name in old.associatedFileNames {
            #expect(try new.associatedFile(named: name) == old.associatedFile(named: name))
        }
        #expect(try new.associatedFile(named: "dict.txt") == Self.labels)
        #expect(try outputs(of: new) == outputs(of: old))
        #expect(throws: ModelLabelsError.nameTaken("labels.txt")) {
            try ModelLabels.pack(Self.labels, fileName: "labels.txt", into: original)
        }
    }

    @Test func aModelWithLabelsIsLeftAlone() throws {
        let model = try Data(contentsOf: TestData.fixture("models/classifier_float_metadata.tflite"))
        #expect(throws: ModelLabelsError.hasLabels) {
            try ModelLabels.pack(Self.labels, fileName: "dict.txt", into: model)
        }
        let plain = try Data(contentsOf: TestData.fixture("models/classifier_float.tflite"))
        let packed = try ModelLabels.pack(Self.labels, fileName: "dict.txt", into: plain)
        #expect(throws: ModelLabelsError.hasLabels) {
            try ModelLabels.pack(Self.labels, fileName: "other.txt", into: packed)
        }
    }

    @Test func whereverMetadataIsDamagedNothingTraps() throws {
        let original = try Self.withoutLabels("classifier_float_metadata")
        let start = try #require(original.range(of: Data("M001".utf8))).lowerBound - 4
        var random = RepeatableRandom(seed: 1)
        for _ in 0..<2000 {
            var damaged = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damaged[Int.random(in: start..<start + 400, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let packed = try? ModelLabels.pack(Self.labels, fileName: "dict.txt", into: damaged) else { continue }
            #expect(try Model(data: packed).associatedFile(named: "dict.txt") == Self.labels)
        }
    }

    /// A fixture of whose outputs' metadata the list of files is taken away.
    private static func withoutLabels(_ name: String) throws -> Data {
        var model = try Data(contentsOf: TestData.fixture("models/\(name).tflite"))
        let start = try #require(model.range(of: Data("M001".utf8))).lowerBound - 4
        let slots = try model.withUnsafeBytes { bytes in
            let metadata = FlatBuffer(bytes: UnsafeRawBufferPointer(rebasing: bytes[start...]))
            return try metadata.root().tables(3).table(at: 0).tables(3).map { _, output throws(FlatBufferError) in
                let list = output.position - Int(try metadata.load(Int32.self, at: output.position))
                return start + list + 4 + 2 * 6
            }
        }
        for slot in slots { model.replaceSubrange(slot..<slot + 2, with: [0, 0]) }
        return model
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
