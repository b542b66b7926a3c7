import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@testable import OnnxRuntime

@Suite(.hangLimit) struct ReadingTests {
    @Test func readsNamesShapesTypesAndTexts() throws {
        var builder = OnnxBuilder.line(["batch", 4], output: ["batch", 4])
        builder.properties = ["names": "{0: 'cat'}"]
        let model = try OnnxModel(data: builder.data)
        #expect(model.inputs.map(\.name) == ["x"] && model.outputs.map(\.name) == ["y"])
        #expect(model.inputs[0].dataType == .float32 && model.inputs[0].shape.dimensions == [-1, 4])
        #expect(model.properties == ["names": "{0: 'cat'}"])
        #expect(model.runtime.format == "ONNX, operators of version 17")
        #expect(model.operators.map(\.name) == ["Add", "Mul"])
        #expect(model.outputs[0].producer?.operatorName == "Add")
    }

    /// IR versions before 4 list constants among the inputs.
    @Test func constantsAreNotInputs() throws {
        var builder = OnnxBuilder.line()
        builder.input("two", .float32, [1])
        #expect(try OnnxModel(data: builder.data).inputs.map(\.name) == ["x"])
    }

    @Test func theOperatorThatGivesScoresTheirRangeIsFound() throws {
        var builder = OnnxBuilder()
        builder.input("x", .float32, [1, 4])
        builder.output("y", .float32, [4])
        builder.node("Softmax", ["x"], ["p"])
        builder.constants("shape", integers: [4], [1])
        builder.node("Reshape", ["p", "shape"], ["y"])
        let producer = try OnnxModel(data: builder.data).outputs[0].producer
        #expect(producer?.operatorName == "Reshape" && producer?.rangeOperatorName == "Softmax")
    }

    // MARK: - Bad files

    @Test func everyBeginningOfAFileLeadsToAnErrorOrAModel() throws {
        let data = OnnxBuilder.line().data
        // The fields after the graph and the standard operators may be missing.
        for count in 0..<data.count {
            do {
                _ = try OnnxModel(data: data.prefix(count))
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
        #expect(throws: ModelError.self) { try OnnxModel(data: data.prefix(data.count / 2)) }
    }

    @Test func everyChangedByteLeadsToAnErrorOrAModel() throws {
        let data = OnnxBuilder.line().data
        for place in data.indices {
            for value: UInt8 in [0, 0x7F, 0xFF] {
                var changed = data
                changed[place] = value
                do {
                    _ = try OnnxModel(data: changed)
                } catch {
                    #expect(!error.description.isEmpty)
                }
            }
        }
    }

    private static let foreign: [(name: String, bytes: Data, found: String)] = [
        ("a picture", Data([0x89] + "PNG\r\n and more".utf8), "a picture"),
        ("an archive", Data([0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 40)), "a zip archive"),
        ("a pointer", Data("version https://git-lfs.github.com/spec/v1".utf8), "a Git LFS pointer"),
        ("TensorFlow Lite", Data([0x1C, 0, 0, 0] + "TFL3 and more".utf8), "a TensorFlow Lite model"),
    ]

    @Test(arguments: foreign.indices) func namesWhatAFileIsInstead(index: Int) {
        let file = Self.foreign[index]
        let error = #expect(throws: ModelError.self) { try OnnxModel(data: file.bytes) }
        #expect(error?.description.contains(file.found) == true)
    }

    @Test func refusesAnEmptyFile() {
        #expect(throws: ModelError.empty) { try OnnxModel(data: Data()) }
    }

    private static let operators: [(name: String, domain: String, error: ModelLimitation)] = [
        ("Loop", "", .controlFlow(operatorName: "Loop")),
        ("Scan", "", .controlFlow(operatorName: "Scan")),
        ("StringNormalizer", "", .unknownOperator(name: "StringNormalizer")),
        ("TfIdfVectorizer", "", .unknownOperator(name: "TfIdfVectorizer")),
        ("ImageDecoder", "", .unknownOperator(name: "ImageDecoder")),
        ("EPContext", "com.microsoft", .unknownOperator(name: "com.microsoft.EPContext")),
        ("Adam", "ai.onnx.preview.training", .training(name: "the operator ai.onnx.preview.training.Adam")),
        ("Magic", "com.example", .unknownOperator(name: "com.example.Magic")),
    ]

    @Test(arguments: operators.indices) func refusesAnOperator(index: Int) {
        let kind = Self.operators[index]
        var builder = OnnxBuilder.line()
        builder.node(kind.name, ["x"], ["z"], domain: kind.domain)
        #expect(throws: ModelError.unsupported(kind.error)) { try OnnxModel(data: builder.data) }
    }

    @Test func refusesASearchThatRunsAGraph() {
        var builder = OnnxBuilder.line()
        builder.node("BeamSearch", ["x"], ["z"], domain: "com.microsoft", branches: ["decoder": OnnxBuilder.line()])
        #expect(throws: ModelError.unsupported(.controlFlow(operatorName: "com.microsoft.BeamSearch"))) {
            try OnnxModel(data: builder.data)
        }
    }

    @Test func refusesALoopInsideABranch() {
        var branch = OnnxBuilder()
        branch.node("Loop", ["x"], ["z"])
        var builder = OnnxBuilder.line()
        builder.node("If", ["x"], ["z"], branches: ["then_branch": branch])
        #expect(throws: ModelError.unsupported(.controlFlow(operatorName: "Loop"))) {
            try OnnxModel(data: builder.data)
        }
    }

