/// The number of elements that an operator's kernel gives its output, at most. The runtime computes sizes again and does not trust the
/// file, so a small file can request a huge output.
struct OutputSize {
    private let inputs: [ModelGraph.TensorNode?]
    private let options: [Int: Int]
    private let name: String
    private let elementBits: Int

    init(_ node: ModelGraph.OperatorNode, _ name: String, _ subgraph: ModelGraph.Subgraph) {
        inputs = node.inputs.map { $0 >= 0 ? subgraph.tensors[$0] : nil }
        options = node.optionNumbers
        self.name = name
        elementBits = node.outputs.map { subgraph.tensors[$0].type.bits ?? 8 }.max() ?? 8
    }

    /// Throws if the output would take more memory than a tensor may.
    func check(_ limits: ModelLimits) throws(FlatBufferError) {
        let bytes = elements * Double(elementBits) / 8
        guard bytes <= Double(limits.maximumTensorBytes) else {
            throw FlatBufferError(
                reason: "its output would take \(bytes) bytes, more than \(limits.maximumTensorBytes)"
            )
        }
    }

    /// The shape of an input, as Double so that products do not overflow.
    private func shape(_ position: Int) -> [Double] {
        (inputs.indices.contains(position) ? inputs[position] : nil)?.shape.map(Double.init) ?? []
    }

    /// The values of an input of sizes or indices; empty where the file does not hold them.
    private func numbers(_ position: Int) -> [Double] {
        (inputs.indices.contains(position) ? inputs[position] : nil)?.integers.map(Double.init) ?? []
    }

    /// The product of an input's values as extents.
    private func extent(_ position: Int) -> Double { product(numbers(position).map { max(abs($0), 1) }) }

    private func product(_ values: some Sequence<Double>) -> Double { values.reduce(1, *) }

    private var elements: Double {
        switch name {
        case "ADD_N", "CONCATENATION", "PACK":
            inputs.compactMap { $0 }.reduce(0) { $0 + product($1.shape.map(Double.init)) }
        case "BROADCAST_TO": extent(1)
        case "FILL", "TRANSPOSE_CONV": extent(0)
        case "SCATTER_ND": extent(2)
        case "TILE", "ONE_HOT": product(shape(0)) * extent(1)
        case "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR": (shape(0).first ?? 1) * (shape(0).last ?? 1) * extent(1)
        case "PAD", "PADV2", "MIRROR_PAD": padded(from: 0, by: numbers(1))
        case "SPACE_TO_BATCH_ND": padded(from: 1, by: numbers(2))
        case "CONV_2D": strided([2, 1]) * (shape(1).first ?? 1)
        case "DEPTHWISE_CONV_2D": strided([2, 1]) * (shape(1).last ?? 1)
        case "CONV_3D": strided([1, 3, 2]) * (shape(1).last ?? 1)
        case "FULLY_CONNECTED": product(shape(0)) * (shape(1).first ?? 1) / max(shape(1).last ?? 1, 1)
        case "BATCH_MATMUL": matrixProduct
        case "GATHER_ND":
            // Each row of indices names a part of the first input: as many of its first dimensions are gone as the row is long.
            product(shape(1).dropLast()) * product(shape(0).dropFirst(Int(min(max(shape(1).last ?? 1, 0), 8))))
        case "GATHER": gathered
        case "EMBEDDING_LOOKUP": product(shape(0)) * product(shape(1).dropFirst())
        default: broadcast(inputs.compactMap { $0?.shape.map(Double.init) })
        }
    }

    /// The elements of shapes that are stretched to each other from their last dimensions on.
    private func broadcast(_ shapes: [[Double]]) -> Double {
        let rank = shapes.map(\.count).max() ?? 0
        return (0..<rank).reduce(1) { total, position in
            total * (shapes.map { position < $0.count ? $0[$0.count - 1 - position] : 1 }.max() ?? 1)
        }
    }

    /// The first input with two numbers of padding for each dimension from one on; where the file does not hold them, all numbers
    /// count for each dimension.
    private func padded(from first: Int, by padding: [Double]) -> Double {
        let shape = shape(0)
        let isKnown = padding.count.isMultiple(of: 2) && padding.count <= 2 * (shape.count - first)
        return product(
            shape.indices.map { dimension in
                let start = 2 * (dimension - first)
                if start >= 0, isKnown, start < padding.count {
                    return shape[dimension] + abs(padding[start]) + abs(padding[start + 1])
                }
                return shape[dimension] + (isKnown ? 0 : padding.map(abs).reduce(0, +))
            }
        )
    }

    /// The places of a convolution's output: the first input without its channels, by the strides in some slots of the options.
    private func strided(_ slots: [Int]) -> Double {
        let places = shape(0).dropLast()
        guard places.count == slots.count + 1 else { return product(places) }
        return zip(places.dropFirst(), slots).reduce(places.first ?? 1) { total, next in
            total * (next.0 / Double(max(options[next.1] ?? 1, 1))).rounded(.up)
        }
    }

    /// A matrix product for each pair of matrices; options 0 and 1 turn the matrices of the two inputs.
    private var matrixProduct: Double {
        let (left, right) = (shape(0), shape(1))
        guard left.count >= 2, right.count >= 2 else { return product(left) * product(right) }
        let rows = left[left.count - (options[0] ?? 0 == 0 ? 2 : 1)]
        let columns = right[right.count - (options[1] ?? 0 == 0 ? 1 : 2)]
        return broadcast([left.dropLast(2), right.dropLast(2)].map(Array.init)) * rows * columns
    }

    /// The first input with the indices in place of the dimension that option 0 names; option 1 is the number of first dimensions
    /// that both inputs share.
    private var gathered: Double {
        let (values, indices) = (shape(0), shape(1))
        func number(_ slot: Int, _ rank: Int) -> Int {
            let number = options[slot] ?? 0
            return number < 0 ? number + rank : number
        }
        let (axis, shared) = (number(0, values.count), number(1, indices.count))
        guard values.indices.contains(axis), (0...min(axis, indices.count)).contains(shared) else {
            return product(values) * product(indices)
        }
        return product(values[..<axis]) * product(indices[shared...]) * product(values[(axis + 1)...])
    }
}
