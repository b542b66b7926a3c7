/// The weights of a layer as symmetric 8-bit integers, with a scale for each output channel.
struct QuantizedWeights {
    /// The integers, −127…127, in the order of the weights. Kernels for ARM processors do not allow −128.
    private(set) var values: [Int8]
    /// The scale of each channel.
    private(set) var scales: [Float]
    /// The places of the weights of a channel: the first, the distance of two, and the count.
    let layout: ChannelLayout

    /// Factors of the scale that are tried: a smaller scale cuts the largest weights and is finer for all others.
    private static let factors = stride(from: 0.7, through: 1.0, by: 0.02).map { $0 }

    /// - Parameters:
    ///   - weights: The weights.
    ///   - leastScales: The least scale of each channel, so that its bias and the ratio of its scales fit the kernels' integers.
    ///   - isPerChannel: Whether each channel has its own scale.
    init(_ weights: [Float], _ layout: ChannelLayout, leastScales: [Float]) {
        self.layout = layout
        values = [Int8](repeating: 0, count: weights.count)
        scales = []
        for channel in 0..<layout.channelCount {
            var part: [Float] = []
            layout.forEachPlace(of: channel) { part.append(weights[$0]) }
            let scale = max(Self.scale(of: part), leastScales[channel])
            scales.append(scale)
            layout.forEachPlace(of: channel) { values[$0] = Self.rounded(weights[$0] / scale) }
        }
    }

    /// The scale with the least squared error.
    private static func scale(of weights: [Float]) -> Float {
        let largest = weights.lazy.map(abs).max() ?? 0
        guard largest > 0, largest.isFinite else { return 0 }
        var best = (error: Double.infinity, scale: largest / 127)
        for factor in factors {
            let scale = largest / 127 * Float(factor)
            var error = 0.0
            for weight in weights {
                let difference = Double(weight - Float(rounded(weight / scale)) * scale)
                error += difference * difference
            }
            if error < best.error { best = (error, scale) }
        }
        return best.scale
    }

    private static func rounded(_ weight: Float) -> Int8 {
        guard weight.isFinite else { return 0 }
        return Int8(min(max(weight.rounded(.toNearestOrEven), -127), 127))
    }

    /// The mean of what a channel adds up too much because its weights are rounded.
    ///
    /// - Parameters:
    ///   - weights: The weights before rounding.
    ///   - means: The mean of the input that a weight is multiplied with, by the weight's place.
    func meanError(of channel: Int, _ weights: [Float], means: (Int) -> Double) -> Double {
        var sum = 0.0
        layout.forEachPlace(of: channel) { place in
            sum += (Double(values[place]) * Double(scales[channel]) - Double(weights[place])) * means(place)
        }
        return sum
    }
}

/// The places of the weights of each output channel.
struct ChannelLayout {
    let channelCount: Int
    private let start: Int
    private let step: Int
    private let count: Int

    /// Channels lie one after another (the first dimension), or their weights take turns (the last).
    init(shape: [Int], dimension: Int) {
        channelCount = max(shape[dimension], 1)
        count = shape.reduce(1, *) / channelCount
        (start, step) = dimension == 0 ? (count, 1) : (1, channelCount)
    }

    func forEachPlace(of channel: Int, _ body: (Int) -> Void) {
        for index in 0..<count { body(channel * start + index * step) }
    }
}
