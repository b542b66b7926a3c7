import Foundation
import OnnxRuntime
import TensorFlowLite

/// Models that are one file alone, whatever its name: those that a hub stores and its clients download.
extension ModelFormat {
    /// The number of bytes at the beginning of a file that show whether it is an ONNX model.
    package static let recognizedBytes = ForeignFile.recognizedBytesOfONNX

    /// Whether the beginning of a file is that of an ONNX model.
    package static func isONNX(_ beginning: Data) -> Bool {
        beginning.prefix(recognizedBytes).withUnsafeBytes(ForeignFile.isONNX)
    }

    /// Whether the file at `url` begins as an ONNX model; false if it cannot be read.
    package static func isONNX(at url: URL) -> Bool {
        guard let file = try? FileHandle(forReadingFrom: url) else { return false }
        defer { try? file.close() }
        return isONNX((try? file.read(upToCount: recognizedBytes)) ?? Data())
    }

    /// Reads and checks a model that needs no other file.
    ///
    /// - Throws: `ModelError`; `.unsupported(.weightFile(path:reason:))` for an ONNX model with weights in another file.
    package static func singleFile(at url: URL) throws(ModelError) -> any InferenceModel {
        guard isONNX(at: url) else { return try Model(contentsOf: url) }
        let data: Data
        do {
            data = try Data(contentsOf: url, options: .alwaysMapped)
        } catch {
            throw .unreadable(path: url.path, reason: "it cannot be opened")
        }
        return try OnnxModel(data: data)
    }

    /// Opens the library that runs a model, before a process gives up the right to open files.
    ///
    /// - Throws: an error that names the missing library and the way to install it.
    package static func loadRuntime(forModelAt url: URL) throws {
        if isONNX(at: url) { _ = try OnnxLibrary.shared() } else { try Runtime.load() }
    }

    /// Adds labels to a model, where every reader of its format finds them.
    ///
    /// - Parameters:
    ///   - labels: a text with one label a line.
    ///   - fileName: the name of the text in a TensorFlow Lite model.
    ///   - model: the bytes of a model without labels.
    /// - Throws: `ModelLabelsError`.
    package static func pack(
        _ labels: Data,
        fileName: String,
        into model: Data
    ) throws(ModelLabelsError) -> Data {
        isONNX(model)
            ? try OnnxLabels.pack(labels, into: model)
            : try ModelLabels.pack(labels, fileName: fileName, into: model)
    }
}
