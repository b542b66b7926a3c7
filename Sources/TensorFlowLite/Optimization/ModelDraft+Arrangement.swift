/// Operators that arrange numbers without computing.
///
/// Source of the numbers of operators and options: the TensorFlow Lite schema, version 3.
extension ModelDraft {
    /// Gives the numbers of a tensor another shape.
    ///
    /// - Parameter output: The reshaped tensor.
    mutating func reshaping(_ input: Int, to shape: [Int], as output: Int) throws(ModelOptimizerError) -> Operator {
        let sizes = try addIntegers(shape, suffix: "_shape", like: input)
        return Operator(
            code: code(22, "RESHAPE", version: 1),
            inputs: [input, sizes],
            outputs: [output],
            optionsType: 17,
            options: [0: .offset(.int32s(shape.map { Int32(clamping: $0) }))]
        )
    }

    /// Puts tensors one after the other along a dimension.
    mutating func concatenation(of inputs: [Int], along dimension: Int, as output: Int) -> Operator {
        Operator(
            code: code(2, "CONCATENATION", version: 1),
            inputs: inputs,
            outputs: [output],
            optionsType: 10,
            options: [0: .uint32(UInt32(dimension))]
        )
    }

    /// Takes a range of the last dimension.
    mutating func slice(of input: Int, columns: Range<Int>, as output: Int) throws(ModelOptimizerError) -> Operator {
        let shape = tensors[input].shape
        let others = shape.dropLast()
        return Operator(
            code: code(45, "STRIDED_SLICE", version: 1),
            inputs: [
                input,
                try addIntegers(others.map { _ in 0 } + [columns.lowerBound], suffix: "_begin", like: input),
                try addIntegers(others + [columns.upperBound], suffix: "_end", like: input),
                try addIntegers(shape.map { _ in 1 }, suffix: "_strides", like: input),
            ],
            outputs: [output],
            optionsType: 32
        )
    }

    private mutating func addIntegers(
        _ values: [Int],
        suffix: String,
        like index: Int
    ) throws(ModelOptimizerError) -> Int {
        let bytes = values.flatMap { value in
            withUnsafeBytes(of: Int32(clamping: value).littleEndian, Array.init)
        }
        let buffer = try addBuffer(bytes)
        return addTensor(like: index, suffix: suffix, .int32, nil, shape: [values.count], buffer: buffer)
    }
}
