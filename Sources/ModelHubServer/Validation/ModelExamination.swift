import Foundation
import Sightline
import TensorFlowLite

/// Looks at a model in this process: what `sightline-hub examine-model` does in a process of its own.
public struct ModelExamination: Codable, Sendable {
    /// Whether it is a model that the runtime can run.
    public var isValid: Bool
    /// What is wrong otherwise.
    public var message: String?
    /// Whether nothing can be said, since the runtime is missing.
    public var isRuntimeMissing = false
    /// What it wants and gives.
    public var inspection: ModelInspection?

    /// What this process may use while it looks at a model.
    public struct Limits: Sendable {
        /// Address space in bytes. The runtime maps more than it uses.
        public var addressSpace = 4 << 30
        /// Time on processors in seconds.
        public var processorSeconds = 60

        /// The limits that a hub sets.
        public init() {}

        /// Sets them for this process, for good. It may then write no files either, and start no processes.
        public func apply() {
            func set(_ resource: __rlimit_resource, _ value: Int) {
                var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
                setrlimit(Int32(resource.rawValue), &limit)
            }
            set(RLIMIT_AS, addressSpace)
            set(RLIMIT_CPU, processorSeconds)
            set(RLIMIT_CORE, 0)
        }
    }

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
        } catch {
            self.init(isValid: false, message: Self.isFlatBuffer(path) ? "\(error)" : nil)
            return
        }
        do {
            let interpreter = try Interpreter(model: model)
            try interpreter.allocateTensors()
            try interpreter.invoke()
            self.init(isValid: true, inspection: try ModelInspection(of: LocalModel(path: path)))
        } catch {
            self.init(isValid: false, message: "The model cannot be run: \(error)")
        }
    }

    private init(
        isValid: Bool,
        message: String? = nil,
        isRuntimeMissing: Bool = false,
        inspection: ModelInspection? = nil
    ) {
        self.isValid = isValid
        self.message = message
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
