import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

/// The order of the checks is that of TensorFlowLiteSwift: the index, then the memory, then the size.
@Suite(.hangLimit) struct InterpreterErrorTests {
    @Test(arguments: [-1, 1, Int.max, Int.min])
    func checksTheIndexBeforeAnythingElse(_ index: Int) throws {
        let interpreter = try Interpreter(model: fixture("add"))
        let expected = InterpreterError.invalidTensorIndex(index: index, maxIndex: 0)
        #expect(throws: expected) { try interpreter.input(at: index) }
        #expect(throws: expected) { try interpreter.output(at: index) }
        #expect(throws: expected) { try interpreter.copy(Data(), toInputAt: index) }
        #expect(throws: expected) { try interpreter.resizeInput(at: index, to: [1]) }
    }

    @Test func asksForAllocationBeforeItLooksAtSizes() throws {
        let interpreter = try Interpreter(model: fixture("add"))
        #expect(throws: InterpreterError.allocateTensorsRequired) { try interpreter.copy(Data([1]), toInputAt: 0) }
        #expect(throws: InterpreterError.allocateTensorsRequired) { try interpreter.input(at: 0) }
        #expect(throws: InterpreterError.invokeInterpreterRequired) { try interpreter.output(at: 0) }
        #expect(throws: InterpreterError.allocateTensorsRequired) { try interpreter.invoke() }
    }

    @Test(arguments: [0, 7, 9]) func refusesDataOfTheWrongSize(_ count: Int) throws {
        let interpreter = try interpreter("add")
        #expect(throws: InterpreterError.invalidTensorDataCount(provided: count, required: 8)) {
            try interpreter.copy(Data(count: count), toInputAt: 0)
        }
    }

    @Test func cannotLoadWhatIsNoModel() {
        let missing = TestData.fixture("models/absent.tflite").path
        #expect(throws: InterpreterError.failedToLoadModel) { try Interpreter(modelPath: missing) }
        #expect(throws: InterpreterError.failedToLoadModel) { try Interpreter(modelData: Data("nonsense".utf8)) }
        #expect(throws: InterpreterError.failedToLoadModel) { try Interpreter(modelData: Data()) }
    }

    @Test(arguments: [("while", "WHILE"), ("variable", "state"), ("where", "\"y\""), ("custom_operator", "Sightline_")])
    func namesTheLimitationOfModelsThatItCannotRun(_ name: String, _ text: String) throws {
        let error = #expect(throws: InterpreterError.self) {
            try Interpreter(modelPath: TestData.fixture("models/\(name).tflite").path)
        }
        guard case .tensorFlowLiteError(let message) = error else {
            Issue.record("\(String(describing: error)) does not say why")
            return
        }
        #expect(message.contains(text))
    }

    @Test func takesNoDelegates() throws {
        final class Mine: Delegate {}
        let data = try fixtureData("add")
        #expect(throws: InterpreterError.self) { try Interpreter(modelData: data, delegates: [Mine()]) }
        _ = try Interpreter(modelData: data, delegates: [])
    }

    @Test func describesEveryErrorInOneSentence() {
        let errors: [any Error & CustomStringConvertible] = [
            InterpreterError.invalidTensorIndex(index: 2, maxIndex: 1),
            InterpreterError.invalidTensorIndex(index: 0, maxIndex: -1),
            InterpreterError.invalidTensorDataCount(provided: 1, required: 2), InterpreterError.failedToLoadModel,
            InterpreterError.invalidTensorDataType, InterpreterError.failedToCreateInterpreter,
            InterpreterError.failedToResizeInputTensor(index: 0), InterpreterError.failedToCopyDataToInputTensor,
            InterpreterError.failedToAllocateTensors, InterpreterError.allocateTensorsRequired,
            InterpreterError.invokeInterpreterRequired,
            SignatureRunnerError.failedToCreateSignatureRunner(signatureKey: "k"),
            SignatureRunnerError.failedToGetTensor(tensorType: "input", nameInSignature: "n"),
            RuntimeError.libraryNotFound(searched: ["/a"]), RuntimeError.tooOld(path: "/a", missing: "f"),
            RuntimeError.libraryNotLoadable(path: "/a", reason: "r"),
            RuntimeError.missingFunction(path: "/a", name: "f"), ModelError.empty,
            ModelError.notAModel(found: "f", advice: "a"), ModelError.corrupted(reason: "r"),
            ModelError.tooLarge(what: "w", bytes: 2, limit: 1), ModelError.fileTooLarge(bytes: 2, limit: 1),
            ModelError.outOfMemory(bytes: 1),
            ModelError.unsupported(.unknownOperator(name: "edgetpu-custom-op")),
            ModelError.unsupported(.controlFlow(operatorName: "WHILE")),
            ModelError.noAssociatedFile(named: "a", available: []),
        ]
        for error in errors {
            #expect(error.description.hasSuffix("."))
            #expect(!error.description.dropLast().contains(". "))
            #expect(error.localizedDescription == error.description)
        }
    }
}
