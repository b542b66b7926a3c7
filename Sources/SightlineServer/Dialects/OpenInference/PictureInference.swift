import Foundation
import HTTPServing
import Sightline

/// Finds objects or labels in a picture that a request has in place of tensors: a single input of the datatype `BYTES` and the shape [1],
/// whose element is a picture file. The request's parameters are the options of `sightline detect`.
struct PictureInference: Sendable {
    let service: AnswerService

    /// Whether a request has a picture.
    static func fits(_ request: InferenceRequest) -> Bool {
        request.inputs.count == 1 && request.inputs[0].dataType == "BYTES"
    }

    /// The results as tensors: `boxes` ([n, 4]: left, top, right and bottom edge in pixels of the upright picture), `scores` ([n]) and
    /// `labels` ([n]); for a model that labels pictures, `scores` and `labels`.
    func response(
        of model: ServedModel.Version,
        for request: InferenceRequest,
        client: AnswerClient,
        share: BodyMemory.Share
    ) async throws(AnswerError) -> InferenceResponse {
        let picture = try Self.picture(request.inputs[0], upTo: service.options.pictures.maximumBytes, share: share)
        let options = try AnswerOptions(RequestFields(request.options))
        let name = model.model.name
        switch model.kind {
        case .detection:
            let answer = try await service.detect(picture, model: name, options: options, client: client)
            let objects = answer.result.objects
            let outputs: [InferenceResponse.Output] = [
                .init(
                    name: "boxes",
                    shape: [objects.count, 4],
                    numbers: objects.flatMap { object in
                        let frame = object.frame
                        return [frame.x, frame.y, frame.maxX, frame.maxY].map { Float($0) }
                    }
                ),
                .init(name: "scores", shape: [objects.count], numbers: objects.map(\.confidence)),
                .init(name: "labels", texts: objects.map(\.className)),
            ]
            return InferenceResponse(model: answer.model, outputs: outputs)
        case .labeling:
            let answer = try await service.label(picture, model: name, options: options, client: client)
            let labels = answer.result.labels
            let outputs: [InferenceResponse.Output] = [
                .init(name: "scores", shape: [labels.count], numbers: labels.map(\.confidence)),
                .init(name: "labels", texts: labels.map(\.className)),
            ]
            return InferenceResponse(model: answer.model, outputs: outputs)
        }
    }

    /// The only element of an input: in binary data, 4 bytes with its length go before it; in JSON it is in base64.
    private static func picture(
        _ input: InferenceRequest.Input,
        upTo limit: Int,
        share: BodyMemory.Share
    ) throws(AnswerError) -> Data {
        guard input.shape.allSatisfy({ $0 == 1 }), input.shape.count <= 2 else {
            throw .invalid(
                "The input \(input.name) has the shape \(input.shape.prefix(9)); a request has one picture, of shape [1]."
            )
        }
        switch input.elements {
        case .binary(let data):
            let length = data.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard data.count >= 4, length == data.count - 4 else {
                throw .invalid(
                    "The binary data of \(input.name) is not one element of BYTES, 4 bytes with its length and a picture file."
                )
            }
            return data.dropFirst(4)
        case .json(let text):
            guard let element = try? JSONDecoder().decode([String].self, from: Data(text)), element.count == 1 else {
                throw .invalid("The data of \(input.name) is not a list with one text, a picture file in base64.")
            }
            guard let data = Data(base64Encoded: element[0]), !data.isEmpty else {
                throw .invalid("The picture in \(input.name) is not base64; encode it, or send binary data.")
            }
            try share.take(data.count)
            return data
        }
    }
}
