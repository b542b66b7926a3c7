/// The channels of a network that can be multiplied by a factor only together.
///
/// A concatenation, for example, joins each channel of its operands with a channel of its result. Channels that an operator reads to
/// which a factor would matter are bound: their factor is 1. So are those that an addition reads: they belong to many layers, which
/// need different factors.
struct ChannelClasses {
    private let network: FloatNetwork
    /// The position of each tensor's first channel among all channels; nil for a tensor without channels.
    private var starts: [Int?]
    private var parents: [Int32]
    private var bound: [Bool]
    /// Whether values above 6 become 6.
    private var cut: [Bool]

    /// The largest number of channels of all tensors together.
    private static let maximumCount = 4_000_000

    init(_ network: FloatNetwork, in file: FlatBuffer) throws(FlatBufferError) {
        self.network = network
        var count = 0
        // A file may have tensors that nothing computes or reads.
        let links = network.links()
        starts = zip(network.tensors, links.producers).map { tensor, producer in
            guard producer != nil, tensor.isComputedFloat, let channels = tensor.shape.last,
                count + channels <= Self.maximumCount
            else {
                return nil
            }
            count += channels
            return count - channels
        }
        parents = (0..<count).map { Int32($0) }
        bound = [Bool](repeating: false, count: count)
        cut = bound
        for operation in network.operators where try !join(operation, links.consumers, file) {
            for tensor in operation.inputs + operation.outputs where tensor >= 0 { bind(tensor) }
        }
        for tensor in network.inputs + network.outputs { bind(tensor) }
    }

    /// The number that stands for the class of a channel; nil if it is bound.
    func number(of tensor: Int, _ channel: Int) -> Int? {
        guard let start = starts[tensor] else { return nil }
        let root = find(start + channel)
        return bound[root] ? nil : root
    }

    /// Whether values of a class above 6 become 6.
    func isCut(_ number: Int) -> Bool { cut[number] }

    /// The tensors with a channel that is not bound.
    var tensors: [Int] {
        network.tensors.indices.filter { tensor in
            starts[tensor] != nil
                && (0..<(network.tensors[tensor].shape.last ?? 0)).contains { number(of: tensor, $0) != nil }
        }
    }

    private func find(_ place: Int) -> Int {
        var place = place
        while parents[place] != place { place = Int(parents[place]) }
        return place
    }

    private mutating func join(_ one: Int, _ other: Int) {
        let (first, second) = (find(one), find(other))
        guard first != second else { return }
        let (root, child) = (min(first, second), max(first, second))
        parents[child] = Int32(root)
        // Shortens the paths of both, so that later searches are short.
        (parents[one], parents[other]) = (Int32(root), Int32(root))
        bound[root] = bound[root] || bound[child]
        cut[root] = cut[root] || cut[child]
    }

    private mutating func bind(_ tensor: Int) {
        guard let start = starts[tensor] else { return }
        for channel in 0..<(network.tensors[tensor].shape.last ?? 0) { bound[find(start + channel)] = true }
    }

    private mutating func cut(_ tensor: Int) {
        guard let start = starts[tensor] else { return }
        for channel in 0..<(network.tensors[tensor].shape.last ?? 0) { cut[find(start + channel)] = true }
    }

    /// Joins the channels of an input with those of an output from the given channel on.
    private mutating func join(_ input: Int, _ output: Int, from first: Int = 0) -> Bool {
        guard let one = starts[input], let other = starts[output], let count = network.tensors[input].shape.last,
            let room = network.tensors[output].shape.last, first >= 0, first + count <= room
        else { return false }
        for channel in 0..<count { join(one + channel, other + first + channel) }
        return true
    }

    // MARK: - Operators

    /// Joins the channels of an operator's operands.
    ///
    /// - Returns: False if a factor of a channel does not pass through the operator.
    private mutating func join(
        _ operation: FloatNetwork.Operator,
        _ consumers: [[Int]],
        _ file: FlatBuffer
    ) throws(FlatBufferError) -> Bool {
        guard let input = operation.inputs.first, input >= 0, let output = operation.outputs.first else { return false }
        let isSameDepth = network.tensors[input].shape.last == network.tensors[output].shape.last
        switch operation.name {
        case "CONV_2D", "DEPTHWISE_CONV_2D":
            // None, RELU, and RELU6.
            guard [0, 1, 3].contains(operation.fusedActivation), ownsConstants(operation, consumers),
                network.tensors[operation.inputs[1]].shape.last == network.tensors[input].shape.last
            else { return false }
            if operation.fusedActivation == 3 { cut(output) }
            return true
        case "RELU6":
            guard join(input, output) else { return false }
            cut(output)
            return true
        case "AVERAGE_POOL_2D", "LEAKY_RELU", "MAX_POOL_2D", "RELU", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR":
            return isSameDepth && join(input, output)
        case "PAD":
            if isSameDepth { return join(input, output) }
            guard operation.inputs.count == 2, let padding = try network.int32s(operation.inputs[1], in: file),
                padding.count == 2 * network.tensors[output].shape.count
            else { return false }
            return join(input, output, from: padding[padding.count - 2])
        case "CONCATENATION":
            let shape = network.tensors[output].shape
            var first = 0
            // Along the channels; along another dimension, each input has the depth of the output.
            guard operation.inputs.count > 1,
                operation.inputs.reduce(0, { $0 + (network.tensors[$1].shape.last ?? 0) }) == shape.last
            else { return false }
            for input in operation.inputs {
                guard join(input, output, from: first) else { return false }
                first += network.tensors[input].shape.last ?? 0
            }
            return true
        default: return false
        }
    }

    /// Whether the weights and the bias of a layer are constants that no other operator reads.
    private func ownsConstants(_ layer: FloatNetwork.Operator, _ consumers: [[Int]]) -> Bool {
        guard layer.inputs.count >= 2, layer.inputs[1] >= 0, network.tensors[layer.inputs[1]].shape.count == 4 else {
            return false
        }
        return layer.inputs.dropFirst().allSatisfy { input in
            guard input >= 0 else { return true }
            let tensor = network.tensors[input]
            return tensor.constant != nil && tensor.type == .float32 && consumers[input].count == 1
        }
    }
}
