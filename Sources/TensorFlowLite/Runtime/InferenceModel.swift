import Foundation

/// A model that was read and checked, of whatever format: the part of a model that programs use without knowing its runtime.
///
/// ``Model`` is the kind that LiteRT runs. The module OnnxRuntime has the other kind.
package protocol InferenceModel: AnyObject, Sendable {
    /// The format and the library that runs it, for people.
    var runtime: ModelRuntimeSummary { get }
    /// The contents of the file.
    var data: Data { get }
    /// The inputs in the order of a session's inputs.
    var inputs: [TensorDescription] { get }
    /// The outputs in the order of a session's outputs.
    var outputs: [TensorDescription] { get }
    /// The names that the first signature gives to the outputs; nil for an output that it leaves out.
    var outputNamesInSignature: [String?] { get }
    /// The operators in the model, each with its number of uses, most used first.
    var operators: [OperatorDescription] { get }
    /// The author's description of the model; nil if the file has none in the form of TensorFlow Lite.
    var metadata: ModelMetadata? { get }
    /// The texts that the exporter wrote into the file, by name; empty for TensorFlow Lite, which packs files instead.
    var properties: [String: String] { get }
    /// The names of the files that the model packs; empty if it packs none.
    var associatedFileNames: [String] { get }

    /// The contents of a file that the model packs.
    ///
    /// - Throws: `ModelError.noAssociatedFile(named:available:)` or `.corruptedAssociatedFile(named:reason:)`.
    func associatedFile(named name: String) throws(ModelError) -> Data

    /// The shapes of the outputs for one input of another shape than the file states; nil where the file states enough. May run the model
    /// once.
    ///
    /// - Parameter threads: the number of threads of later sessions, with which the runtime shares what it compiles here.
    /// - Throws: the errors of ``makeSession(threads:)`` and of a run.
    func outputShapes(withInput index: Int, of shape: [Int], threads: Int) throws -> [[Int]]?

    /// Makes a copy that can run, for one owner.
    ///
    /// - Parameter threads: the number of threads of one run.
    /// - Throws: an error if the runtime is missing, or `ModelError.rejectedByRuntime(reason:)` if it refuses the model.
    func makeSession(threads: Int) throws -> any InferenceSession
}

/// A model that is ready to run. Not safe to use from two threads at the same time.
package protocol InferenceSession: AnyObject {
    /// The number of inputs.
    var inputTensorCount: Int { get }
    /// The number of outputs.
    var outputTensorCount: Int { get }
    /// Changes the shape of the input at `index`. Call ``allocateTensors()`` afterwards.
    func resizeInput(at index: Int, to shape: Tensor.Shape) throws
    /// Allocates memory for the inputs at their current shapes.
    func allocateTensors() throws
    /// Runs the model on the current contents of the inputs.
    ///
    /// - Throws: `InterpreterError`, with the runtime's own message.
    func invoke() throws
    /// The output at `index` with a copy of its data.
    func output(at index: Int) throws -> Tensor
    /// Gives access to the memory of the input at `index` for the duration of the call.
    func withMutableInput<Result>(
        at index: Int,
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) throws -> Result
    /// Gives access to the memory of the output at `index` for the duration of the call.
    func withOutput<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result
}

/// The format of a model and the library that runs it, in words.
package struct ModelRuntimeSummary: Sendable, Hashable {
    /// For example "TensorFlow Lite" or "ONNX, operators of version 17".
    package let format: String
    /// For example "LiteRT".
    package let library: String
    /// The name of the format in the Open Inference Protocol, as Triton has it.
    package let platform: String
    /// The name of the library there.
    package let backend: String

    package init(format: String, library: String, platform: String, backend: String) {
        (self.format, self.library, self.platform, self.backend) = (format, library, platform, backend)
    }
}

extension Model: InferenceModel {
    package var runtime: ModelRuntimeSummary {
        ModelRuntimeSummary(format: "TensorFlow Lite", library: "LiteRT", platform: "tflite", backend: "tflite")
    }

    package var properties: [String: String] { [:] }
    package func outputShapes(withInput index: Int, of shape: [Int], threads: Int) throws -> [[Int]]? { nil }

    package func makeSession(threads: Int) throws -> any InferenceSession {
        var options = Interpreter.Options()
        options.threadCount = max(threads, 1)
        return try Interpreter(model: self, options: options)
    }
}

extension Interpreter: InferenceSession {}
