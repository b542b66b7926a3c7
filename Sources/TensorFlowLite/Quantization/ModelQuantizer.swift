import Foundation

/// Turns a float model into an int8 model, with the ranges of values that it computes for some pictures.
///
/// ```swift
/// let samples = CalibrationSamples(count: inputs.count) { [inputs[$0]] }
/// let quantized = try ModelQuantizer().quantized(model, with: samples)
/// ```
///
/// Layers compute with int8 activations and int8 weights, which have a scale for each output channel. Activations have the range
/// with the least squared error. What rounded weights add on average is taken off the biases. What follows the last layers, such
/// as the decoding of boxes, computes with floats, and so does every operator without an int8 kernel. Inputs and outputs keep their
/// types, so the file stands in for the original. The same pictures give the same bytes.
public struct ModelQuantizer: Sendable {
    /// The version of the method. It changes when the same model and pictures lead to other bytes.
    public static let version = 2

    /// The pictures that decide about the ranges of channels.
    private static let equalizationPictures = 32

    var method = ActivationStatistics.Method.leastError

    /// Creates a quantizer.
    public init() {}

    /// Quantizes a model.
    ///
    /// - Parameters:
    ///   - model: A model of floats.
    ///   - samples: Pictures such as the model sees in use, some hundred.
    ///   - inputShapes: The shapes of the samples; nil for those of the file.
    ///   - progress: Called with the work that is done and all work, in pictures.
    /// - Throws: ``ModelQuantizerError``, `CancellationError`, an error of the samples, or one of the runtime.
    public func quantized(
        _ model: Model,
        with samples: CalibrationSamples,
        inputShapes: [[Int]]? = nil,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> OptimizedModel {
        guard samples.count > 0 else { throw ModelQuantizerError.noSamples }
        do {
            return try model.data.withUnsafeBytes { bytes in
                try quantized(model, in: FlatBuffer(bytes: bytes), samples, inputShapes, progress)
            }
        } catch let error as FlatBufferError {
            throw ModelQuantizerError.layout(reason: error.reason)
        }
    }

    private func quantized(
        _ model: Model,
        in file: FlatBuffer,
        _ samples: CalibrationSamples,
        _ inputShapes: [[Int]]?,
        _ progress: (Int, Int) -> Void
    ) throws -> OptimizedModel {
        let original = try FloatNetwork(model.graph, in: file)
        guard !QuantizationPlan(original).layers.isEmpty else {
            let kept = QuantizationPlan(original).kept
            throw ModelQuantizerError.nothingToGain(reasons: kept.map { "\($0.name): \($0.reason)" })
        }
        func reading(_ network: FloatNetwork) -> TensorReading {
            TensorReading(
                network: network,
                file: file,
                limits: model.limits,
                inputShapes: inputShapes ?? network.inputs.map { network.tensors[$0].shape }
            )
        }
        let equalization = try ChannelEqualization(original, in: file)
        var statistics: [Int: ActivationStatistics] = [:]
        for tensor in equalization.tensors { statistics[tensor] = original.emptyStatistics(of: tensor) }
        try measure(original, reading(original), samples.prefix(Self.equalizationPictures), &statistics, progress)
        let network = try equalization.applied(statistics)
        var plan = QuantizationPlan(network)
        statistics = [:]
        for tensor in plan.touched { statistics[tensor] = network.emptyStatistics(of: tensor) }
        try measure(network, reading(network), samples, &statistics, progress)
        let scales = try ActivationScales(network, statistics, method, in: file)
        let search = SensitivitySearch(
            network: network,
            file: file,
            reading: reading(network),
            statistics: statistics,
            scales: scales.scales
        )
        let excluded = try search.excluded(from: plan, samples, progress: progress)
        plan = QuantizationPlan(network, excluding: excluded)
        let result = try NetworkQuantization.network(of: network, plan, scales.scales(for: plan), statistics, in: file)
        return OptimizedModel(
            model: try written(result, like: model, in: file),
            plan: OptimizationPlan(
                rewrites: [
                    .calibratedIntegers(
                        layers: plan.layers.count + plan.isHead.count(where: \.self),
                        floatLayers: network.layerCount - plan.layers.count - plan.isHead.count(where: \.self),
                        pictures: samples.count
                    )
                ],
                kept: plan.kept
            )
        )
    }

    /// Reads the values of tensors for all samples.
    private func measure(
        _ network: FloatNetwork,
        _ reading: TensorReading,
        _ samples: CalibrationSamples,
        _ statistics: inout [Int: ActivationStatistics],
        _ progress: (Int, Int) -> Void
    ) throws {
        let inputs = statistics.keys.filter(network.inputs.contains)
        // The values of inputs are those of the samples.
        if !inputs.isEmpty {
            for number in 0..<samples.count {
                let data = try samples.inputs(number)
                for tensor in inputs {
                    guard let place = network.inputs.firstIndex(of: tensor), data.indices.contains(place) else {
                        continue
                    }
                    var values = [Float](repeating: 0, count: data[place].count / 4)
                    _ = values.withUnsafeMutableBytes { data[place].copyBytes(to: $0) }
                    values.withUnsafeBufferPointer { statistics[tensor]?.add($0) }
                }
            }
        }
        let inner = statistics.keys.filter { !network.inputs.contains($0) }.sorted()
        try reading.read(inner, of: samples, progress: progress) { _, tensor, values in
            statistics[tensor]?.add(values)
        }
    }

    /// The network as a model with the names, signatures, metadata, and packed files of the original.
    private func written(
        _ network: FloatNetwork,
        like model: Model,
        in file: FlatBuffer
    ) throws -> Model {
        var surroundings = NetworkWriter.Surroundings(signatures: model.graph.signatures)
        for (name, range) in model.graph.metadata.sorted(by: { $0.key < $1.key }) {
            surroundings.metadata.append((name, Array(try file.bytes(at: range.lowerBound, count: range.count))))
        }
        var data = try NetworkWriter.data(of: network, outputs: network.outputs, in: file, surroundings)
        do {
            let names = model.associatedFileNames
            if !names.isEmpty {
                let files = try names.map { ($0, try model.associatedFile(named: $0)) }
                data.append(ZipArchive.ending(with: files, at: data.count))
            }
            let result = try Model(data: data, limits: model.limits)
            guard result.answersLike(model) else {
                throw ModelQuantizerError.invalid(reason: "Its inputs or outputs changed.")
            }
            try Interpreter(model: result).allocateTensors()
            return result
        } catch let error as ModelQuantizerError {
            throw error
        } catch {
            throw ModelQuantizerError.invalid(reason: "\(error)")
        }
    }
}

extension FloatNetwork {
    fileprivate func emptyStatistics(of tensor: Int) -> ActivationStatistics {
        ActivationStatistics(channels: tensors[tensor].shape.last ?? 1)
    }

    /// The number of layers with weights.
    var layerCount: Int { operators.count { QuantizationRule.rule(for: $0.name)?.weights != nil } }
}
