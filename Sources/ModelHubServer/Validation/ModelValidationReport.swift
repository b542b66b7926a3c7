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

    /// Loads a model, runs it once on zeros, and describes it.
    package init(ofModelAt path: String) {
        do {
            try Runtime.load()
        } catch {
            self.init(isValid: false, message: "\(error)", isRuntimeMissing: true)
            return
        }
        let model: Model
        do {
            model = try Model(contentsOf: URL(filePath: path))
        } catch ModelError.unsupported(let limitation) {
            self.init(isValid: false, limitation: "\(ModelError.unsupported(limitation))")
            return
        } catch {
            self.init(isValid: false, message: Self.isFlatBuffer(path) ? "\(error)" : nil)
            return
        }
        do {
            let interpreter = try Interpreter(model: model)
            try interpreter.allocateTensors()
            try interpreter.invoke()
            let local = LocalModel(url: URL(filePath: path))
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
            if let names = Self.labels(of: local, inspection.task) { inspection.labels?.first = names }
            self.init(isValid: true, inspection: inspection)
        } catch let error as ModelError {
            self.init(isValid: false, limitation: "\(error)")
        } catch let error as InterpreterError {
            self.init(isValid: false, limitation: "The model cannot be run: \(error)")
        } catch {
            self.init(isValid: false, message: "The model cannot be run: \(error)")
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

    /// Whether a file has the identifier of TensorFlow Lite models, "TFL3", at its fifth byte.
    private static func isFlatBuffer(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: 8) else {
            return false
        }
        return head.count == 8 && head.suffix(4).elementsEqual(Data("TFL3".utf8))
    }
}
