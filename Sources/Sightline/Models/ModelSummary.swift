import Foundation
import TensorFlowLite

/// A model that was read, for example that of a detector or labeler.
package struct ModelSummary: Sendable {
    /// The file's name.
    package let name: String
    /// The file.
    package let url: URL
    /// The checked model, with the bytes that were read from the file, even if the file has changed since.
    package let model: any InferenceModel
    /// The bytes of the model.
    package var data: Data { model.data }

    init(_ files: ModelFiles) {
        name = files.name
        url = files.url
        model = files.model
    }
}

extension LocalModel {
    /// Reads the model.
    ///
    /// - Throws: `LocalModelError` if its files cannot be used.
    package func read() throws(LocalModelError) -> ModelSummary { ModelSummary(try ModelFiles(self)) }
}
