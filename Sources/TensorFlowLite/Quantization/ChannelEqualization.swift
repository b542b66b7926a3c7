/// Gives the channels between layers similar ranges, without a change of the results.
///
/// An output channel of a layer is divided by a factor, and the weights with which later layers read the channel are multiplied by it.
/// Nothing else changes: `RELU`, for example, is linear for each sign. A tensor has a single scale, so a channel of small values would
/// otherwise have few steps. Source: Nagel et al., Data-Free Quantization Through Weight Equalization and Bias Correction (2019).
struct ChannelEqualization {
    private let network: FloatNetwork
    private let classes: ChannelClasses
    private let file: FlatBuffer

    /// The largest factor, and its inverse the smallest.
    private static let largestFactor: Float = 64
    /// The part by which a value may exceed the largest of the pictures before it is cut.
    private static let reserve: Float = 1.15

    init(_ network: FloatNetwork, in file: FlatBuffer) throws(FlatBufferError) {
        (self.network, self.file) = (network, file)
        classes = try ChannelClasses(network, in: file)
    }

    /// The tensors whose values decide.
    var tensors: [Int] { classes.tensors }

    /// The network with changed weights.
    func applied(_ statistics: [Int: ActivationStatistics]) throws(FlatBufferError) -> FloatNetwork {
        let known = try self.factors(statistics)
        func factors(of tensor: Int) -> [Float]? {
            let channels = network.tensors[tensor].shape.last ?? 0
            let found = (0..<channels).map { classes.number(of: tensor, $0).flatMap { known[$0] } ?? 1 }
            return found.allSatisfy { $0 == 1 } ? nil : found
        }
        var result = network
        for (position, operation) in network.operators.enumerated() where Self.isLayer(operation) {
            if let factors = factors(of: operation.outputs[0]) {
                try result.scaleOutput(of: position, by: factors.map { 1 / $0 }, in: file)
            }
            if let factors = factors(of: operation.inputs[0]) {
                try result.scaleInput(of: position, by: factors, in: file)
            }
        }
        return result
    }

    private static func isLayer(_ operation: FloatNetwork.Operator) -> Bool {
        operation.name == "CONV_2D" || operation.name == "DEPTHWISE_CONV_2D"
    }

    /// The factors by which the channels of each class are divided. A depthwise layer has a scale for each channel, so its weights lose
    /// nothing; where other layers read a channel, activations and weights share the difference.
    private func factors(_ statistics: [Int: ActivationStatistics]) throws(FlatBufferError) -> [Int: Float] {
        var (shares, peaks): ([Int: Float], [Int: Float]) = ([:], [:])
        for (tensor, values) in statistics {
            guard let largest = values.peaks.max(), largest > 0, largest.isFinite else { continue }
            for (channel, peak) in values.peaks.enumerated() {
                guard let number = classes.number(of: tensor, channel) else { continue }
                shares[number] = max(shares[number] ?? 0, peak / largest)
                peaks[number] = max(peaks[number] ?? 0, peak)
            }
        }
        var weights: [Int: Float] = [:]
        for operation in network.operators where operation.name == "CONV_2D" {
            let depth = network.tensors[operation.inputs[0]].shape.last ?? 0
            guard depth > 0, let values = try network.floats(operation.inputs[1], in: file) else { continue }
            var largest = [Float](repeating: 0, count: depth)
            for (place, value) in values.enumerated() {
                largest[place % depth] = max(largest[place % depth], abs(value))
            }
            let all = max(largest.max() ?? 0, .leastNormalMagnitude)
            for (channel, weight) in largest.enumerated() {
                guard let number = classes.number(of: operation.inputs[0], channel) else { continue }
                weights[number] = max(weights[number] ?? 0, weight / all)
            }
        }
        var factors: [Int: Float] = [:]
        for (number, share) in shares {
            var factor = weights[number].map { (share / max($0, 1e-6)).squareRoot() } ?? share
            factor = min(max(factor, 1 / Self.largestFactor), Self.largestFactor)
            // Larger values are cut at 6 after the change as well, so a channel may grow to 6 at most, and never shrinks.
            if classes.isCut(number) { factor = min(max(factor, Self.reserve * (peaks[number] ?? 6) / 6), 1) }
            factors[number] = factor
        }
        return factors
    }
}

extension FloatNetwork {
    /// The values of a constant of int32; nil for every other tensor.
    func int32s(_ index: Int, in file: FlatBuffer) throws(FlatBufferError) -> [Int]? {
        guard index >= 0, tensors[index].type == .int32, let constant = tensors[index].constant else { return nil }
        let bytes = try bytes(of: constant, in: file)
        return bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map {
                Int(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self)))
            }
        }
    }

    /// Multiplies the output channels of a convolution.
    fileprivate mutating func scaleOutput(
        of layer: Int,
        by factors: [Float],
        in file: FlatBuffer
    ) throws(FlatBufferError) {
        let operation = operators[layer]
        let (weights, isDepthwise) = (operation.inputs[1], operation.name == "DEPTHWISE_CONV_2D")
        guard var values = try floats(weights, in: file) else { return }
        let size = max(values.count / factors.count, 1)
        for place in values.indices { values[place] *= factors[isDepthwise ? place % factors.count : place / size] }
        set(weights, to: values)
        guard operation.inputs.count > 2, var bias = try floats(operation.inputs[2], in: file) else { return }
        for channel in bias.indices { bias[channel] *= factors[channel] }
        set(operation.inputs[2], to: bias)
    }

    /// Multiplies the weights of a convolution by a factor for each input channel.
    fileprivate mutating func scaleInput(
        of layer: Int,
        by factors: [Float],
        in file: FlatBuffer
    ) throws(FlatBufferError) {
        let weights = operators[layer].inputs[1]
        guard var values = try floats(weights, in: file) else { return }
        for place in values.indices { values[place] *= factors[place % factors.count] }
        set(weights, to: values)
    }

    private mutating func set(_ tensor: Int, to values: [Float]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 * values.count)
        for value in values { withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 } }
        tensors[tensor].constant = .bytes(bytes)
    }
}
