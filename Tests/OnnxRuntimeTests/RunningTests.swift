import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@testable import OnnxRuntime

/// The tests that run models; skipped where the library is not installed.
extension Trait where Self == ConditionTrait {
    static var needsOnnxRuntime: Self {
        .enabled(if: (try? OnnxLibrary.shared()) != nil, "ONNX Runtime is not installed; `make runtime` installs it.")
    }
}

extension OnnxBuilder {
    /// y = 2 x + 1 for each of some numbers.
    static func line(_ shape: [OnnxExtent] = [1, 4], output: [OnnxExtent]? = [1, 4]) -> OnnxBuilder {
        var model = OnnxBuilder()
        model.input("x", .float32, shape)
        model.output("y", .float32, output)
        model.constants("two", [2], [1])
        model.constants("one", [1], [1])
        model.node("Mul", ["x", "two"], ["twice"])
        model.node("Add", ["twice", "one"], ["y"])
        return model
    }
}

extension InferenceSession {
    func write(_ values: [Float], at index: Int = 0) throws {
        try withMutableInput(at: index) { bytes in values.withUnsafeBytes { bytes.copyMemory(from: $0) } }
    }

    func floats(at index: Int = 0) throws -> [Float] {
        try withOutput(at: index) { Array($0.bindMemory(to: Float.self)) }
    }
}

@Suite(.hangLimit, .needsOnnxRuntime) struct RunningTests {
    @Test func runsAModel() throws {
        let session = try OnnxModel(data: OnnxBuilder.line().data).makeSession(threads: 1)
        try session.allocateTensors()
        try session.write([0, 1, 2, -3])
        try session.invoke()
        #expect(try session.floats() == [1, 3, 5, -5])
        let output = try session.output(at: 0)
        #expect(output.name == "y" && output.shape.dimensions == [1, 4] && output.dataType == .float32)
    }

    @Test func sessionsOfOneModelRunAtTheSameTime() async throws {
        let model = try OnnxModel(data: OnnxBuilder.line().data)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let session = try model.makeSession(threads: 1)
                    try session.allocateTensors()
                    for round in 0..<50 {
                        let value = Float(100 * number + round)
                        try session.write([value, 0, 0, 0])
                        try session.invoke()
                        guard try session.floats()[0] == 2 * value + 1 else { return false }
                    }
                    return true
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test func anOpenBatchTakesTheShapeThatItIsGiven() throws {
        let model = try OnnxModel(data: OnnxBuilder.line(["batch", 4], output: ["batch", 4]).data)
        #expect(model.inputs[0].shape.dimensions == [-1, 4])
        #expect(try model.outputShapes(withInput: 0, of: [3, 4], threads: 1) == [[3, 4]])
        let session = try model.makeSession(threads: 1)
        try session.resizeInput(at: 0, to: [2, 4])
        try session.allocateTensors()
        try session.write([1, 1, 1, 1, 2, 2, 2, 2])
        try session.invoke()
        #expect(try session.floats() == [3, 3, 3, 3, 5, 5, 5, 5])
    }

    @Test func aShapeThatTheFileDoesNotStateIsFoundByARun() throws {
        let model = try OnnxModel(data: OnnxBuilder.line(["batch", "width"], output: nil).data)
        #expect(try model.outputShapes(withInput: 0, of: [1, 7], threads: 1) == [[1, 7]])
    }

    @Test(arguments: [[1, 5], [1, 4, 1], [0, 4], [1]]) func refusesAShapeThatDoesNotFit(shape: [Int]) throws {
        let session = try OnnxModel(data: OnnxBuilder.line().data).makeSession(threads: 1)
        #expect(throws: InterpreterError.failedToResizeInputTensor(index: 0)) {
            try session.resizeInput(at: 0, to: Tensor.Shape(shape))
        }
    }

