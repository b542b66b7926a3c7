import HTTPServing

extension APIOperation {
    private static let tag = "Open Inference Protocol"

    static var openInferenceServer: APIOperation {
        APIOperation(tag: tag, "getOpenInferenceServer", "Get the name and the extensions of the server")
            .answers(
                "The server.",
                .fields(["name": .text(), "version": .text(), "extensions": .list(of: .text())])
            )
    }

    static var openInferenceModel: APIOperation {
        APIOperation(tag: tag, "getOpenInferenceModel", "Get the inputs and outputs of a model")
            .answers(
                "The model.",
                .fields([
                    "name": .text(), "versions": .list(of: .text()), "platform": .text(),
                    "inputs": .list(of: .openInferenceTensor), "outputs": .list(of: .openInferenceTensor),
                ])
            )
    }

    static var openInferenceInfer: APIOperation {
        APIOperation(tag: tag, "infer", "Run a model on tensors or on a picture")
            .explained(
                """
                Inputs have the shapes and datatypes of the model's description. Elements are in `data`, or follow the JSON as bytes, \
                whose length is then in `Inference-Header-Content-Length`. A single input of the datatype `BYTES` and the shape [1] is a \
                picture file instead (in JSON: in base64): the outputs are then `boxes` (left, top, right, bottom in pixels), `scores` \
                and `labels`, and the parameters of the request are the options of `/v1/detect`.
                """
            )
            .takes([
                "application/json": Schema.fields([
                    "id?": .text(), "parameters?": .object().open, "inputs": .list(of: .openInferenceInput),
                    "outputs?": .list(of: Schema.fields(["name": .text(), "parameters?": .object().open]).open),
                ]).open,
                "application/octet-stream": .bytes,
            ])
            .answers(
                "The outputs.",
                [
                    "application/json": .fields([
                        "id?": .text(), "model_name": .text(), "model_version": .text(),
                        "outputs": .list(of: .openInferenceInput),
                    ]),
                    "application/octet-stream": .bytes,
                ]
            )
    }
}

extension Schema {
    fileprivate static let openInferenceTensor = fields([
        "name": .text(), "datatype": .text("`FP32`, `UINT8` and so on."), "shape": .list(of: .integer()),
    ]).named("OpenInferenceTensor")

    fileprivate static let openInferenceInput = fields([
        "name": .text(), "datatype": .text(), "shape": .list(of: .integer()),
        "parameters?": .object("`binary_data_size`: the number of bytes after the JSON.").open,
        "data?": .list("The elements, flat or nested.", of: .anything),
    ]).named("OpenInferenceData")
}
