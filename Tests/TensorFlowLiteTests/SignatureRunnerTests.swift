import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@Suite(.hangLimit) struct SignatureRunnerTests {
    @Test func listsSignaturesInTheFilesOrder() throws {
        #expect(try Interpreter(model: fixture("signatures")).signatureKeys == ["difference", "both"])
        #expect(try Interpreter(model: fixture("add")).signatureKeys.isEmpty)
    }

    @Test func connectsNamesToTheRightTensors() throws {
        let runner = try Interpreter(model: fixture("signatures")).signatureRunner(with: "difference")
        #expect(runner.signatureKey == "difference")
        #expect(runner.inputs == ["right", "left"])
        #expect(runner.outputs == ["result"])
        try runner.invoke(with: [
            "left": Data(values: [10, 20, 30] as [Float]), "right": Data(values: [1, 2, 3] as [Float]),
        ])
        #expect(try runner.output(named: "result").data.values(as: Float.self) == [9, 18, 27])
        #expect(try runner.input(named: "left").name == "left_tensor")
    }

    @Test func runsASignatureThatIsNotTheFirst() throws {
        let runner = try Interpreter(model: fixture("signatures")).signatureRunner(with: "both")
        try runner.invoke(with: ["x": Data(values: [1, 2, 3] as [Float])])
        #expect(try runner.output(named: "doubled").data.values(as: Float.self) == [2, 4, 6])
        #expect(try runner.output(named: "squared").data.values(as: Float.self) == [1, 4, 9])
    }

    @Test func leavesTheSubgraphsOrderToTheInterpreter() throws {
        let interpreter = try interpreter("signatures")
        try interpreter.copy(Data(values: [10, 20, 30] as [Float]), toInputAt: 0)
        try interpreter.copy(Data(values: [1, 2, 3] as [Float]), toInputAt: 1)
        try interpreter.invoke()
        #expect(try interpreter.input(at: 0).name == "left_tensor")
        #expect(try interpreter.output(at: 0).data.values(as: Float.self) == [9, 18, 27])
    }

    @Test func resizesByName() throws {
        let runner = try Interpreter(model: fixture("signatures")).signatureRunner(with: "both")
        try runner.resizeInput(named: "x", toShape: [5])
        #expect(throws: SignatureRunnerError.allocateTensorsRequired) { try runner.input(named: "x") }
        try runner.allocateTensors()
        try runner.copy(Data(values: [1, 2, 3, 4, 5] as [Float]), toInputNamed: "x")
        try runner.invoke(with: [:])
        #expect(try runner.output(named: "doubled").data.values(as: Float.self) == [2, 4, 6, 8, 10])
    }

    @Test func refusesNamesAndSizesThatDoNotFit() throws {
        let interpreter = try Interpreter(model: fixture("signatures"))
        #expect(throws: SignatureRunnerError.failedToCreateSignatureRunner(signatureKey: "none")) {
            try interpreter.signatureRunner(with: "none")
        }
        let runner = try interpreter.signatureRunner(with: "both")
        let noInput = SignatureRunnerError.failedToGetTensor(tensorType: "input", nameInSignature: "y")
        #expect(throws: noInput) { try runner.input(named: "y") }
        #expect(throws: noInput) { try runner.copy(Data(), toInputNamed: "y") }
        #expect(throws: noInput) { try runner.invoke(with: ["y": Data()]) }
        #expect(throws: SignatureRunnerError.failedToGetTensor(tensorType: "output", nameInSignature: "x")) {
            try runner.output(named: "x")
        }
        #expect(throws: SignatureRunnerError.failedToResizeInputTensor(inputName: "y")) {
            try runner.resizeInput(named: "y", toShape: [1])
        }
        #expect(throws: SignatureRunnerError.invalidTensorDataCount(provided: 4, required: 12)) {
            try runner.copy(Data(count: 4), toInputNamed: "x")
        }
    }

    @Test func outlivesItsInterpreter() throws {
        let runner = try Interpreter(model: fixture("signatures")).signatureRunner(with: "both")
        try runner.invoke(with: ["x": Data(values: [3, 3, 3] as [Float])])
        #expect(try runner.output(named: "squared").data.values(as: Float.self) == [9, 9, 9])
    }
}

/// An interpreter and the runners of a signature share one compiled model and its shapes.
@Suite(.hangLimit) struct SharedShapeTests {
    @Test func takesTurnsWithTheInterpreter() throws {
        let interpreter = try interpreter("signatures")
        let runner = try interpreter.signatureRunner(with: "difference")
        try interpreter.copy(Data(values: [5, 5, 5] as [Float]), toInputAt: 0)
        try runner.copy(Data(values: [8, 8, 8] as [Float]), toInputNamed: "left")
        for _ in 0..<3 {
            try interpreter.invoke()
            try runner.invoke(with: [:])
            #expect(try interpreter.output(at: 0).data.values(as: Float.self) == [5, 5, 5])
            #expect(try runner.output(named: "result").data.values(as: Float.self) == [8, 8, 8])
        }
    }

    @Test func neverRunsOnMemoryThatAnotherRunnerMadeTooSmall() throws {
        let interpreter = try interpreter("signatures")
        let runner = try interpreter.signatureRunner(with: "difference")
        for name in runner.inputs { try runner.resizeInput(named: name, toShape: [100_000]) }
        let values = [Float](repeating: 2, count: 100_000)
        try runner.allocateTensors()
        try runner.copy(Data(values: values), toInputNamed: "left")
        try runner.invoke(with: [:])
        #expect(throws: InterpreterError.allocateTensorsRequired) { try interpreter.invoke() }
        try interpreter.allocateTensors()
        try interpreter.copy(Data(values: [7, 7, 7] as [Float]), toInputAt: 0)
        try interpreter.invoke()
        #expect(try interpreter.output(at: 0).data.values(as: Float.self) == [7, 7, 7])
        try runner.invoke(with: [:])
        #expect(try runner.output(named: "result").data.values(as: Float.self) == values)
    }
}