    @Test func refusesAnOutputOfAnotherShapeThanTheFileStates() throws {
        let session = try OnnxModel(data: OnnxBuilder.line(["batch", 4], output: [2, 4]).data).makeSession(threads: 1)
        try session.allocateTensors()
        let error = #expect(throws: InterpreterError.self) { try session.invoke() }
        #expect(error?.description.contains("[1, 4] in its output y, where its file states float32 [2, 4]") == true)
    }

    @Test func tensorsWithoutMemoryLeadToErrors() throws {
        let session = try OnnxModel(data: OnnxBuilder.line().data).makeSession(threads: 1)
        #expect(throws: InterpreterError.allocateTensorsRequired) { try session.invoke() }
        #expect(throws: InterpreterError.invokeInterpreterRequired) { try session.output(at: 0) }
        #expect(throws: InterpreterError.invalidTensorIndex(index: 1, maxIndex: 0)) { try session.output(at: 1) }
    }

    @Test func passesOnTheReasonWhyTheRuntimeRefusesAModel() throws {
        var builder = OnnxBuilder.line()
        builder.node("Levitate", ["x"], ["z"])
        let model = try OnnxModel(data: builder.data)
        let error = #expect(throws: ModelError.self) { try model.makeSession(threads: 1) }
        #expect(error?.description.contains("Levitate") == true)
        #expect(error?.description.contains("/onnxruntime_src/") == false)
    }

    @Test func memoryThatAnInputAsksForIsBounded() throws {
        var builder = OnnxBuilder()
        builder.input("size", .int64, [2])
        builder.output("y", .float32, ["height", "width"])
        builder.node("ConstantOfShape", ["size"], ["y"])
        let session = try OnnxModel(data: builder.data).makeSession(threads: 1)
        try session.allocateTensors()
        try session.withMutableInput(at: 0) { bytes in
            [Int64(1 << 24), Int64(1 << 20)].withUnsafeBytes { bytes.copyMemory(from: $0) }
        }
        let error = #expect(throws: InterpreterError.self) { try session.invoke() }
        #expect(error?.description.contains("memory") == true)
    }

    @Test func takesWeightsFromAFileBesideTheModel() throws {
        try withTemporaryFolder { folder in
            var builder = OnnxBuilder()
            builder.input("x", .float32, [1, 4])
            builder.output("y", .float32, [1, 4])
            builder.constants("w", [4], in: "model.weights", offset: 8, length: 16)
            builder.node("Mul", ["x", "w"], ["y"])
            try builder.data.write(to: folder.appending(path: "model.onnx"))
            let weights: [Float] = [9, 9, 1, 2, 3, 4]
            try weights.withUnsafeBytes { Data($0) }.write(to: folder.appending(path: "model.weights"))
            let session = try OnnxModel(contentsOf: folder.appending(path: "model.onnx")).makeSession(threads: 1)
            try session.allocateTensors()
            try session.write([1, 1, 1, 10])
            try session.invoke()
            #expect(try session.floats() == [1, 2, 3, 40])
        }
    }

    @Test func branchesRun() throws {
        var one = OnnxBuilder()
        one.node("Identity", ["x"], ["a"])
        one.output("a", .float32, [1, 4])
        var other = OnnxBuilder()
        other.node("Neg", ["x"], ["b"])
        other.output("b", .float32, [1, 4])
        var builder = OnnxBuilder()
        builder.input("x", .float32, [1, 4])
        builder.output("y", .float32, [1, 4])
        builder.constants("zero", [0], [])
        builder.node("ReduceMax", ["x"], ["largest"], integers: ["keepdims": [0]])
        builder.node("Greater", ["largest", "zero"], ["isPositive"])
        builder.node("If", ["isPositive"], ["y"], branches: ["then_branch": one, "else_branch": other])
        let session = try OnnxModel(data: builder.data).makeSession(threads: 1)
        try session.allocateTensors()
        try session.write([-1, -2, -3, -4])
        try session.invoke()
        #expect(try session.floats() == [1, 2, 3, 4])
    }
}
