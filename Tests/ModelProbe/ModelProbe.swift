import Foundation
import TensorFlowLite

/// Loads, compiles and runs one model file for each path read from standard input, and says on standard output what came
/// of it. `Scripts/fuzz-models` feeds it damaged models and starts it again when it dies.
///
/// One line before (`begin PATH`) and one line after (`ok …` or `error …`) each model tell which of them killed it.
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
        let model = try Model(contentsOf: URL(filePath: path))
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
        for index in 0..<min(model.inputs.count, 2) { try resize(index, of: model) }
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
