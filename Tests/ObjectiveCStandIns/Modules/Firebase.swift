// swift-format-ignore-file
// In place of the files of Firebase that need a runtime.
import FacadeSupport
import Foundation

final class InterpreterEngine: Sendable {
    init(_ source: ModelSource) {}
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (LoadedInterpreter) throws -> Value,
        _ completion: @escaping @MainActor @Sendable (Result<Value, NSError>) -> Void
    ) {}
    func perform<Value: Sendable>(_ body: @escaping @Sendable (LoadedInterpreter) throws -> Value) async throws -> Value { fatalError() }
}
final class LoadedInterpreter {
    struct Run: Sendable {
        let inputs: [ModelInputs.Input]
        let inputFormats: [UInt: ModelInputOutputOptions.Format]
        let outputFormats: [UInt: ModelInputOutputOptions.Format]
    }
    func inputIndex(of name: String) throws -> Int { 0 }
    func outputIndex(of name: String) throws -> Int { 0 }
    func outputs(of run: Run) throws -> ModelOutputs { fatalError() }
}
