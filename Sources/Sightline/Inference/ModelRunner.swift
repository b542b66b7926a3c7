import TensorFlowLite

/// A compiled model with one owner: it takes a part of a picture, runs, and holds its outputs.
struct ModelRunner {
    /// The compiled model.
    let interpreter: Interpreter
    /// The reader of the model's outputs.
    var outputs = OutputValues()
    private let input: ImageInput
    /// The elements of the input for all pixel values, made once for the model.
    private let elements: ElementTable

    /// Compiles a model. If the runtime does not accept a rewritten model, the original runs.
    ///
    /// - Parameter threads: the number of threads of one run.
    init(files: ModelFiles, input: ImageInput, threads: Int) throws {
        guard files.isRewritten else {
            try self.init(files.model, input: input, threads: threads)
            return
        }
        do {
            try self.init(files.executable, input: input, threads: threads)
        } catch {
            try self.init(files.model, input: input, threads: threads)
        }
    }

    /// Compiles a model that no other may replace.
    init(_ model: Model, input: ImageInput, threads: Int) throws {
        var options = Interpreter.Options()
        options.threadCount = max(threads, 1)
        interpreter = try Interpreter(model: model, options: options)
        self.input = input
        elements = try ElementTable(input.format)
        if let shape = input.resizedShape {
            try interpreter.resizeInput(at: input.index, to: Tensor.Shape(shape))
        }
        try interpreter.allocateTensors()
        for index in 0..<interpreter.inputTensorCount where index != input.index {
            try clearState(at: index)
        }
    }

    /// Clears an extra input, which carries a video model's state; a still picture starts without state.
    private func clearState(at index: Int) throws {
        let zeroPoint = try interpreter.input(at: index).quantizationParameters?.zeroPoint ?? 0
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
