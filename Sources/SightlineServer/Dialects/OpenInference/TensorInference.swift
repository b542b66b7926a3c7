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
                return try await models.runner(for: model, name).outputs(of: inputs).map(InferenceResponse.Output.init)
            } catch let error as InterpreterError {
                throw AnswerError.invalid("The model \(name.name) cannot run on these tensors: \(error)")
            }
        }
        return InferenceResponse(model: name, outputs: outputs)
    }

    /// The elements of each input of a model, in the model's order.
    private static func inputs(
        of model: any InferenceModel,
        from request: InferenceRequest,
        share: BodyMemory.Share
    ) throws(AnswerError) -> [Data] {
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
        var elements: [Data] = []
        for tensor in model.inputs {
            guard let input = sent[tensor.name] else {
                throw .invalid("The request lacks the input \(tensor.name), which the model needs.")
            }
            elements.append(try Self.elements(of: input, for: tensor, share: share))
        }
        return elements
    }

    private static func elements(
        of input: InferenceRequest.Input,
        for tensor: TensorDescription,
        share: BodyMemory.Share
    ) throws(AnswerError) -> Data {
        let (type, shape) = (tensor.dataType.openInferenceName, tensor.defaultShape.dimensions)
        guard input.dataType == type, input.shape == shape else {
            throw .invalid(
                """
                The input \(tensor.name) is \(input.dataType.prefix(20)) of shape \(input.shape.prefix(9)); the model needs \(type) of \
                shape \(shape).
                """
            )
        }
        guard let count = tensor.defaultShape.elementCount, let byteCount = tensor.byteCount else {
            throw .invalid("The input \(tensor.name) of the model has no fixed size; this server cannot fill it.")
        }
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
