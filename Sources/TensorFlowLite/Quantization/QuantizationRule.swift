/// The conditions under which an operator computes with int8.
///
/// A new operator is one entry in the file of its family. Source of the conditions: the quantization specification of LiteRT
/// (https://ai.google.dev/edge/litert/conversion/tensorflow/quantization/quantization_spec); of the versions: op_version.cc.
struct QuantizationRule {
    /// The scales of an operator's output.
    enum Scales {
        /// The output has a scale of its own.
        case own
        /// The output keeps the scale of the inputs, which share it.
        case shared
        /// The kernel demands this scale and zero point of the output.
        case fixed(scale: Float, zeroPoint: Int)
    }

    /// The weights of a layer.
    struct Weights {
        /// The places of the weights and of the bias among the inputs.
        let input: Int
        let bias: Int
        /// The dimension that belongs to the output channels, and the number of dimensions.
        let channelDimension: Int
        let rank: Int
    }

    /// The version of the operator from which on it computes with int8.
    let version: Int
    /// The places of the inputs that hold values; all others are weights, sizes, or indices and stay as they are.
    let values: Values
    var scales = Scales.own
    var weights: Weights?
    /// The largest number of dimensions.
    var rank = 4
    /// The limits of a function that does nothing but cut values. An operator before it cuts them itself, by the range of its output;
    /// alone, the function has only a slow int8 kernel.
    var limits: ClosedRange<Float>?

    /// The places of the inputs that hold values.
    enum Values {
        case all
        case only(Set<Int>)

        func contains(_ place: Int) -> Bool {
            switch self {
            case .all: true
            case .only(let places): places.contains(place)
            }
        }
    }

    /// The rule of an operator; nil for an operator that computes with floats only.
    static func rule(for name: String) -> QuantizationRule? {
        layers[name] ?? arithmetic[name] ?? activations[name] ?? arrangement[name]
    }
}