    @Test func refusesGraphsThatAreNestedDeeply() {
        var builder = OnnxBuilder.line()
        for _ in 0..<20 {
            var outer = OnnxBuilder()
            outer.node("If", ["x"], ["z"], branches: ["then_branch": builder])
            builder = outer
        }
        #expect(throws: ModelError.corrupted(reason: "its graphs are nested too deeply")) {
            try OnnxModel(data: builder.data)
        }
    }

    @Test func refusesTextsAsInputsAndConstants() {
        var builder = OnnxBuilder.line()
        builder.input("words", .string, [1])
        #expect(throws: ModelError.unsupported(.elementType(tensor: "words", type: "string"))) {
            try OnnxModel(data: builder.data)
        }
        var other = OnnxBuilder.line()
        other.graph.add(5, OnnxBuilder.tensor("words", .string, [1], raw: nil))
        #expect(throws: ModelError.unsupported(.elementType(tensor: "words", type: "string"))) {
            try OnnxModel(data: other.data)
        }
    }

    @Test func refusesATrainingAndFunctions() {
        var builder = OnnxBuilder.line()
        builder.extra.add(20, ProtoMessage())
        #expect(throws: ModelError.unsupported(.training(name: "a description of a training"))) {
            try OnnxModel(data: builder.data)
        }
        var other = OnnxBuilder.line()
        other.extra.add(25, ProtoMessage())
        #expect(throws: ModelError.self) { try OnnxModel(data: other.data) }
    }

    @Test func refusesAnEnormousFileOfSmallParts() {
        var data = OnnxBuilder.line().data
        var graph = ProtoMessage()
        // Two bytes for each operator.
        var operators = Data()
        for _ in 0..<OnnxReader.maximumParts { operators.append(contentsOf: [0x0A, 0]) }
        graph.add(7, operators)
        data.append(graph.bytes)
        #expect(throws: ModelError.corrupted(reason: "it has more than 1000000 parts")) { try OnnxModel(data: data) }
    }

    // MARK: - Sizes

    private static let growing: [(name: String, inputs: [String], integers: [String: [Int64]])] = [
        ("ConstantOfShape", ["huge"], [:]),
        ("Expand", ["x", "huge"], [:]),
        ("Tile", ["x", "huge"], [:]),
        ("Pad", ["x", "huge"], [:]),
        ("Resize", ["x", "", "", "huge"], [:]),
        ("Conv", ["x", "two"], ["pads": [1 << 20, 1 << 20, 1 << 20, 1 << 20]]),
        ("RandomNormal", [], ["shape": [1 << 20, 1 << 20]]),
    ]

    @Test(arguments: growing.indices) func refusesConstantsThatBecomeHuge(index: Int) {
        let kind = Self.growing[index]
        var builder = OnnxBuilder.line()
        builder.constants("huge", integers: [1 << 20, 1 << 20, 1 << 20, 1 << 20], [4])
        builder.node(kind.name, kind.inputs, ["z"], integers: kind.integers)
        let error = #expect(throws: ModelError.self) { try OnnxModel(data: builder.data) }
        #expect(error?.description.contains("of the operator \(kind.name) would take") == true)
    }

    @Test(arguments: [[1 << 40], [1 << 31, 1 << 31, 1 << 31], [-1]]) func refusesAnImpossibleShape(shape: [Int]) {
        var builder = OnnxBuilder.line()
        builder.graph.add(5, OnnxBuilder.tensor("w", .float32, shape, raw: nil))
        #expect(throws: ModelError.self) { try OnnxModel(data: builder.data) }
    }

    @Test func refusesConstantsWithFewerBytesThanTheirShapeNeeds() {
        var builder = OnnxBuilder.line()
        builder.graph.add(5, OnnxBuilder.tensor("w", .float32, [10], raw: Data(count: 39)))
        #expect(throws: ModelError.corrupted(reason: "the tensor \"w\" has 39 bytes, but its shape needs 40")) {
            try OnnxModel(data: builder.data)
        }
    }

    // MARK: - Weights in other files

    private static let paths = [
        "../outside.bin", "/etc/hostname", "", "inner/../../outside.bin", "link.bin", "missing.bin", "short.bin",
        "folder", "..",
    ]

    @Test(arguments: paths) func refusesWeightsOutsideTheFolderAndTooShortFiles(path: String) throws {
        try withTemporaryFolder { root in
            let folder = root.appending(path: "model")
            try FileManager.default.createDirectory(
                at: folder.appending(path: "folder"),
                withIntermediateDirectories: true
            )
            let outside = root.appending(path: "outside.bin")
            try Data(count: 400).write(to: outside)
            try Data(count: 39).write(to: folder.appending(path: "short.bin"))
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "link.bin"),
                withDestinationURL: outside
            )
            var builder = OnnxBuilder.line()
            builder.constants("w", [10], in: path)
            let file = folder.appending(path: "model.onnx")
            try builder.data.write(to: file)
            let error = #expect(throws: ModelError.self) { try OnnxModel(contentsOf: file) }
            guard case .unsupported(.weightFile)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func aModelInMemoryHasNoOtherFiles() {
        var builder = OnnxBuilder.line()
        builder.constants("w", [10], in: "model.weights")
        #expect(throws: ModelError.self) { try OnnxModel(data: builder.data) }
    }

    // MARK: - The library

    @Test func aReleaseHasHashesAndTheAddressOfItsWheel() {
        let releases = RuntimeRelease.onnxRuntime
        #expect(releases.map { "\($0.system) \($0.machine)" } == ["Linux x86_64", "Linux aarch64", "Darwin arm64"])
        for release in releases {
            #expect(release.wheelHash.count == 64 && release.libraryHash.count == 64)
            #expect(release.wheel.lastPathComponent.hasSuffix("_\(release.machine).whl"))
            #expect(release.wheel.lastPathComponent.contains("-\(release.version)-"))
            #expect(release.member.contains(release.version) && release.folderName == "onnxruntime-\(release.version)")
        }
    }

    @Test func aMissingLibraryLeadsToAnErrorThatNamesTheNextStep() throws {
        let search = RuntimeSearch(
            environment: ["SIGHTLINE_ONNXRUNTIME": "/nonexistent/libonnxruntime.so"],
            executable: URL(filePath: "/app/bin/program"),
            for: .onnxRuntime,
            version: "1.32.0"
        )
        let error = #expect(throws: OnnxRuntimeError.self) { try OnnxLibrary.open(search) }
        #expect(error?.description.contains("/nonexistent/libonnxruntime.so") == true)
        #expect(error?.description.contains("SIGHTLINE_ONNXRUNTIME") == true)
    }

    @Test func anotherLibraryIsRefused() throws {
        let search = RuntimeSearch(
            environment: ["SIGHTLINE_ONNXRUNTIME": "libz.so.1"],
            executable: nil,
            for: .onnxRuntime,
            version: "1.32.0"
        )
        let error = #expect(throws: OnnxRuntimeError.self) { try OnnxLibrary.open(search) }
        #expect(error?.description.contains("has no function OrtGetApiBase") == true)
    }
}
