import Foundation
import Sightline
import TensorFlowLite

/// Looks at a model in this process: what `sightline-hub examine-model` does in a process of its own.
public struct ModelExamination: Codable, Sendable {
    /// Whether it is a model that the runtime can run.
    public var isValid: Bool
    /// What is wrong otherwise.
    public var message: String?
    /// Why it cannot be run here although the file is in order; other runtimes may run it.
    public var limitation: String?
    /// Whether nothing can be said, since the runtime is missing.
    public var isRuntimeMissing = false
    /// What it wants and gives.
    public var inspection: ModelInspection?

    /// Loads a model, runs it once on zeros, and describes it.
    public init(ofModelAt path: String) {
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
            self.init(isValid: true, inspection: try ModelInspection(of: LocalModel(url: URL(filePath: path))))
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

    /// Whether a file has the identifier of TensorFlow Lite models, "TFL3", at its fifth byte.
    private static func isFlatBuffer(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: 8) else {
            return false
        }
        return head.count == 8 && head.suffix(4).elementsEqual(Data("TFL3".utf8))
    }
}
