import Foundation
import OnnxRuntime
import SightlineTestSupport
import Testing

/// The tests whose models run in ONNX Runtime; skipped where the library is not installed.
extension Trait where Self == ConditionTrait {
    static var needsOnnxRuntime: Self {
        .enabled(if: (try? OnnxLibrary.shared()) != nil, "ONNX Runtime is not installed; `make runtime` installs it.")
    }
}

/// ONNX models for a hub.
enum OnnxModels {
    /// A classifier of three classes that always answers with the second.
    static func classifier(
        _ names: String? = "{0: 'ash', 1: 'birch', 2: 'cedar'}",
        input: [OnnxExtent] = [1, 3, 64, 64],
        scores: [Float] = [0.1, 0.7, 0.2]
    ) -> Data {
        var builder = OnnxBuilder.constant([("scores", scores, [1, scores.count])], input: input)
        if let names {
            builder.properties = [
                "names": names, "task": "classify", "author": "Ultralytics", "license": "AGPL-3.0", "imgsz": "[64, 64]",
            ]
        }
        return builder.data
    }

    /// Damaged and hostile files, each with words of the sentence with which the hub refuses it or warns of it.
    static let hostile: [(name: String, data: Data, sentence: String)] = {
        let whole = classifier()
        var loop = OnnxBuilder()
        loop.input("x", .float32, [1, 4])
        loop.output("y", .float32, [1, 4])
        loop.node("Loop", ["", "", "x"], ["y"], branches: ["body": OnnxBuilder.constant([("a", [1], [1])])])
        var external = OnnxBuilder()
        external.input("x", .float32, [1, 4])
        external.output("y", .float32, [1, 4])
        external.constants("w", [4], in: "../../blobs/secret.data")
        external.node("Add", ["x", "w"], ["y"])
        var huge = OnnxBuilder()
        huge.input("x", .float32, [1])
        huge.output("y", .float32, nil)
        huge.constants("shape", integers: [100_000, 100_000, 100], [3])
        huge.node("ConstantOfShape", ["shape"], ["z"])
        huge.node("Add", ["x", "z"], ["y"])
        var texts = OnnxBuilder()
        texts.input("x", .string, [1])
        texts.output("y", .string, [1])
        texts.node("Identity", ["x"], ["y"])
        var custom = OnnxBuilder()
        custom.input("x", .float32, [1])
        custom.output("y", .float32, [1])
        custom.node("Unheard", ["x"], ["y"], domain: "org.example")
        var unknown = OnnxBuilder()
        unknown.input("x", .float32, [1])
        unknown.output("y", .float32, [1])
        unknown.node("Unheard", ["x"], ["y"])
        var training = OnnxBuilder.constant([("scores", [1], [1, 1])])
        training.extra.add(20, ProtoMessage())
        // A graph that claims to be longer than the file.
        let claim = Data([0x08, 8, 0x12, 1, 0x61, 0x3A, 0xFF, 0xFF, 0xFF, 0xFF, 0x07])
        return [
            ("truncated", whole.dropLast(40), "damaged"), ("claim", claim, "damaged"),
            ("no graph", Data(whole.prefix(9)), "damaged"),
            ("loop", loop.data, "Loop"), ("huge", huge.data, "bytes"), ("external", external.data, "a single file"),
            ("texts", texts.data, "string"), ("custom", custom.data, "org.example.Unheard"),
            ("unknown", unknown.data, "Unheard"), ("training", training.data, "training"),
            ("names", classifier("{0: 'ash', 7: 'birch'}"), "names"),
            ("labels", classifier("{0: 'ash', 1: 'birch'}"), "3 classes but 2 labels"),
        ]
    }()
}
