import Foundation
import OnnxRuntime
import TensorFlowLite

/// The formats of models: which runtime's reader gets a file, and what models of a format usually take.
package enum ModelFormat {
    /// The endings of the names of models' files, the preferred first.
    package static let extensions = ["tflite", "onnx"]

    /// The ending of the name that a model's file should have.
    package static func fileExtension(of model: any InferenceModel) -> String { model is Model ? "tflite" : "onnx" }

    /// The releases of the library that runs models with an ending.
    package static func runtimeReleases(forModelsEndingIn ending: String) -> [RuntimeRelease] {
        ending == "onnx" ? RuntimeRelease.onnxRuntime : RuntimeRelease.all
    }

    /// Whether the name of a file is that of a model.
    static func isModel(_ name: String) -> Bool { extensions.contains((name as NSString).pathExtension.lowercased()) }

    /// The names of models among those of files: of the first format that has any.
    static func models(among names: [String]) -> [String] {
        let models = extensions.map { ending in
            names.filter { ($0 as NSString).pathExtension.lowercased() == ending }
        }
        return models.first { !$0.isEmpty } ?? []
    }

    /// Reads and checks a model's file. The name gives the format, and otherwise the first bytes.
    package static func model(at url: URL) throws(ModelError) -> any InferenceModel {
        if url.pathExtension.lowercased() == "onnx" { return try OnnxModel(contentsOf: url) }
        // A file that cannot be read leads to the error of the usual reader.
        return isONNX(at: url) ? try OnnxModel(contentsOf: url) : try Model(contentsOf: url)
    }

    /// Reads and checks a model in memory.
    static func model(data: Data) throws(ModelError) -> any InferenceModel {
        isONNX(data) ? try OnnxModel(data: data) : try Model(data: data)
    }

    /// The usual width and height of a picture where the model leaves them open.
    static func usualOpenExtent(of model: any InferenceModel) -> Int { model is Model ? 320 : 640 }

    /// The usual range of a classifier's input: ONNX files come from PyTorch, whose classifiers take ImageNet's means.
    static func classifierRange(of model: any InferenceModel) -> ImageInput.FloatRange {
        model is Model ? .plusMinusOne : .imageNet
    }
}

extension ModelFiles {
    /// The model, where only a TensorFlow Lite model can be cut or rewritten.
    ///
    /// - Throws: `LocalModelError.output`.
    func tensorFlowLiteModel() throws(LocalModelError) -> Model {
        guard let model = model as? Model else {
            throw .output(
                model: name,
                reason: "it is an ONNX model, and only a .tflite file can be taken apart; export it as TensorFlow Lite"
            )
        }
        return model
    }
}

extension LocalModel {
    /// Reads a model that can be rewritten.
    ///
    /// - Throws: `LocalModelError` if its files cannot be used, or if it is not a TensorFlow Lite model.
    package func readTensorFlowLite() throws(LocalModelError) -> Model { try ModelFiles(self).tensorFlowLiteModel() }
}
