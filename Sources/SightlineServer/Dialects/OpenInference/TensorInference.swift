import Foundation
import HTTPServing
import Sightline
import TensorFlowLite

/// Runs a model on the tensors of a request.
struct TensorInference: Sendable {
    let service: AnswerService
    let models: TensorModels

    /// The outputs of a model for the inputs of a request.
    ///
    /// - Throws: ``AnswerError``: 400 if an input is missing, unknown, of another type or shape; 503 if there is no place or no time.
    func response(
        of loaded: LoadedModel,
        for request: InferenceRequest,
        client: AnswerClient,
        share: BodyMemory.Share
    ) async throws(AnswerError) -> InferenceResponse {
        let model = loaded.model
        let inputs = try Self.inputs(of: model, from: request, share: share)
        let name = loaded.version.model
        let outputs = try await service.work(for: client) { [models] in
            do {
                return try await models.runner(for: model, name)
                    .outputs(of: inputs.map(\.elements), shapes: inputs.map(\.shape)).map(InferenceResponse.Output.init)
            } catch let error as InterpreterError {
                throw AnswerError.invalid("The model \(name.name) cannot run on these tensors: \(error)")
            }
        }
        return InferenceResponse(model: name, outputs: outputs)
    }

    /// An input for a run.
    private typealias Input = (elements: Data, shape: Tensor.Shape)

    /// The elements and the shape of each input of a model, in the model's order.
    private static func inputs(
        of model: any InferenceModel,
        from request: InferenceRequest,
        share: BodyMemory.Share
    ) throws(AnswerError) -> [Input] {
        let names = model.inputs.map(\.name)
        var sent: [String: InferenceRequest.Input] = [:]
        for input in request.inputs {
            guard names.contains(input.name) else {
                throw .invalid(
                    "The model has no input \(input.name.prefix(100)); its inputs are \(names.joined(separator: ", "))."
                )
            }
            guard sent.updateValue(input, forKey: input.name) == nil else {
                throw .invalid("The request has the input \(input.name) twice.")
            }
        }
        if let option = request.options.first {
            throw .invalid("The parameter \(option.name.prefix(60)) means nothing for tensors; leave it out.")
        }
        var inputs: [Input] = []
        for tensor in model.inputs {
            guard let input = sent[tensor.name] else {
                throw .invalid("The request lacks the input \(tensor.name), which the model needs.")
            }
            let elements = try Self.elements(
                of: input,
                for: tensor,
                shape: model.requestShape(of: tensor),
                share: share
            )
            inputs.append((elements, Tensor.Shape(input.shape)))
        }
        return inputs
    }

    private static func elements(
        of input: InferenceRequest.Input,
        for tensor: TensorDescription,
        shape: Tensor.Shape,
        share: BodyMemory.Share
    ) throws(AnswerError) -> Data {
        let type = tensor.dataType.openInferenceName
        guard input.dataType == type, shape.admits(input.shape) else {
            throw .invalid(
                """
                The input \(tensor.name) is \(input.dataType.prefix(20)) of shape \(input.shape.prefix(9)); the model needs \(type) of \
                shape \(shape.dimensions)\(shape.elementCount == nil ? ", where −1 stands for any extent" : "").
                """
            )
        }
        let count = Tensor.Shape(input.shape).elementCount
        let product = count?.multipliedReportingOverflow(by: tensor.dataType.byteCount)
        guard let count, let product, !product.overflow else {
            throw .invalid("The input \(tensor.name) is too large for this server.")
        }
        let byteCount = product.partialValue
        switch input.elements {
        case .binary(let data):
            guard data.count == byteCount else {
                throw .invalid(
                    "The input \(tensor.name) has \(data.count) bytes of binary data; its shape needs \(byteCount)."
                )
            }
            return data
        case .json(let text):
            guard tensor.dataType != .float16 else {
                throw .invalid("The input \(tensor.name) has 16-bit numbers, which JSON cannot hold; send binary data.")
            }
            try share.take(byteCount)
            return try TensorJSONReader.elements(of: text, name: tensor.name, dataType: tensor.dataType, count: count)
        }
    }
}

extension InferenceModel {
    /// The shape of an input for requests; −1 stands for an extent that a request chooses. A TensorFlow Lite file stores a shape for such
    /// inputs, too, and requests have that shape.
    func requestShape(of input: TensorDescription) -> Tensor.Shape { self is Model ? input.defaultShape : input.shape }
}

extension Tensor.Shape {
    /// Whether a tensor of a request may have some extents: those of this shape, and any positive ones where it leaves them open.
    fileprivate func admits(_ extents: [Int]) -> Bool {
        rank == extents.count && zip(dimensions, extents).allSatisfy { $0 == $1 || ($0 < 0 && $1 > 0) }
    }
}
