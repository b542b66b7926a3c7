import OnnxRuntime
import TensorFlowLite

/// A compiled model with one owner: it takes a part of a picture, runs, and holds its outputs.
struct ModelRunner {
    /// The compiled model.
    let interpreter: any InferenceSession
    /// The reader of the model's outputs.
    var outputs = OutputValues()
    let input: ImageInput
    /// The elements of the input for all pixel values, made once for the model.
    private let elements: ElementTable

    /// Compiles a model. If the runtime does not accept a rewritten model, the original runs.
    ///
    /// - Parameter threads: the number of threads of one run.
    init(files: ModelFiles, input: ImageInput, threads: Int) throws {
        guard files.isRewritten else {
            do {
                try self.init(files.model, input: input, threads: threads)
            } catch let error as OnnxRuntimeError {
                throw LocalModelError.runtime(model: files.name, reason: error.description)
            }
            return
        }
        do {
            try self.init(files.executable, input: input, threads: threads)
        } catch {
            try self.init(files.model, input: input, threads: threads)
        }
    }

    /// Compiles a model that no other may replace.
    init(_ model: any InferenceModel, input: ImageInput, threads: Int) throws {
        interpreter = try model.makeSession(threads: threads)
        self.input = input
        elements = try ElementTable(input.format)
        if let shape = input.resizedShape {
            try interpreter.resizeInput(at: input.index, to: Tensor.Shape(shape))
        }
        try interpreter.allocateTensors()
        for index in 0..<interpreter.inputTensorCount where index != input.index {
            if let size = SizeInput(model.inputs[index]) {
                try size.write(input.format.size, at: index, of: interpreter)
            } else {
                try clearState(of: model.inputs[index], at: index)
            }
        }
    }

    /// Clears an extra input, which carries a video model's state; a still picture starts without state.
    private func clearState(of tensor: TensorDescription, at index: Int) throws {
        let zeroPoint = tensor.quantizationParameters?.zeroPoint ?? 0
        try interpreter.withMutableInput(at: index) { bytes in
            for offset in bytes.indices { bytes[offset] = UInt8(truncatingIfNeeded: zeroPoint) }
        }
    }

    /// Writes a part of a picture into the model's input.
    func write(_ placement: Placement, of picture: DecodedImage) throws {
        try interpreter.withMutableInput(at: input.index) { bytes in
            try picture.write(placement, as: input.format, elements: elements, into: bytes)
        }
    }

    /// Runs the model on its input.
    func run() throws {
        try interpreter.invoke()
    }
}
