import Foundation
import HTTPServing
import Hummingbird
import Sightline
import TextFormatting

/// The vision service that PhotoPrism asks for the labels of pictures.
///
/// Source: PhotoPrism's developer guide ("Vision Service") and its types `ApiRequest` and `ApiResponse`. PhotoPrism sends small copies of
/// pictures as `data:` addresses, or its own addresses.
struct PhotoPrismDialect: Dialect {
    let service: AnswerService

    let name = "PhotoPrism"
    let summary = "PhotoPrism's vision service, for labels."

    private static let path = "api/v1/vision/labels"
    /// The pictures of a request. PhotoPrism sends one.
    private static let pictureLimit = 16

    private struct LabelsRequest: Decodable {
        var id: String?
        /// The name of a model, which may end with its version: `NAME:latest`.
        var model: String?
        var images: [String]?
        var url: String?
    }

    func add(to routes: inout AnswerRoutes) {
        routes.on(.post, at: Self.path, use: Route<AnswerAccess>.outsideEventLoop(labels)) { .photoPrismLabels }
        routes.refuseOtherMethods(at: Self.path)
    }

    /// PhotoPrism reads `code` and `error` for every status.
    func response(to error: AnswerError) -> Response {
        var json = JSONText()
        json.object { json in
            json.field("code") { $0.number(error.status.code) }
            json.field("error") { $0.string(error.message) }
            json.field("result") { $0.object { _ in } }
        }
        return .json(text: json.text, status: error.status, headers: error.headers)
    }

    @Sendable
    private func labels(_ request: APIRequest) async throws -> Response {
        let (document, share) = try await service.pictureDocument(LabelsRequest.self, of: request)
        let addresses = (document.images ?? []) + (document.url.map { [$0] } ?? [])
        guard (1...Self.pictureLimit).contains(addresses.count) else {
            throw AnswerError.invalid(
                "The request has \(addresses.count) pictures; send 1 to \(Self.pictureLimit) in images."
            )
        }
        let model = try modelName(document.model)
        let client = AnswerClient(request)
        var labels: [Label] = []
        var answerModel: AnswerModel?
        for address in addresses {
            let picture = try await service.picture(at: address, for: client, share: share)
            let answer = try await service.label(picture, model: model, client: client)
            answerModel = answer.model
            labels += answer.result.labels
        }
        guard let answerModel else { throw AnswerError.failed }
        return .json(text: Self.answer(id: document.id, answerModel, labels).text)
    }

    /// The name of the model that a request means; nil for the first that labels pictures.
    ///
    /// PhotoPrism writes names in lowercase and adds `:latest`.
    private func modelName(_ text: String?) throws(AnswerError) -> String? {
        guard let text, let name = text.split(separator: ":").first?.lowercased() else { return nil }
        let names = service.servedModels().map(\.name)
        guard let known = names.first(where: { $0.lowercased() == name || $0.lowercased() == text.lowercased() }) else {
            throw AnswerError(
                .notFound,
                """
                There is no model "\(name.prefix(80))"; the models are \(names.joined(separator: ", ")). Leave out Name in vision.yml \
                to use the first that labels pictures.
                """
            )
        }
        return known
    }

    /// The labels of all pictures, each label once, the most confident first.
    private static func answer(id: String?, _ model: AnswerModel, _ labels: [Label]) -> JSONText {
        var names: Set<String> = []
        let best = labels.sorted { $0.confidence > $1.confidence }.filter { names.insert($0.className).inserted }
        var json = JSONText()
        json.object { json in
            if let id { json.field("id") { $0.string(id) } }
            json.field("code") { $0.number(200) }
            json.field("model") { json in
                json.object { json in
                    json.field("type") { $0.string("labels") }
                    json.field("name") { $0.string(model.name) }
                    json.field("version") { $0.string(model.version) }
                }
            }
            json.field("result") { json in
                json.object { json in
                    json.field("labels") { json in
                        json.array(best) { json, label in
                            json.object { json in
                                json.field("name") { $0.string(label.className) }
                                json.field("source") { $0.string("image") }
                                json.field("confidence") { $0.number(label.confidence) }
                                json.field("topicality") { $0.number(label.confidence) }
                            }
                        }
                    }
                }
            }
        }
        return json
    }
}

extension APIOperation {
    fileprivate static var photoPrismLabels: APIOperation {
        APIOperation(tag: "PhotoPrism", "photoPrismLabels", "Label pictures for PhotoPrism")
            .takes(
                Schema.fields([
                    "id?": .text("Comes back in the answer."),
                    "model?": .text("The name of a model; by default the first that labels pictures."),
                    "images?": .list(
                        "Addresses of pictures: `data:` in base64, or of the web on a host that the server allows.",
                        of: .text(),
                        atMost: 16
                    ), "url?": .text("The address of a picture, in place of `images`."),
                ]).open
            )
            .answers(
                "The labels, the most confident first.",
                .fields([
                    "id?": .text(), "code": .integer(),
                    "model": .fields(["type": .constant("labels"), "name": .text(), "version": .text()]),
                    "result": .fields([
                        "labels": .list(
                            of: .fields([
                                "name": .text(), "source": .text(), "confidence": .number(), "topicality": .number(),
                            ])
                        )
                    ]),
                ])
            )
    }
}
