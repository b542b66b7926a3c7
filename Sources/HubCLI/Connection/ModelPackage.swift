import Foundation
import Sightline
import TensorFlowLite

/// A model's file for an upload.
struct ModelPackage {
    /// The bytes with the labels.
    let data: Data
    /// The name of the model's file.
    let fileName: String

    /// - Parameter labels: a file of labels to pack into the model.
    init(model: URL, labels: URL?) throws {
        fileName = model.lastPathComponent
        guard let labels else {
            data = try Self.read(model: model)
            return
        }
        let bytes = try Self.read(model: model)
        do {
            data = try ModelFormat.pack(
                try LocalModel(url: model).packedLabels(from: labels),
                fileName: labels.lastPathComponent,
                into: bytes
            )
        } catch let error as ModelLabelsError {
            throw CommandError("The labels \(labels.path) cannot be packed into \(model.path): \(error)")
        }
    }

    /// Creates a package from the bytes of a model.
    init(data: Data, fileName: String) {
        self.data = data
        self.fileName = fileName
    }

    /// Reads a model, which the hub examines further.
    private static func read(model url: URL) throws -> Data {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw CommandError("\(url.relativePath) does not exist; check the path.\(advice(onName: url.relativePath))")
        }
        if isFolder.boolValue {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
            let kind =
                ForeignFile(namesOfFiles: names).map { " \(ModelError($0))" }
                ?? " Name the .tflite or .onnx file in it."
            throw CommandError("\(url.relativePath) is a folder and cannot be published.\(kind)")
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int) ?? 0
        if size > Int(Int32.max) {
            throw CommandError(
                "\(url.path) cannot be published. \(ModelError.fileTooLarge(bytes: size, limit: Int(Int32.max)))"
            )
        }
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw CommandError("\(url.path) cannot be read; check its permissions.")
        }
        if !ModelFormat.isONNX(data), let error = data.withUnsafeBytes({ ModelError(foreign: $0) }) {
            throw CommandError("\(url.path) cannot be published. \(error)")
        }
        return data
    }

    /// The next step if a path looks like the name of a model that `sightline models` knows.
    private static func advice(onName path: String) -> String {
        guard !path.contains("/"), ![".tflite", ".onnx"].contains(where: path.hasSuffix) else { return "" }
        return " If it is a model of `sightline models list`, give \"$(sightline models path \(path))\" instead."
    }
}
