import DurableFiles
import Foundation
import Sightline
import TensorFlowLite

/// A model that was read and compiled.
package struct LoadedModel: Sendable {
    /// The detector or labeler that answers requests.
    enum Engine: Sendable {
        case detector(ObjectDetector)
        case labeler(ImageLabeler)
    }

    let engine: Engine
    let version: ServedModel.Version

    /// Reads and compiles a model. The model's files show whether it finds objects or labels pictures.
    ///
    /// Blocks the calling thread for tens of milliseconds.
    ///
    /// - Parameters:
    ///   - local: the model.
    ///   - name: the name in answers.
    ///   - limits: the number of compiled copies, and whether the model is rewritten.
    /// - Throws: the errors of `ObjectDetector` and `ImageLabeler`.
    init(_ local: LocalModel, named name: String, for limits: AnswerService.Options) throws {
        do {
            try self.init(labeler: ImageLabelerOptions(model: local), named: name, for: limits)
        } catch is LocalModelError {
            // The outputs are not those of a classifier.
            try self.init(detector: ObjectDetectorOptions(model: local), named: name, for: limits)
        }
    }

    /// Reads and compiles the models of a detector.
    init(detector options: ObjectDetectorOptions, named name: String, for limits: AnswerService.Options) throws {
        var options = options
        (options.workers, options.optimizesModel) = (limits.workers, limits.optimizesModels)
        let detector = try ObjectDetector(options: options, leastThreshold: 0)
        engine = .detector(detector)
        version = .init(.detection, detector.modelFiles, name, labels: detector.labelNames.chosen)
    }

    /// Reads and compiles the model of a labeler.
    init(labeler options: ImageLabelerOptions, named name: String, for limits: AnswerService.Options) throws {
        var options = options
        (options.workers, options.optimizesModel) = (limits.workers, limits.optimizesModels)
        let labeler = try ImageLabeler(options: options)
        engine = .labeler(labeler)
        version = .init(.labeling, labeler.modelFiles, name, labels: labeler.labelNames)
    }

    /// Runs the model once, so that a model that the runtime compiles but cannot run is refused before it is in use.
    ///
    /// - Throws: `InterpreterError`, `OutputError`.
    func tryOut() throws {
        let gray = try PixelBuffer(
            format: .rgb,
            width: 64,
            height: 64,
            planes: [PixelBuffer.Plane(data: Data(repeating: 128, count: 64 * 64 * 3), bytesPerRow: 64 * 3)]
        )
        switch engine {
        case .detector(let detector): _ = try detector.objects(in: VisionImage(pixels: gray))
        case .labeler(let labeler): _ = try labeler.labels(in: VisionImage(pixels: gray))
        }
    }
}

extension ServedModel.Version {
    fileprivate init(_ kind: ServedModel.Kind, _ files: ModelSummary, _ name: String, labels: [String]) {
        let sha256 = SHA256.hexadecimalDigest(of: files.data)
        self.init(
            kind: kind,
            model: AnswerModel(name: name, version: String(sha256.prefix(12)), sha256: sha256),
            sha256: sha256,
            labels: labels,
            inputs: files.model.inputs.map(ServedModel.Tensor.init),
            outputs: files.model.outputs.map(ServedModel.Tensor.init)
        )
    }
}

extension ServedModel.Tensor {
    fileprivate init(_ tensor: TensorDescription) {
        self.init(name: tensor.name, shape: tensor.shape.dimensions, type: "\(tensor.dataType)")
    }
}
