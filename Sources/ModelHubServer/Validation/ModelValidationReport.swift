import Foundation
import Sightline
import TensorFlowLite

/// The result of validating a model in this process. The command `sightline-hub validate-model` does this in a separate
/// process.
package struct ModelValidationReport: Codable, Sendable {
    /// Whether the file is a model that the runtime can run.
    package var isValid: Bool
    /// The reason if the model is not valid.
    package var message: String?
    /// The reason why this runtime cannot run a sound model; other runtimes may run it.
    package var limitation: String?
    /// Whether the validation was impossible because the runtime is missing.
    package var isRuntimeMissing = false
    /// The inputs, outputs and use of the model.
    package var inspection: ModelInspection?

    /// Loads a model, runs it once on zeros, and describes it. The format follows from the contents.
    package init(ofModelAt path: String) {
        let url = URL(filePath: path)
        do {
            try ModelFormat.loadRuntime(forModelAt: url)
        } catch {
            self.init(isValid: false, message: "\(error)", isRuntimeMissing: true)
            return
        }
        let model: any InferenceModel
        do {
            model = try ModelFormat.singleFile(at: url)
        } catch ModelError.unsupported(.weightFile(let path, _)) {
            self.init(
                isValid: false,
                message:
                    "The model keeps weights in the file \"\(path)\", and a hub stores models that are one file: export it as a single file."
            )
            return
        } catch ModelError.unsupported(let limitation) {
            self.init(isValid: false, limitation: "\(ModelError.unsupported(limitation))")
            return
        } catch {
            self.init(isValid: false, message: Self.isModel(url) ? "\(error)" : nil)
            return
        }
        do {
            let local = LocalModel(url: url)
            // Where a model leaves the size of its input open, its use gives the size.
            let isOpen = !(model is Model) && model.inputs.contains { $0.shape.dimensions.contains { $0 < 0 } }
            if !isOpen { try Self.run(model) }
            if case .failure(.labelCount(_, let source, let labels, let classes)) = Result(catching: local.checkLabels)
            {
                // The file has the name that the hub gave it.
                let file = source.components(separatedBy: " inside ")[0]
                self.init(
                    isValid: false,
                    message:
                        "The model has \(classes) classes but \(labels) labels in \(file): pack the labels that belong to it."
                )
                return
            }
            var inspection = try ModelInspection(of: local)
            if isOpen { try Self.run(model, as: inspection.task, local) }
            if let names = Self.labels(of: local, inspection.task) { inspection.labels?.first = names }
            self.init(isValid: true, inspection: inspection)
        } catch let error as ModelError {
            self.init(isValid: false, limitation: "\(error)")
        } catch let error as InterpreterError {
            self.init(isValid: false, limitation: "The model cannot be run: \(error)")
        } catch {
            // The file has the name that the hub gave it.
            let reason = "\(error)".replacing(url.path, with: "the model")
                .replacing(url.lastPathComponent, with: "the model")
            self.init(isValid: false, message: "The model cannot be run: \(reason)")
        }
    }

    private init(
        isValid: Bool,
        message: String? = nil,
        limitation: String? = nil,
        isRuntimeMissing: Bool = false,
        inspection: ModelInspection? = nil
    ) {
        self.isValid = isValid
        self.message = message
        self.limitation = limitation
        self.isRuntimeMissing = isRuntimeMissing
        self.inspection = inspection
    }

    /// Runs a model once on zeros, with inputs of the shapes that its file states.
    private static func run(_ model: any InferenceModel) throws {
        let session = try model.makeSession(threads: 1)
        try session.allocateTensors()
        try session.invoke()
    }

    /// Runs a model once for its purpose, on a gray picture; without a purpose, on zeros.
    private static func run(
        _ model: any InferenceModel,
        as use: ModelInspection.Purpose?,
        _ local: LocalModel
    ) throws {
        let side = 64
        let plane = PixelBuffer.Plane(data: Data(repeating: 128, count: side * side * 3), bytesPerRow: side * 3)
        let gray = VisionImage(
            pixels: try PixelBuffer(format: .rgb, width: side, height: side, planes: [plane])
        )
        switch use {
        case .labeling: _ = try ImageLabeler(options: ImageLabelerOptions(model: local)).labels(in: gray)
        case .detection: _ = try ObjectDetector(options: ObjectDetectorOptions(model: local)).objects(in: gray)
        case nil: try run(model)
        }
    }

    /// The names of all labels, as far as the hub keeps them; nil if they are unknown.
    private static func labels(of model: LocalModel, _ use: ModelInspection.Purpose?) -> [String]? {
        let names: [String]? =
            switch use {
            case .labeling: try? ImageLabeler(options: ImageLabelerOptions(model: model)).classes.names
            case .detection: try? ObjectDetector(options: ObjectDetectorOptions(model: model)).classNames
            case nil: nil
            }
        guard let names, !names.isEmpty else { return nil }
        var byteCount = 0
        return Array(
            names.prefix { name in
                byteCount += name.utf8.count
                return byteCount <= ModelValidation.maximumLabels
            }
        )
    }

    /// Whether a file begins as an ONNX model, or has the identifier of TensorFlow Lite models, "TFL3", at its fifth byte.
    private static func isModel(_ url: URL) -> Bool {
        if ModelFormat.isONNX(at: url) { return true }
        guard let file = FileHandle(forReadingAtPath: url.path), let head = try? file.read(upToCount: 8) else {
            return false
        }
        return head.count == 8 && head.suffix(4).elementsEqual(Data("TFL3".utf8))
    }
}
