/// The format of a hosted model's file, as `modelFormat` in the response to `:download` names it.
package enum HostedFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// The format of Firebase's clients.
    case tensorFlowLite = "TFLITE"
    case onnx = "ONNX"

    /// The name for people.
    package var title: String {
        switch self {
        case .tensorFlowLite: "TensorFlow Lite"
        case .onnx: "ONNX"
        }
    }

    /// The ending of files.
    package var fileExtension: String {
        switch self {
        case .tensorFlowLite: "tflite"
        case .onnx: "onnx"
        }
    }

    /// The clients that get a model of the format, and the response to the others, in sentences; nil if all clients read the format.
    package var clientNote: String? {
        switch self {
        case .tensorFlowLite: nil
        case .onnx:
            "Clients of Sightline get the ONNX model, as does a program that sends X-Sightline-Formats: onnx. For Firebase's clients, which read "
                + "only TensorFlow Lite, there is no such model; they keep the version that they have."
        }
    }
}

extension HostedFormat {
    /// The value of the field in which a client lists the formats that it reads.
    package static func list(_ formats: some Sequence<HostedFormat>) -> String {
        formats.map { $0.rawValue.lowercased() }.joined(separator: ", ")
    }

    /// The formats in the value of that field, without those that are not known. Firebase's clients do not send the field and read
    /// TensorFlow Lite.
    package static func formats(in field: String?) -> Set<HostedFormat> {
        guard let field else { return [.tensorFlowLite] }
        let words = field.split { $0 == "," || $0 == " " || $0 == "\t" }
        return Set(words.compactMap { HostedFormat(rawValue: $0.uppercased()) })
    }
}
