import Foundation
import OnnxRuntime
import TensorFlowLite

/// A rewritten model does not run although its original does.
struct RewrittenModelFails: Error {
    let reason: String
}

/// Loads, compiles and runs one model file for each path read from standard input, and says on standard output what came
/// of it. `Scripts/tools fuzz models` feeds it damaged models and starts it again when it dies.
///
/// With `--optimize` it rewrites each model before. A rewritten model that does not run where the original does is a fault;
/// with `--optimize FOLDER` the rewritten models are written there.
///
/// One line before (`begin PATH`) and one line after (`ok …` or `error …`) each model show which of them killed it.
@main
enum ModelProbe {
    static func main() {
        while let path = readLine() {
            say("begin \(path)")
            do {
                say("ok \(try probe(path))")
            } catch {
                let text = "\(error)".replacingOccurrences(of: "\n", with: " ")
                say("error \(type(of: error)) \(text)")
            }
        }
    }

    /// Unbuffered: the line must be out before the process can die.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private static func probe(_ path: String) throws -> String {
        if path.hasSuffix(".onnx") { return try run(OnnxModel(contentsOf: URL(filePath: path))) }
        let original = try Model(contentsOf: URL(filePath: path))
        guard CommandLine.arguments.dropFirst().first == "--optimize" else {
            let result = try run(original)
            for index in 0..<min(original.inputs.count, 2) { try resize(index, of: original) }
            return result
        }
        // Half of all scores are below this threshold.
        let optimizer = ModelOptimizer(scoreThreshold: CommandLine.arguments.count > 2 ? nil : 0.5)
        let optimized = try optimizer.optimized(original)
        if let folder = CommandLine.arguments.dropFirst(2).first {
            let name = URL(filePath: path).lastPathComponent
            try optimized.model.data.write(to: URL(filePath: folder).appending(path: name))
        }
        let rewritten = Result { try run(optimized.model) }
        do {
            _ = try run(original)
        } catch {
            return "original: \(error)".replacingOccurrences(of: "\n", with: " ")
        }
        do {
            return try rewritten.get() + " " + optimized.plan.rewrites.map(\.description).joined(separator: "; ")
        } catch {
            throw RewrittenModelFails(reason: "\(error)")
        }
    }

    /// Runs an ONNX model with the shapes that the file states, and 1 for open extents.
    private static func run(_ model: OnnxModel) throws -> String {
        let session = try model.makeSession(threads: 1)
        try session.allocateTensors()
        for index in 0..<session.inputTensorCount {
            try session.withMutableInput(at: index) { bytes in
                for position in bytes.indices { bytes[position] = UInt8(truncatingIfNeeded: position) }
            }
        }
        try session.invoke()
        let bytes = try (0..<session.outputTensorCount).reduce(0) { try $0 + session.output(at: $1).data.count }
        return "\(bytes) bytes"
    }

    private static func run(_ model: Model) throws -> String {
        for name in model.associatedFileNames { _ = try? model.associatedFile(named: name) }
        let interpreter = try Interpreter(model: model)
        try interpreter.allocateTensors()
        for index in 0..<interpreter.inputTensorCount {
            try interpreter.withMutableInput(at: index) { bytes in
                for position in bytes.indices { bytes[position] = UInt8(truncatingIfNeeded: position &* 37) }
            }
        }
        try interpreter.invoke()
        try interpreter.invoke()
        var sum = 0
        var shapes: [String] = []
        for index in 0..<interpreter.outputTensorCount {
            let output = try interpreter.output(at: index)
            sum = output.data.reduce(sum) { $0 &+ Int($1) }
            shapes.append("\(output.name)\(output.shape.dimensions)")
        }
        for key in interpreter.signatureKeys { try interpreter.signatureRunner(with: key).invoke(with: [:]) }
        return "\(shapes.joined(separator: " ")) sum \(sum)"
    }

    /// Gives an input other shapes, of other ranks too. The runtime may refuse them, but must not crash.
    private static func resize(_ index: Int, of model: Model) throws {
        let shape = model.inputs[index].shape.dimensions.map { max($0, 1) }
        // Large ones take long enough once.
        guard let count = Tensor.Shape(shape).elementCount, count < 1 << 20 else { return }
        let others = [
            [2], [2, 2, 3], shape + [1], [1] + shape, Array(shape.dropFirst()), Array(shape.dropLast()),
            [shape.reduce(1, *)], shape.map { $0 + 1 }, Array(shape.reversed()),
        ]
        let interpreter = try Interpreter(model: model)
        for other in others where !other.isEmpty {
            do {
                try interpreter.resizeInput(at: index, to: Tensor.Shape(other))
                try interpreter.allocateTensors()
                try interpreter.invoke()
            } catch is InterpreterError {
                continue
            }
        }
    }
}
