/// A rewritten model.
public struct OptimizedModel: Sendable {
    /// The model. Its ``Model/data`` is a `.tflite` file that can replace the original.
    public let model: Model
    /// The rewritten operations, and the others.
    public let plan: OptimizationPlan

    /// The same model with the earlier rewrites of its original in the plan.
    package func following(_ earlier: OptimizationPlan?) -> OptimizedModel {
        OptimizedModel(
            model: model,
            plan: OptimizationPlan(rewrites: (earlier?.rewrites ?? []) + plan.rewrites, kept: plan.kept)
        )
    }
}

/// The parts of a model that ``ModelOptimizer`` rewrites, and those that it keeps.
public struct OptimizationPlan: Sendable, Hashable {
    /// The rewrites, at least one.
    public let rewrites: [ModelRewrite]
    /// The operators on uint8 tensors that stay as they are, between conversions.
    public let kept: [KeptOperator]
}

/// A change that makes a model faster.
public enum ModelRewrite: Sendable, Hashable {
    /// Operators on uint8 tensors became operators on int8 tensors. The weights of `exactChannels` of all `channels` are
    /// exactly the same; those of the other channels are rounded to a wider step.
    case signedIntegers(operators: Int, exactChannels: Int, channels: Int)
    /// Layers of floats became layers of int8, with the ranges of values that `pictures` pictures give. `floatLayers` layers still
    /// compute with floats.
    case calibratedIntegers(layers: Int, floatLayers: Int, pictures: Int)
    /// Four slices and a convolution at the beginning became one convolution.
    case focusStem
    /// Transposes before and behind the stacking of a detector's heads went.
    case stackedHeads
    /// Boxes whose columns were replaced by scattering are put together from slices.
    case columnAssignments
    /// The operator that ends a detector ignores boxes below a higher score.
    case scoreThreshold(from: Float, to: Float)

    /// Whether the answers stay the same except for rounding errors of float32.
    public var isExact: Bool {
        switch self {
        case .signedIntegers, .calibratedIntegers: false
        case .focusStem, .stackedHeads, .columnAssignments, .scoreThreshold: true
        }
    }
}

extension ModelRewrite: CustomStringConvertible {
    /// The change, as a clause.
    public var description: String {
        switch self {
        case .signedIntegers(let operators, let exact, let channels):
            "\(operators) operators on uint8 become int8; weights of \(exact) of \(channels) channels stay exact"
        case .calibratedIntegers(let layers, let floatLayers, let pictures):
            "\(layers) float layers become int8 with \(pictures) calibration pictures"
                + (floatLayers > 0 ? "; \(floatLayers) stay float" : "")
        case .focusStem: "the slices and the convolution at the beginning become one convolution"
        case .stackedHeads: "the transposes around the stacking of the heads go"
        case .columnAssignments: "columns of the boxes are replaced without scattering"
        case .scoreThreshold(let old, let new): "boxes below \(new) are ignored early, so far below \(old)"
        }
    }
}

/// Operators of a model that stay as they are.
public struct KeptOperator: Sendable, Hashable {
    /// The schema's name, or the custom code.
    public let name: String
    /// The number of its uses.
    public internal(set) var count: Int
    /// Why it stays, as a clause.
    public let reason: String
}

extension KeptOperator: CustomStringConvertible {
    /// The operators and the reason, as a clause.
    public var description: String { "\(count) × \(name) unchanged: \(reason)" }
}
