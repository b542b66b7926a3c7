import FacadeSupport
import FirebaseCore
import Foundation
import SightlineLocks
import TensorFlowLite

/// Receives the outputs of a run or an error.
public typealias ModelInterpreterRunCallback = @MainActor (ModelOutputs?, (any Error)?) -> Void

/// Receives the index of an input or output, or an error.
public typealias ModelInterpreterInputOutputOpIndexCallback = @MainActor (NSNumber?, (any Error)?) -> Void

/// Runs a model of any kind, with numbers as inputs and outputs.
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
/// An interpreter performs one run at a time, in the order of the calls. The first run loads the model. Errors are
/// `NSError`s with the domain `com.firebase.ml` and codes of google.rpc. `Interpreter` of the module `TensorFlowLite`
/// offers the same with less copying.
#if canImport(ObjectiveC)
    @objc(FIRModelInterpreter) @objcMembers
#endif
public final class ModelInterpreter: NSObject, Sendable {
    private let engine: InterpreterEngine
    private let statsCollection = Mutex(false)

    private init(_ source: ModelSource) { engine = InterpreterEngine(source) }

    /// Creates an interpreter for a model on this machine.
    #if canImport(ObjectiveC)
        @objc(modelInterpreterForLocalModel:)
    #endif
    public static func modelInterpreter(localModel: CustomLocalModel) -> ModelInterpreter {
        ModelInterpreter(.local(path: localModel.path))
    }

    /// Creates an interpreter for a model on a hub. The model must be downloaded before the first run.
    #if canImport(ObjectiveC)
        @objc(modelInterpreterForRemoteModel:)
    #endif
    public static func modelInterpreter(remoteModel: CustomRemoteModel) -> ModelInterpreter {
        ModelInterpreter(.remote(name: remoteModel.name, of: FirebaseErrors.models(of: nil)))
    }

    /// False by default. Sightline collects no data in either case.
    @nonobjc
    public var isStatsCollectionEnabled: Bool {
        get { statsCollection.withLock { $0 } }
        set { statsCollection.withLock { $0 = newValue } }
    }

    /// Runs the model.
    ///
    /// - Parameters:
    ///   - inputs: Read during the call; later changes have no effect.
    ///   - options: Read during the call; later changes have no effect. Inputs and outputs without a format have that
    ///     of the model.
    ///   - completion: Called exactly once, on the main queue, with either outputs or an error. Code 3 means that the
    ///     inputs or options do not fit the model.
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
    @nonobjc
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
    ///   - opName: The name.
    ///   - completion: Called exactly once, on the main queue, with either the index or an error. The error has code 5
    ///     if the model has no input with this name.
    #if canImport(ObjectiveC)
        @objc(inputIndexForOp:completion:)
    #endif
    @preconcurrency
    public func inputIndex(opName: String, completion: @escaping ModelInterpreterInputOutputOpIndexCallback) {
        engine.perform({ try $0.inputIndex(of: opName) }, Self.indexCallback(completion))
    }

    /// Finds an input by its name in the model.
    @nonobjc
    public func inputIndex(opName: String) async throws -> NSNumber {
        NSNumber(value: try await engine.perform { try $0.inputIndex(of: opName) })
    }

    /// Finds an output by its name in the model.
    ///
    /// - Parameters:
    ///   - opName: The name.
    ///   - completion: Called exactly once, on the main queue, with either the index or an error. The error has code 5
    ///     if the model has no output with this name.
    #if canImport(ObjectiveC)
        @objc(outputIndexForOp:completion:)
    #endif
    @preconcurrency
    public func outputIndex(opName: String, completion: @escaping ModelInterpreterInputOutputOpIndexCallback) {
        engine.perform({ try $0.outputIndex(of: opName) }, Self.indexCallback(completion))
    }

    /// Finds an output by its name in the model.
    @nonobjc
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
