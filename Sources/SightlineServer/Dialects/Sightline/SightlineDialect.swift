import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore
import Sightline
import SightlineMedia
import TextFormatting

/// Our own API: `/v1/detect`, `/v1/label`, `/v1/annotate` and `/v1/models`.
struct SightlineDialect: Dialect {
    let service: AnswerService

    let name = "Sightline"
    let summary = "Pictures in, the JSON of `sightline detect` and `sightline label` out."

    func add(to routes: inout AnswerRoutes) {
        routes.on(.post, at: "v1/detect", use: detect) { .detect }
        routes.on(.post, at: "v1/label", use: label) { .label }
        routes.on(.post, at: "v1/annotate", use: annotate) { .annotate }
        routes.on(.get, .head, at: "v1/models", use: models) { .models }
        routes.on(.post, at: "v1/outcomes", use: addOutcome) { .addOutcome }
        for path in ["v1/detect", "v1/label", "v1/annotate", "v1/models", "v1/outcomes"] {
            routes.refuseOtherMethods(at: path)
        }
    }

    /// The field that names a model.
    private static let model = "model"

    @Sendable
    private func detect(_ request: APIRequest) async throws -> Response {
        let client = AnswerClient(request)
        let contents = try await service.contents(of: request)
        let options = try AnswerOptions(contents.fields, besides: [Self.model])
        let model = contents.fields[Self.model]
        return try await response(to: contents) { [service] picture in
            let answer = try await service.detect(picture.data, model: model, options: options, client: client)
            return JSONText(
                .init(name: picture.name, outcome: .objects(answer.result)),
                by: answer.model,
                receipt: service.receipt(answer.report)
            )
        }
    }

    @Sendable
    private func label(_ request: APIRequest) async throws -> Response {
        let client = AnswerClient(request)
        let contents = try await service.contents(of: request)
        let options = try AnswerOptions(contents.fields, besides: [Self.model])
        let model = contents.fields[Self.model]
        return try await response(to: contents) { [service] picture in
            let answer = try await service.label(picture.data, model: model, options: options, client: client)
            return JSONText(
                .init(name: picture.name, outcome: .labels(answer.result)),
                by: answer.model,
                receipt: service.receipt(answer.report)
            )
        }
    }

    /// The answers for the pictures of a request: an object, or a list for a form, in which a picture that failed has the reason.
    private func response(
        to contents: RequestContents,
        _ answer: @escaping @Sendable (SentPicture) async throws -> JSONText
    ) async throws -> Response {
        guard contents.isList else {
            guard let picture = contents.pictures.first else { throw AnswerError.failed }
            return .json(text: try await answer(picture).text)
        }
        let answers = try await contents.pictures.concurrentMap(limit: service.options.workers) { picture in
            do {
                return Result<JSONText, AnswerError>.success(try await answer(picture))
            } catch {
                // The picture's own fault; a server that is busy, or a wrong option, fails the whole request.
                guard let known = AnswerError(cause: error), [400, 413].contains(known.status.code),
                    contents.pictures.count > 1
                else { throw error }
                return .failure(known)
            }
        }
        if let first = answers.first, case .failure(let error) = first,
            answers.allSatisfy({ if case .failure = $0 { true } else { false } })
        {
            throw error
        }
        var json = JSONText()
        json.array(Array(zip(contents.pictures, answers))) { json, pair in
            switch pair.1 {
            case .success(let answer): json.document(answer)
            case .failure(let error):
                json.document(JSONText(PictureResult(name: pair.0.name, outcome: .failure(error.message))))
            }
        }
        return .json(text: json.text)
    }

    @Sendable
    private func annotate(_ request: APIRequest) async throws -> Response {
        let format = try Self.format(for: request.headers[.accept])
        let client = AnswerClient(request)
        let contents = try await service.contents(of: request)
        guard contents.pictures.count == 1, let picture = contents.pictures.first else {
            throw AnswerError.invalid("/v1/annotate takes one picture; send each in a separate request.")
        }
        let options = try AnswerOptions(contents.fields, besides: [Self.model, "draw"])
        let drawn = try await service.annotate(
            picture.data,
            as: format,
            drawing: try Self.kinds(contents.fields["draw"]),
            model: contents.fields[Self.model],
            options: options,
            client: client
        )
        var headers: HTTPFields = [
            .contentType: drawn.format == .png ? "image/png" : "image/jpeg",
            .sightlineModel: drawn.model.name, .sightlineVersion: drawn.model.version,
        ]
        headers[.sightlineReceipt] = service.receipt(drawn.report)
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: drawn.data))
        )
    }

    /// JPEG, unless the client accepts PNG and not JPEG.
    private static func format(for accept: String?) throws(AnswerError) -> ImageFormat {
        let types = (accept ?? "*/*").split(separator: ",").map {
            $0.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        }
        if types.contains("image/jpeg") { return .jpeg }
        if types.contains("image/png") { return .png }
        guard types.contains("*/*") || types.contains("image/*") || types.isEmpty else {
            throw AnswerError(.notAcceptable, "Pictures are image/jpeg or image/png; accept one of them.")
        }
        return .jpeg
    }

    private static func kinds(_ text: String?) throws(AnswerError) -> [AnnotatorKind] {
        guard let text else { return AnnotatorKind.standard }
        let names = text.split(separator: ",").map(String.init)
        let kinds = names.compactMap { AnnotatorKind(name: $0) }
        guard !kinds.isEmpty, kinds.count == names.count else {
            let known = AnnotatorKind.all.map(\.name).joined(separator: ", ")
            throw .invalid("draw is \"\(text.prefix(60))\"; it must be names of \(known), separated by commas.")
        }
        return kinds
    }

    /// Scores of an answer, which the application knows later.
    @Sendable
    private func addOutcome(_ request: APIRequest) async throws -> Response {
        struct Outcome: Decodable {
            var receipt: String
            var scores: [String: Double]
        }
        try service.requireJSON(request)
        let body = try await service.body(of: request, upTo: 64 << 10)
        guard let outcome = try? JSONDecoder().decode(Outcome.self, from: body.data) else {
            throw AnswerError.invalid(
                "The body is not a JSON object with \"receipt\" and \"scores\"; send for example {\"receipt\": \"…\", \"scores\": {\"accepted\": 1}} with the receipt of the answer."
            )
        }
        guard let report = service.receipts.use(outcome.receipt) else {
            throw AnswerError(
                .notFound,
                "The receipt is unknown, or was used before; send scores once, with the receipt of an answer that this server gave since it started."
            )
        }
        await report.scored(outcome.scores)
        return .json(text: "{}")
    }

    @Sendable
    private func models(_ request: APIRequest) -> Response {
        var json = JSONText()
        json.object { json in
            json.field("models") { json in json.array(service.servedModels()) { $0.servedModel($1) } }
        }
        return .json(text: json.text)
    }
}

extension HTTPField.Name {
    /// The model behind an annotated picture.
    static let sightlineModel = named("x-sightline-model")
    /// The version of that model.
    static let sightlineVersion = named("x-sightline-version")
    /// The receipt for scores of an annotated picture.
    static let sightlineReceipt = named("x-sightline-receipt")
}

extension AnswerService {
    /// A receipt for scores of an answer; nil if they are not compared.
    fileprivate func receipt(_ report: OutcomeReport?) -> String? { report.map { receipts.issue($0) } }
}
