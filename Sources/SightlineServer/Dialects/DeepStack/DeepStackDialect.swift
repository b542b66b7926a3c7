import Foundation
import HTTPServing
import Hummingbird
import TextFormatting

/// The API of DeepStack and CodeProject.AI for objects in pictures, which camera recorders and home automation speak.
///
/// Source: the API references of CodeProject.AI Server ("Object Detection", "Custom Object Detector") and DeepStack, and the clients of
/// both. A picture is a file of a form; boxes are in whole pixels of the upright picture.
struct DeepStackDialect: Dialect {
    let service: AnswerService

    let name = "DeepStack"
    let summary =
        "The API of DeepStack and CodeProject.AI for Blue Iris, Frigate, Agent DVR, Home Assistant and others."

    /// The path of a custom model, and of the list of all.
    private static let custom = "v1/vision/custom"

    /// The addresses of DeepStack for other work, and its names there.
    private static let missing =
        ["face", "face/register", "face/recognize", "face/list", "face/delete", "face/match"]
        .map { ("v1/vision/\($0)", "Face") } + [("v1/vision/scene", "Scene"), ("v1/vision/enhance", "Enhance")]

    func add(to routes: inout AnswerRoutes) {
        routes.onForm(at: "v1/vision/detection", tokenIn: "api_key", by: service) { request, contents in
            try await detect(request, contents, model: nil)
        } describedBy: {
            .deepStack("deepStackDetect", "Find objects in a picture")
        }
        // The list takes precedence over a model of that name.
        for (method, id) in [(HTTPRequest.Method.get, "deepStackModels"), (.post, "postDeepStackModels")] {
            routes.on(method, at: "\(Self.custom)/list") { _ in
                .json(text: list.text)
            } describedBy: {
                .deepStackList(id)
            }
        }
        routes.onForm(at: "\(Self.custom)/{model}", tokenIn: "api_key", by: service) { request, contents in
            try await detect(request, contents, model: request["model"])
        } describedBy: {
            .deepStack("deepStackDetectWith", "Find objects with a model")
        }
        for (path, name) in Self.missing {
            // For any method and token, because programs ask for the server's abilities.
            routes.on(.get, .post, at: path, for: .everybody) { _ in
                // Programs read the end of the sentence, and DeepStack's status is 403.
                throw AnswerError(.forbidden, "This server finds objects alone: \(name) endpoint not activated")
            }
        }
        for path in ["v1/vision/detection", "\(Self.custom)/list", "\(Self.custom)/{model}"] {
            routes.refuseOtherMethods(at: path)
        }
    }

    /// Clients look at `success` first; DeepStack's also at the status.
    func response(to error: AnswerError) -> Response {
        var json = JSONText()
        json.object { json in
            json.field("success") { $0.boolean(false) }
            json.field("error") { $0.string(error.message) }
            json.field("code") { $0.number(error.status.code) }
        }
        return .json(text: json.text, status: error.status, headers: error.headers)
    }

    private func detect(_ request: APIRequest, _ contents: RequestContents, model: String?) async throws -> Response {
        let start = ContinuousClock.now
        guard let picture = contents.pictures.first else { throw AnswerError.failed }
        let (options, limit) = try DeepStackAnswer.options(contents.fields)
        let answer = try await service.detect(
            picture.data,
            model: model,
            options: options,
            client: AnswerClient(request)
        )
        let command = model == nil ? "detect" : "custom"
        let time = ContinuousClock.now - start
        let least = options.thresholds.first?.value ?? 0
        return .json(
            text: DeepStackAnswer(answer, leastConfidence: least, limit: limit, command: command, roundTrip: time).json
                .text
        )
    }

    /// The models that find objects.
    private var list: JSONText {
        let models = service.servedModels().filter { $0.version?.kind == .detection }.map(\.name)
        var json = JSONText()
        json.object { json in
            json.field("success") { $0.boolean(true) }
            json.field("models") { $0.array(models) { $0.string($1) } }
            json.field("code") { $0.number(200) }
            json.field("command") { $0.string("list-custom") }
        }
        return json
    }
}

extension APIOperation {
    fileprivate static func deepStack(_ id: String, _ summary: String) -> APIOperation {
        APIOperation(tag: "DeepStack", id, summary)
            .explained(
                "Without `min_confidence`, objects from 0.4 on and at most 20 are listed, because Frigate sends none and has room for 20."
            )
            .takes([
                "multipart/form-data": .object("The picture as a file, usually `image`, and the fields.").fields([
                    "image": .bytes, "min_confidence?": .number("From 0 to 1."),
                    "api_key?": .text("The server's token."),
                ]).open
            ])
            .answers("The objects, the most confident first.", .deepStackAnswer)
    }

    fileprivate static func deepStackList(_ id: String) -> APIOperation {
        APIOperation(tag: "DeepStack", id, "List the models that find objects")
            .answers("The names.", Schema.fields(["success": .boolean(), "models": .list(of: .text())]).open)
    }
}

extension Schema {
    fileprivate static let deepStackAnswer = fields([
        "success": .boolean(), "message": .text(), "count": .integer(),
        "predictions": .list(
            of: .fields([
                "label": .text(), "confidence": .number(), "x_min": .integer(), "y_min": .integer(),
                "x_max": .integer(),
                "y_max": .integer(),
            ])
        ),
        "inferenceMs": .integer(), "processMs": .integer(), "analysisRoundTripMs": .integer(), "code": .integer(),
        "command": .text(), "moduleId": .text(), "moduleName": .text(), "executionProvider": .text(),
        "canUseGPU": .boolean(),
    ]).named("DeepStackObjects")
}
