import FacadeSupport
import FirebaseCore
import Foundation
import Synchronization
import TensorFlowLite

/// What is called with the outputs of a run, or with an error.
public typealias ModelInterpreterRunCallback = @MainActor (ModelOutputs?, (any Error)?) -> Void

/// What is called with the index of an input or output, or with an error.
public typealias ModelInterpreterInputOutputOpIndexCallback = @MainActor (NSNumber?, (any Error)?) -> Void

/// Runs a model of any kind: numbers in, numbers out.
///
/// ```swift
/// let interpreter = ModelInterpreter.modelInterpreter(localModel: CustomLocalModel(modelPath: path))
/// let options = ModelInputOutputOptions()
/// try options.setInputFormat(index: 0, type: .float32, dimensions: [1, 224, 224, 3])
/// try options.setOutputFormat(index: 0, type: .float32, dimensions: [1, 1000])
/// let inputs = ModelInputs()
/// try inputs.addInput(pixels)
/// interpreter.run(inputs: inputs, options: options) { outputs, error in
///     let probabilities = try? outputs?.output(index: 0) as? [[NSNumber]]
/// }
/// ```
///
/// An interpreter does one run at a time, in the order of the calls. It loads the model with the first one. Errors are `NSError`s of the
/// domain `com.firebase.ml` with codes of google.rpc. `Interpreter` of the module `TensorFlowLite` does the same with less copying.
public final class ModelInterpreter: NSObject, Sendable {
    private let engine: InterpreterEngine
    private let statsCollection = Atomic(false)

    private init(_ source: ModelSource) { engine = InterpreterEngine(source) }

    /// An interpreter of a model on this machine.
    public static func modelInterpreter(localModel: CustomLocalModel) -> ModelInterpreter {
        ModelInterpreter(.local(path: localModel.path))
    }

    /// An interpreter of a model that a hub hosts. The model must be downloaded before the first run.
    public static func modelInterpreter(remoteModel: CustomRemoteModel) -> ModelInterpreter {
        ModelInterpreter(.remote(name: remoteModel.name, of: FirebaseErrors.models(of: nil)))
    }

    /// False until the app sets it. Sightline collects nothing, whether it is true or false.
    public var isStatsCollectionEnabled: Bool {
        get { statsCollection.load(ordering: .relaxed) }
        set { statsCollection.store(newValue, ordering: .relaxed) }
    }

    /// Runs the model.
    ///
    /// - Parameters:
    ///   - inputs: read now; what changes later has no effect.
    ///   - options: read now; what changes later has no effect. An input or output that they leave out is as the model has it.
    ///   - completion: called exactly once, on the main queue, with either outputs or an error. Code 3 says that inputs, options
    ///     and model do not fit.
    @preconcurrency
    public func run(
        inputs: ModelInputs,
        options: ModelInputOutputOptions,
        completion: @escaping ModelInterpreterRunCallback
    ) {
        let run = LoadedInterpreter.Run(
            inputs: inputs.inputs,
            inputFormats: options.inputs,
            outputFormats: options.outputs
        )
        engine.perform({ try $0.outputs(of: run) }) { result in
            switch result {
            case .success(let outputs): completion(outputs, nil)
            case .failure(let error): completion(nil, error)
            }
        }
    }

    /// Runs the model.
    public func run(inputs: ModelInputs, options: ModelInputOutputOptions) async throws -> ModelOutputs {
        let run = LoadedInterpreter.Run(
            inputs: inputs.inputs,
            inputFormats: options.inputs,
            outputFormats: options.outputs
        )
        return try await engine.perform { try $0.outputs(of: run) }
    }

    /// Finds an input by its name in the model.
    ///
    /// - Parameters:
    ///   - opName: the name.
    ///   - completion: called exactly once, on the main queue, with either the index or an error, of code 5 if the model has no
    ///     input of that name.
    @preconcurrency
    public func inputIndex(opName: String, completion: @escaping ModelInterpreterInputOutputOpIndexCallback) {
        engine.perform({ try $0.inputIndex(of: opName) }, Self.indexCallback(completion))
    }

    /// Finds an input by its name in the model.
    public func inputIndex(opName: String) async throws -> NSNumber {
        NSNumber(value: try await engine.perform { try $0.inputIndex(of: opName) })
    }

    /// Finds an output by its name in the model.
    ///
    /// - Parameters:
    ///   - opName: the name.
    ///   - completion: called exactly once, on the main queue, with either the index or an error, of code 5 if the model has no
    ///     output of that name.
    @preconcurrency
    public func outputIndex(opName: String, completion: @escaping ModelInterpreterInputOutputOpIndexCallback) {
        engine.perform({ try $0.outputIndex(of: opName) }, Self.indexCallback(completion))
    }

    /// Finds an output by its name in the model.
    public func outputIndex(opName: String) async throws -> NSNumber {
        NSNumber(value: try await engine.perform { try $0.outputIndex(of: opName) })
    }

    private static func indexCallback(
        _ completion: @escaping ModelInterpreterInputOutputOpIndexCallback
    ) -> @MainActor @Sendable (Result<Int, NSError>) -> Void {
        { result in
            switch result {
            case .success(let index): completion(NSNumber(value: index), nil)
            case .failure(let error): completion(nil, error)
            }
        }
    }
}
