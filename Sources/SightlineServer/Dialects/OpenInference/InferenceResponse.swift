import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore
import TensorFlowLite
import TextFormatting

/// The answer to an ``InferenceRequest``.
struct InferenceResponse: Sendable {
    /// An output: its description, and its elements in both forms that a client may ask for.
    struct Output: Sendable {
        let name: String
        let dataType: String
        let shape: [Int]
        /// The elements as the protocol sends them after the JSON.
        let bytes: @Sendable () -> Data
        /// The elements as a list of JSON.
        let json: @Sendable () throws(AnswerError) -> [UInt8]
    }

    let model: AnswerModel
    let outputs: [Output]

    /// The response to a request that asks for some of the outputs, each in JSON or as bytes.
    ///
    /// - Throws: ``AnswerError`` if the model has no such output, or if JSON cannot hold its elements.
    func response(to request: InferenceRequest) throws(AnswerError) -> Response {
        let wanted = request.outputs ?? outputs.map { .init(name: $0.name, isBinary: request.prefersBinary) }
        var described: [String] = []
        var binary = Data()
        for wish in wanted {
            guard let output = outputs.first(where: { $0.name == wish.name }) else {
                let names = outputs.map(\.name).joined(separator: ", ")
                throw .invalid("The model has no output \(wish.name.prefix(100)); its outputs are \(names).")
            }
            var json = JSONText()
            json.object { json in
                json.field("name") { $0.string(output.name) }
                json.field("datatype") { $0.string(output.dataType) }
                json.field("shape") { $0.array(output.shape) { $0.number($1) } }
                guard wish.isBinary else { return }
                let bytes = output.bytes()
                json.field("parameters") { $0.object { $0.field("binary_data_size") { $0.number(bytes.count) } } }
                binary.append(bytes)
            }
            guard !wish.isBinary else {
                described.append(json.text)
                continue
            }
            described.append(
                json.text.dropLast() + ",\"data\":" + String(decoding: try output.json(), as: UTF8.self) + "}"
            )
        }
        var head = JSONText()
        head.object { json in
            if let id = request.id { json.field("id") { $0.string(id) } }
            json.field("model_name") { $0.string(model.name) }
            json.field("model_version") { $0.string(model.version) }
        }
        let text = String(head.text.dropLast()) + ",\"outputs\":[" + described.joined(separator: ",") + "]}"
        guard wanted.contains(where: \.isBinary) else { return .json(text: text) }
        var body = ByteBuffer(string: text)
        var headers = HTTPFields()
        headers[.contentType] = "application/octet-stream"
        headers[.inferenceHeaderContentLength] = "\(body.readableBytes)"
        body.writeBytes(binary)
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}

extension InferenceResponse.Output {
    /// An output of a model.
    init(_ tensor: Tensor) {
        self.init(name: tensor.name, shape: tensor.shape.dimensions, elements: tensor.data, tensor.dataType)
    }

    /// Numbers of 32 bits.
    init(name: String, shape: [Int], numbers: [Float]) {
        self.init(name: name, shape: shape, elements: numbers.withUnsafeBytes { Data($0) }, .float32)
    }

    private init(name: String, shape: [Int], elements: Data, _ dataType: Tensor.DataType) {
        self.init(
            name: name,
            dataType: dataType.openInferenceName,
            shape: shape,
            bytes: { elements },
            json: { () throws(AnswerError) in try TensorJSONWriter.list(of: elements, dataType, name: name) }
        )
    }

    /// A list of texts, of the datatype `BYTES`.
    init(name: String, texts: [String]) {
        self.init(
            name: name,
            dataType: "BYTES",
            shape: [texts.count],
            bytes: {
                var data = Data()
                for text in texts {
                    withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { data.append(contentsOf: $0) }
                    data.append(contentsOf: text.utf8)
                }
                return data
            },
            json: { () throws(AnswerError) in
                var json = JSONText()
                json.array(texts) { $0.string($1) }
                return Array(json.text.utf8)
            }
        )
    }
}

extension HTTPField.Name {
    /// The length of the JSON before binary data.
    static let inferenceHeaderContentLength = named("inference-header-content-length")
}
