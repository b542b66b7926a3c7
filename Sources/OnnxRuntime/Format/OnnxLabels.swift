import Foundation
import TensorFlowLite

/// Adds the names of a model's classes to an ONNX file, among the texts of its metadata. Other programs ignore a text that they do not
/// know, and the runtime runs the same graph.
package enum OnnxLabels {
    /// The name of the text in the metadata. The text has one label a line.
    package static let property = "sightline.labels"
    /// The name under which Ultralytics' exporter writes the labels.
    private static let names = "names"

    /// Returns the model with the labels added: a further entry of `ModelProto.metadata_props` behind its bytes, since Protocol Buffers
    /// allow the entries of a list anywhere in a message.
    ///
    /// - Parameters:
    ///   - labels: a text with one label a line.
    ///   - model: a model without labels.
    /// - Throws: `ModelLabelsError` if the model already has labels, or if `labels` is not text or too long; it wraps a `ModelError` if
    ///   `model` is not a valid model.
    package static func pack(_ labels: Data, into model: Data) throws(ModelLabelsError) -> Data {
        guard !labels.isEmpty, String(data: labels, encoding: .utf8) != nil else { throw .notText }
        guard labels.count <= OnnxReader.maximumPropertyBytes else {
            throw .tooLarge(limit: OnnxReader.maximumPropertyBytes)
        }
        let parsed: OnnxModel
        do {
            parsed = try OnnxModel(data: model)
        } catch {
            throw .notAModel(error)
        }
        guard parsed.properties[property] == nil, parsed.properties[names] == nil else { throw .hasLabels }
        let entry = field(1, Data(property.utf8)) + field(2, labels)
        return model + field(14, entry)
    }

    /// A field of Protocol Buffers with bytes. Source: https://protobuf.dev/programming-guides/encoding.
    private static func field(_ number: UInt8, _ bytes: Data) -> Data {
        var data = Data([number << 3 | 2])
        var count = bytes.count
        while count >= 0x80 {
            data.append(UInt8(count & 0x7F) | 0x80)
            count >>= 7
        }
        data.append(UInt8(count))
        return data + bytes
    }
}
