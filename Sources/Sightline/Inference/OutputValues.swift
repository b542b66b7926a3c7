import TensorFlowLite

/// Reads a model's outputs as real numbers, without copying where they are floats already.
struct OutputValues {
    /// Dequantized values, kept between pictures so that reading does not allocate.
    private var scratch: [Float] = []

    /// Calls `body` with the real values of an output: real = scale × (stored − zeroPoint) for quantized tensors.
    ///
    /// - Throws: `InterpreterError` if the output cannot be read, and what `body` throws.
    mutating func with<Result>(
        _ tensor: OutputTensor,
        of interpreter: any InferenceSession,
        _ body: (UnsafeBufferPointer<Float>) throws -> Result
    ) throws -> Result {
        try interpreter.withOutput(at: tensor.index) { bytes in
            switch tensor.dataType {
            case .float32:
                return try body(bytes.bindMemory(to: Float.self))
            case .uInt8:
                dequantize(bytes.bindMemory(to: UInt8.self), tensor.quantization)
            case .int8:
                dequantize(bytes.bindMemory(to: Int8.self), tensor.quantization)
            case .int16:
                dequantize(bytes.bindMemory(to: Int16.self), tensor.quantization)
            case .int32:
                dequantize(bytes.bindMemory(to: Int32.self), tensor.quantization)
            case .int64:
                dequantize(bytes.bindMemory(to: Int64.self), tensor.quantization)
            case .float16:
                scratch.removeAll(keepingCapacity: true)
                scratch.append(contentsOf: bytes.bindMemory(to: UInt16.self).lazy.map(Float.init(halfBits:)))
            default:
                scratch.removeAll(keepingCapacity: true)
            }
            return try scratch.withUnsafeBufferPointer(body)
        }
    }

    private mutating func dequantize<Stored: FixedWidthInteger>(
        _ stored: UnsafeBufferPointer<Stored>,
        _ quantization: QuantizationParameters?
    ) {
        let scale = quantization?.scale ?? 1
        let zeroPoint = Float(quantization?.zeroPoint ?? 0)
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: stored.lazy.map { scale * (Float($0) - zeroPoint) })
    }
}

/// An output of a model, with the way in which its values are stored.
struct OutputTensor: Sendable, Hashable {
    /// Its position among the outputs.
    let index: Int
    /// Its name, for messages.
    let name: String
    /// Its extents.
    let shape: [Int]
    /// The type of its elements.
    let dataType: Tensor.DataType
    /// The encoding of real values; nil if they are stored as they are.
    let quantization: QuantizationParameters?

    /// The types of elements that can be read as real numbers.
    private static let readable: Set<Tensor.DataType> = [.float32, .float16, .uInt8, .int8, .int16, .int32, .int64]

    /// Describes an output.
    init(_ index: Int, of files: ModelFiles) throws(LocalModelError) {
        let outputs = files.model.outputs
        guard outputs.indices.contains(index) else {
            throw .output(model: files.name, reason: "there is no output \(index), only \(outputs.count)")
        }
        let tensor = outputs[index]
        guard Self.readable.contains(tensor.dataType) else {
            throw .output(model: files.name, reason: "its output \(tensor.name) is of type \(tensor.dataType)")
        }
        self.index = index
        name = tensor.name
        shape = files.outputShapes[index]
        dataType = tensor.dataType
        quantization = tensor.quantizationParameters
    }
}

extension Float {
    /// The value of an IEEE 754 half-precision number, by its bits. (`Float16` is not available on every platform.)
    init(halfBits bits: UInt16) {
        let sign: Float = bits & 0x8000 == 0 ? 1 : -1
        let exponent = Int(bits >> 10) & 0x1F
        let fraction = Float(bits & 0x3FF) / 1024
        self =
            switch exponent {
            case 0: sign * fraction * 0x1p-14
            case 31: fraction == 0 ? sign * .infinity : .nan
            default: sign * (1 + fraction) * Float(sign: .plus, exponent: exponent - 15, significand: 1)
            }
    }
}
