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
        do {
            data = try ModelLabels.pack(
                try Self.read(labels),
                fileName: labels.lastPathComponent,
                into: try Self.read(model: model)
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
        let data = try read(url)
        if let error = data.withUnsafeBytes({ ModelError(foreign: $0) }) {
            throw CommandError("\(url.path) cannot be published. \(error)")
        }
        return data
    }

    private static func read(_ url: URL) throws -> Data {
        do {
            return try Data(contentsOf: url)
        } catch {
            throw CommandError("\(url.path) cannot be read; check the path and its permissions.")
        }
    }
}
