import FacadeSupport
import Foundation
import Sightline
import TensorFlowLite

/// A loaded model with the operations of Firebase's interpreter. It has a single owner.
final class LoadedInterpreter {
    /// The inputs and the expected outputs of a run.
    struct Run: Sendable {
        let inputs: [ModelInputs.Input]
        let inputFormats: [UInt: ModelInputOutputOptions.Format]
        let outputFormats: [UInt: ModelInputOutputOptions.Format]
    }

    private let interpreter: Interpreter
    /// The shapes of the inputs in the model file.
    private let ownShapes: [[Int]]
    private var shapes: [[Int]]

    init(_ model: Sightline.LocalModel) throws {
        interpreter = try Interpreter(model: Model(contentsOf: model.url))
        try interpreter.allocateTensors()
        ownShapes = try (0..<interpreter.inputTensorCount).map { [interpreter] in
            try interpreter.input(at: $0).shape.dimensions
        }
        shapes = ownShapes
    }

    /// The position of the input with the given name.
    func inputIndex(of name: String) throws -> Int { try index(of: name, in: interpreter.model.inputs) }

    /// The position of the output with the given name.
    func outputIndex(of name: String) throws -> Int { try index(of: name, in: interpreter.model.outputs) }

    private func index(of name: String, in tensors: [TensorDescription]) throws -> Int {
        guard let index = tensors.firstIndex(where: { $0.name == name }) else {
            throw FacadeError.noTensor(name: name, names: tensors.map(\.name))
        }
        return index
    }

    /// Runs the model.
    func outputs(of run: Run) throws -> ModelOutputs {
        guard run.inputs.count == interpreter.inputTensorCount else {
            throw FacadeError.modelFormat(
                reason: "there are \(run.inputs.count) inputs, expected \(interpreter.inputTensorCount)"
            )
        }
        for index in run.inputs.indices { try resize(index, run.inputFormats[UInt(index)]) }
        try interpreter.allocateTensors()
        for (index, input) in run.inputs.enumerated() { try fill(index, with: input) }
        try interpreter.invoke()
        return ModelOutputs(
            try (0..<interpreter.outputTensorCount).map { try output($0, run.outputFormats[UInt($0)]) }
        )
    }

    private func resize(_ index: Int, _ format: ModelInputOutputOptions.Format?) throws {
        if let format { try check(format.type, is: interpreter.model.inputs[index].dataType, "input \(index)") }
        let shape = format?.dimensions ?? ownShapes[index]
        if shape == shapes[index] { return }
        do {
            try interpreter.resizeInput(at: index, to: Tensor.Shape(shape))
        } catch {
            throw FacadeError.modelFormat(
                reason: "input \(index) cannot have the dimensions \(shape), the model has \(ownShapes[index])"
            )
        }
        shapes[index] = shape
    }

    private func fill(_ index: Int, with input: ModelInputs.Input) throws {
        let data: Data
        switch input {
        case .bytes(let bytes): data = bytes
        case .numbers(let numbers):
            let type = try elementType(interpreter.model.inputs[index].dataType, "input \(index)")
            var bytes = Data()
            for number in numbers where !type.append(number, to: &bytes) {
                throw FacadeError.modelFormat(reason: "the number \(number) of input \(index) is not a valid \(type)")
            }
            data = bytes
        }
        let count = try interpreter.withMutableInput(at: index) { memory in
            if memory.count == data.count { data.copyBytes(to: memory) }
            return memory.count
        }
        guard count == data.count else {
            throw FacadeError.modelFormat(reason: "input \(index) has \(data.count) bytes, expected \(count)")
        }
    }

    private func output(_ index: Int, _ format: ModelInputOutputOptions.Format?) throws -> ModelOutputs.Output {
        let tensor = try interpreter.output(at: index)
        let type = try elementType(tensor.dataType, "output \(index)")
        guard let format else {
            return ModelOutputs.Output(type: type, dimensions: tensor.shape.dimensions, data: tensor.data)
        }
        try check(format.type, is: tensor.dataType, "output \(index)")
        guard Tensor.Shape(format.dimensions).elementCount == tensor.shape.elementCount else {
            throw FacadeError.modelFormat(
                reason:
                    "output \(index) has the dimensions \(tensor.shape.dimensions), the options say \(format.dimensions)"
            )
        }
        return ModelOutputs.Output(type: type, dimensions: format.dimensions, data: tensor.data)
    }

    private func check(_ type: ModelElementType, is dataType: Tensor.DataType, _ place: String) throws {
        guard type.dataType == dataType else {
            throw FacadeError.modelFormat(reason: "\(place) is of the type \(dataType), the options say \(type)")
        }
    }

    private func elementType(_ dataType: Tensor.DataType, _ place: String) throws -> ModelElementType {
        guard let type = ModelElementType(dataType) else {
            throw FacadeError.modelFormat(
                reason: "\(place) is of the type \(dataType), which ModelElementType does not have"
            )
        }
        return type
    }
}

extension ModelElementType {
    fileprivate init?(_ dataType: Tensor.DataType) {
        switch dataType {
        case .float32: self = .float32
        case .int32: self = .int32
        case .uInt8: self = .uInt8
        case .int64: self = .int64
        default: return nil
        }
    }
}
