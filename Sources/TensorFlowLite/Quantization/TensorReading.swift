import Foundation

/// Runs copies of a network whose inner tensors are outputs, and so reads the values of these.
///
/// The tensors of a copy have at most a fixed size together, so a large network is read in several passes over the pictures.
struct TensorReading {
    let network: FloatNetwork
    let file: FlatBuffer
    let limits: ModelLimits
    /// The shapes of the inputs, where they differ from the file's.
    let inputShapes: [[Int]]

    /// The bytes of all inner tensors that one pass reads.
    private static let passBytes = 96 << 20
    /// The number of tensors that one pass reads at most.
    private static let passTensors = 1000

    /// Reads tensors of float32.
    ///
    /// - Parameters:
    ///   - tensors: Their indices.
    ///   - progress: Called after each picture of each pass, with the number of pictures that are done and of all.
    ///   - body: Called for each picture and tensor with the picture's number, the tensor's index, and its values.
    func read(
        _ tensors: [Int],
        of samples: CalibrationSamples,
        progress: (Int, Int) -> Void = { _, _ in },
        _ body: (Int, Int, UnsafeBufferPointer<Float>) throws -> Void
    ) throws {
        let passes = passes(over: tensors)
        for (number, pass) in passes.enumerated() {
            let interpreter = try interpreter(reading: pass)
            for sample in 0..<samples.count {
                try Task.checkCancellation()
                try fill(interpreter, try samples.inputs(sample))
                try interpreter.invoke()
                for (place, tensor) in pass.enumerated() {
                    try interpreter.withOutput(at: place) { bytes in
                        try bytes.withMemoryRebound(to: Float.self) { try body(sample, tensor, $0) }
                    }
                }
                progress(number * samples.count + sample + 1, passes.count * samples.count)
            }
        }
    }

    /// Groups of tensors that are read together.
    private func passes(over tensors: [Int]) -> [[Int]] {
        var passes: [[Int]] = []
        var size = 0
        for tensor in tensors {
            let bytes = 4 * max(network.tensors[tensor].elementCount, 1)
            if passes.isEmpty || size + bytes > Self.passBytes || (passes.last?.count ?? 0) == Self.passTensors {
                passes.append([])
                size = 0
            }
            passes[passes.count - 1].append(tensor)
            size += bytes
        }
        return passes
    }

    /// An interpreter of the operators that some tensors need, with these tensors as its outputs.
    func interpreter(reading tensors: [Int]) throws -> Interpreter {
        var names: [Int: String] = [:]
        for (place, tensor) in tensors.enumerated() { names[tensor] = "tensor \(place)" }
        for (place, input) in network.inputs.enumerated() { names[input] = "input \(place)" }
        let data = try NetworkWriter.data(
            of: network,
            outputs: tensors,
            operators: operators(before: tensors),
            names: names,
            in: file
        )
        let interpreter = try Interpreter(model: try Model(data: data, limits: limits), options: Self.options)
        for (place, shape) in inputShapes.enumerated() where shape != network.tensors[network.inputs[place]].shape {
            try interpreter.resizeInput(at: place, to: Tensor.Shape(shape))
        }
        try interpreter.allocateTensors()
        return interpreter
    }

    private static var options: Interpreter.Options {
        var options = Interpreter.Options()
        options.threadCount = 1
        return options
    }

    func fill(_ interpreter: Interpreter, _ inputs: [Data]) throws {
        for (place, data) in inputs.enumerated() {
            try interpreter.withMutableInput(at: place) { bytes in
                guard bytes.count == data.count else {
                    throw InterpreterError.invalidTensorDataCount(provided: data.count, required: bytes.count)
                }
                data.copyBytes(to: bytes)
            }
        }
    }

    /// The positions of the operators that some tensors depend on, in their order.
    private func operators(before tensors: [Int]) -> [Int] {
        let links = network.links()
        var found: Set<Int> = []
        var rest = tensors
        while let tensor = rest.popLast() {
            guard let position = links.producers[tensor], found.insert(position).inserted else { continue }
            rest += network.operators[position].inputs.filter { $0 >= 0 }
        }
        return found.sorted()
    }
}
