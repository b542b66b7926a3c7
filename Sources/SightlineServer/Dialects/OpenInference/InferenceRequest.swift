import Foundation

/// A request to run a model: the Open Inference Protocol, version 2 (`/v2/models/NAME/infer`), with the extension for binary data.
struct InferenceRequest: Sendable {
    /// An input and its elements.
    struct Input: Sendable {
        let name: String
        let shape: [Int]
        let dataType: String
        let elements: Elements
    }

    /// The elements of an input.
    enum Elements: Sendable {
        /// Bytes in the order of the protocol: row-major, little-endian.
        case binary(Data)
        /// The value of `data`, in JSON.
        case json(ArraySlice<UInt8>)
    }

    /// An output that the client asks for.
    struct Output: Sendable {
        let name: String
        /// Whether its elements follow the JSON as bytes.
        let isBinary: Bool
    }

    /// The text by which the client identifies the request; the answer also has it.
    let id: String?
    /// The inputs in the order of the request.
    let inputs: [Input]
    /// The outputs to send; nil for all.
    let outputs: [Output]?
    /// Whether outputs without their own setting are sent as bytes.
    let prefersBinary: Bool
    /// The parameters of the request that the protocol leaves to the server, as texts.
    let options: [(name: String, value: String)]

    /// The largest size of the JSON without elements, in bytes.
    static let jsonLimit = 64 << 10
    /// The parameters that clients of the protocol send and that mean nothing for a single picture or tensor.
    private static let ignored: Set = [
        "sequence_id", "sequence_start", "sequence_end", "priority", "timeout", "binary_data_output",
    ]

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - body: the JSON, followed by the bytes of binary inputs in their order.
    ///   - jsonLength: the length of the JSON, from the field `Inference-Header-Content-Length`; nil if there is nothing else.
    /// - Throws: ``AnswerError``.
    init(_ body: [UInt8], jsonLength: Int?) throws(AnswerError) {
        let length = jsonLength ?? body.count
        guard (0...body.count).contains(length) else {
            throw .invalid("Inference-Header-Content-Length is \(length); the body has \(body.count) bytes.")
        }
        // Elements in binary form without the length of the JSON before them look like damaged JSON.
        guard jsonLength != nil || !body.contains(0) else {
            throw .invalid(
                "The body has bytes that JSON cannot have; give the length of the JSON before them in Inference-Header-Content-Length."
            )
        }
        let cut = try TensorDataCut(body[..<length], restLimit: Self.jsonLimit)
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(cut.rest))
        } catch {
            throw .invalid(
                "\(jsonLength == nil ? "The body is" : "The first \(length) bytes of the body, by Inference-Header-Content-Length, are") not a request of the Open Inference Protocol: \(Self.reason(error))"
            )
        }
        guard document.inputs.count == cut.ranges.count else {
            throw .invalid("The body's \"inputs\" is not a list of objects.")
        }
        var offset = length
        var inputs: [Input] = []
        for (input, range) in zip(document.inputs, cut.ranges) {
            let elements: Elements
            if let parameter = input.parameters?["binary_data_size"] {
                guard let size = parameter.integer else {
                    throw .invalid(
                        "The input \(input.name) has the binary_data_size \"\(parameter.text.prefix(40))\"; it must be a whole number of bytes."
                    )
                }
                guard range == nil else {
                    throw .invalid(
                        "The input \(input.name) has both \"data\" and \"binary_data_size\"; send one of them."
                    )
                }
                guard size >= 0, size <= body.count - offset else {
                    throw .invalid(
                        "The input \(input.name) has \(size) bytes of binary data; \(body.count - offset) bytes are left in the body."
                    )
                }
                elements = .binary(Data(body[offset..<(offset + size)]))
                offset += size
            } else if let range {
                elements = .json(body[range])
            } else {
                throw .invalid("The input \(input.name) has neither \"data\" nor the parameter \"binary_data_size\".")
            }
            inputs.append(Input(name: input.name, shape: input.shape, dataType: input.datatype, elements: elements))
        }
        guard offset == body.count else {
            throw .invalid("\(body.count - offset) bytes of the body belong to no input.")
        }
        let prefersBinary = document.parameters?["binary_data_output"]?.truth ?? false
        (id, self.inputs, self.prefersBinary) = (document.id, inputs, prefersBinary)
        outputs = try document.outputs.map { (outputs) throws(AnswerError) in
            try outputs.map { (output) throws(AnswerError) in
                if output.parameters?["classification"] != nil {
                    throw .invalid(
                        "The output \(output.name) asks for a classification, which this server does not support."
                    )
                }
                return Output(name: output.name, isBinary: output.parameters?["binary_data"]?.truth ?? prefersBinary)
            }
        }
        options = (document.parameters ?? [:]).filter { !Self.ignored.contains($0.key) }
            .map { (name: $0.key, value: $0.value.text) }.sorted { $0.name < $1.name }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "\"\(key.stringValue)\" is missing."
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "\"\(context.codingPath.map(\.stringValue).joined(separator: "."))\" has another type."
        case DecodingError.dataCorrupted(let context):
            // The decoder's own reason is in the error below; its place counts without the elements, which were cut out.
            if let reason = (context.underlyingError as? NSError)?.userInfo["NSDebugDescription"] as? String {
                "it is not JSON (\(reason.prefix { $0 != "." }.components(separatedBy: " around ")[0].prefix(120)))."
            } else {
                "it is not JSON."
            }
        default: "it is not JSON."
        }
    }
}

extension InferenceRequest {
    /// The JSON of a request without elements.
    private struct Document: Decodable {
        let id: String?
        let parameters: [String: Parameter]?
        let inputs: [Input]
        let outputs: [Output]?

        struct Input: Decodable {
            let name: String
            let shape: [Int]
            let datatype: String
            let parameters: [String: Parameter]?
        }

        struct Output: Decodable {
            let name: String
            let parameters: [String: Parameter]?
        }
    }

    /// The value of a parameter: a truth value, a number or a text.
    private enum Parameter: Decodable {
        case truth(Bool)
        case integer(Int)
        case number(Double)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Bool.self) {
                self = .truth(value)
            } else if let value = try? container.decode(Int.self) {
                self = .integer(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        var truth: Bool? { if case .truth(let value) = self { value } else { nil } }
        var integer: Int? { if case .integer(let value) = self { value } else { nil } }

        var text: String {
            switch self {
            case .truth(let value): "\(value)"
            case .integer(let value): "\(value)"
            case .number(let value): "\(value)"
            case .text(let value): value
            }
        }
    }
}
