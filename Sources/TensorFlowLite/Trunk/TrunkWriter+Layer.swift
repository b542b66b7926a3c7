extension TrunkWriter {
    /// Appends a layer on 8-bit features.
    mutating func append(_ layer: ClassifierLayer, quantized features: QuantizationParameters, isSigned: Bool) {
        let stored = layer.quantized(features: features, isSigned: isSigned)
        let type: ElementType = isSigned ? .int8 : .uInt8
        let (count, labels) = (trunk.featureCount, layer.bias.count)
        let weights = addTensor(
            "labels/weights",
            type,
            [labels, count],
            TensorScales(stored.weightScale, zeroPoint: stored.weightZeroPoint),
            constant: stored.weights
        )
        let bias = addTensor(
            "labels/bias",
            .int32,
            [labels],
            TensorScales(features.scale * stored.weightScale, zeroPoint: 0),
            constant: stored.bias.flatMap { bytes(UInt32(bitPattern: $0)) }
        )
        let sums = addTensor(
            "labels/sums",
            type,
            [1, labels],
            TensorScales(stored.sumScale, zeroPoint: stored.sumZeroPoint)
        )
        let input = trunk.segments.first.map { index(of: $0.tensor) } ?? 0
        add(.fullyConnected(isSigned ? 4 : 1), [input, weights, bias], sums)
        var scores = addTensor("scores", type, [1, labels], scoreScale(type))
        add(.activation(layer.activation, isSigned ? 2 : 1), [sums], scores)
        if trunk.scoreType != type {
            rename(scores, to: "labels/scores")
            let other = addTensor("scores", trunk.scoreType, [1, labels], scoreScale(trunk.scoreType))
            add(.quantize, [scores], other)
            scores = other
        }
        outputs = [scores]
    }

    /// Appends a layer on features that become floats.
    mutating func append(_ layer: ClassifierLayer, floatAfter segments: [ModelTrunk.Segment]) {
        var parts: [Int] = []
        for segment in segments {
            var part = index(of: segment.tensor)
            if segment.type != .float32 {
                let float = addTensor("labels/features", .float32, segment.shape)
                add(.dequantize(segment.type == .int8 ? 2 : 1), [part], float)
                part = float
            }
            if segments.count > 1, segment.shape.count != 2 {
                let shape = [1, segment.count]
                let flat = addTensor("labels/features", .float32, shape)
                let size = addTensor(
                    "labels/shape",
                    .int32,
                    [2],
                    constant: shape.flatMap { bytes(UInt32(truncatingIfNeeded: $0)) }
                )
                add(.reshape(shape), [part, size], flat)
                part = flat
            }
            parts.append(part)
        }
        let (count, labels) = (trunk.featureCount, layer.bias.count)
        if parts.count > 1 {
            let all = addTensor("labels/features", .float32, [1, count])
            add(.concatenation, parts, all)
            parts = [all]
        }
        let weights = addTensor(
            "labels/weights",
            .float32,
            [labels, count],
            constant: layer.weights.flatMap { bytes($0.bitPattern) }
        )
        let bias = addTensor(
            "labels/bias",
            .float32,
            [labels],
            constant: layer.bias.flatMap { bytes($0.bitPattern) }
        )
        let sums = addTensor("labels/sums", .float32, [1, labels])
        add(.fullyConnected(1), parts + [weights, bias], sums)
        let isQuantized = trunk.scoreType == .uInt8 || trunk.scoreType == .int8
        var scores = addTensor(isQuantized ? "labels/scores" : "scores", .float32, [1, labels])
        add(.activation(layer.activation, 1), [sums], scores)
        if isQuantized {
            let stored = addTensor("scores", trunk.scoreType, [1, labels], scoreScale(trunk.scoreType))
            add(.quantize, [scores], stored)
            scores = stored
        }
        outputs = [scores]
    }

    /// The scale of probabilities in bytes.
    private func scoreScale(_ type: ElementType) -> TensorScales {
        TensorScales(1 / 256, zeroPoint: type == .int8 ? -128 : 0)
    }
}
