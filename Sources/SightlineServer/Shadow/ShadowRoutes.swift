import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import ModelHubProtocol
import NIOCore
import Sightline

/// `/v1/shadows`, for operators: how often the answers of shadows differ, and the pictures that differ most.
struct ShadowRoutes {
    let service: AnswerService

    private static let tag = AnswerAPI.operators

    func add(to routes: inout AnswerRoutes) {
        let kept = service.shadows.kept
        routes.on(.get, at: "v1/shadows", for: .metrics) { [service] _ in
            .json(text: try Self.json(ShadowReport(service.shadows)))
        } describedBy: {
            APIOperation(tag: Self.tag, "listShadows", "See how often the answers of shadows differ")
                .explained(
                    "A shadow answers a share of a model's requests again, after their responses. Its answers are compared and never shown."
                )
                .answers("The shadows.", .shadowReport)
        }
        routes.on(.get, at: "v1/shadows/pictures", for: .metrics) { _ in
            .json(text: try Self.json(KeptList(pictures: kept?.all ?? [])))
        } describedBy: {
            APIOperation(
                tag: Self.tag,
                "listDifferentPictures",
                "List the pictures that two models answer most differently"
            )
            .explained("Pictures are kept if the server was started with `--keep-different`.")
            .answers("The pictures, those that differ most first.", .fields(["pictures": .list(of: .keptPicture)]))
        }
        routes.on(.get, at: "v1/shadows/pictures/{picture}", for: .metrics) { request in
            let (file, data) = try await picture(request)
            return Response(
                status: .ok,
                headers: [
                    .contentType: Self.type(of: file), .cacheControl: "no-store",
                    .contentSecurityPolicy: "default-src 'none'; sandbox",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
            )
        } describedBy: {
            APIOperation(tag: Self.tag, "getDifferentPicture", "Get a picture that two models answer differently")
                .answers("The picture.", ["image/*": .bytes])
        }
        routes.on(.post, at: "v1/shadows/pictures/{picture}", for: .metrics, use: add) {
            APIOperation(tag: Self.tag, "addDifferentPicture", "Add a kept picture to a data set of the hub")
                .explained("The server needs `--keep-token-file`, a publisher's token of the hub.")
                .takes(["application/json": .fields(["dataSet": .text("The name of the data set.")])])
                .answers(
                    "The picture is in the data set.",
                    .fields(["isNew": .boolean("Whether the data set did not have it before.")])
                )
        }
        for path in ["v1/shadows", "v1/shadows/pictures", "v1/shadows/pictures/{picture}"] {
            routes.refuseOtherMethods(at: path)
        }
    }

    @Sendable
    private func add(_ request: APIRequest) async throws -> Response {
        struct Target: Decodable { var dataSet: String }
        try service.requireJSON(request)
        let body = try await service.body(of: request, upTo: 64 << 10)
        guard let target = try? JSONDecoder().decode(Target.self, from: body.data), !target.dataSet.isEmpty else {
            throw AnswerError.invalid(
                "The body is not a JSON object with \"dataSet\"; send the name of a data set of the hub."
            )
        }
        guard let sender = service.shadows.sender else {
            throw AnswerError(
                .forbidden,
                "The server has no token for data sets; start it with --keep-token-file, or use `sightline hub dataset add`."
            )
        }
        let (file, data) = try await picture(request)
        let isNew = try await sender.add(data, named: file.lastPathComponent, to: target.dataSet)
        return .json(text: #"{"isNew":\#(isNew)}"#)
    }

    /// The kept picture of a request.
    private func picture(_ request: APIRequest) async throws(AnswerError) -> (file: URL, data: Data) {
        guard let file = service.shadows.kept?.file(of: request["picture"]),
            let data = await BlockingExecutor.run({ try? Data(contentsOf: file) })
        else {
            throw AnswerError(
                .notFound,
                "The picture is not kept, or no longer; /v1/shadows/pictures lists those that are."
            )
        }
        return (file, data)
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func type(of file: URL) -> String {
        switch file.pathExtension {
        case "jpg": "image/jpeg"
        case "tif", "tiff": "image/tiff"
        case let other: "image/\(other)"
        }
    }
}

private struct KeptList: Encodable {
    let pictures: [KeptPictures.Entry]
}

/// The shadows as JSON.
private struct ShadowReport: Encodable {
    struct Label: Encodable {
        let label: String
        let share: DifferenceShare
    }

    struct Comparison: Encodable {
        let servedVersion, candidateVersion: String
        let share: DifferenceShare
        let labels: [Label]

        init(_ comparison: ServedShadow.Comparison) {
            (servedVersion, candidateVersion) = (comparison.served.version, comparison.candidate.version)
            let total = comparison.tally.total
            share = DifferenceShare(count: total.count, different: total.different)
            labels = comparison.tally.labels.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map {
                Label(label: $0.key, share: DifferenceShare(count: $0.value.count, different: $0.value.different))
            }
        }
    }

    struct Shadow: Encodable {
        let model, shadow: String
        let isReady: Bool
        let version, problem: String?
        let samplePercent: Double
        let requests: [String: Int]
        let comparisons: [Comparison]

        init(_ shadow: ServedShadow) {
            let status = shadow.status
            (model, self.shadow, samplePercent) = (shadow.model, shadow.source, shadow.share * 100)
            (isReady, version) = (status.candidate != nil, status.candidate?.version)
            problem = status.problem
            requests = Dictionary(
                uniqueKeysWithValues: ServedShadow.Outcome.allCases.map { ($0.rawValue, status.outcomes[$0] ?? 0) }
            )
            comparisons = status.comparisons.map(Comparison.init)
        }
    }

    struct Kept: Encodable {
        let folder: String
        let count, bytes, maximumCount, maximumBytes, maximumDays: Int
        /// Whether the server can add pictures to data sets.
        let canBeAdded: Bool

        init(_ kept: KeptPictures, canBeAdded: Bool) {
            self.canBeAdded = canBeAdded
            (folder, count, bytes) = (kept.folder.path, kept.all.count, kept.byteCount)
            (maximumCount, maximumBytes) = (kept.limits.count, kept.limits.bytes)
            maximumDays = Int((kept.limits.age / .seconds(24 * 3600)).rounded())
        }
    }

    let shadows: [Shadow]
    let kept: Kept?

    init(_ shadows: Shadows) {
        self.shadows = shadows.all.map(Shadow.init)
        kept = shadows.kept.map { Kept($0, canBeAdded: shadows.sender != nil) }
    }
}

extension Schema {
    private static let differenceShare = object("A share of answers that differ.").fields([
        "count": .integer("The number of compared answers."), "different": .integer("The number of those that differ."),
        "percent?": .number("Absent without answers."),
        "lower": .number(
            "The lower end of the interval in percent, with a confidence of 95 %, valid however often it is looked at."
        ),
        "upper": .number(),
    ]).named("DifferenceShare")

    fileprivate static let shadowReport = fields([
        "shadows": .list(
            of: .fields([
                "model": .text("The model whose requests are answered again."),
                "shadow": .text("The shadow, as the command line has it."),
                "isReady": .boolean("Whether the shadow is in use."), "version?": .text(),
                "problem?": .text("Why the shadow, or its newest version, is not in use."),
                "samplePercent": .number("The share of requests that are answered again."),
                "requests": .object(
                    "The requests that were drawn, by outcome. `busy` and `full` were skipped: the server had other work, or others waited for the shadow."
                ).fields([
                    "same": .integer(), "different": .integer(), "failed": .integer(), "busy": .integer(),
                    "full": .integer(),
                ]),
                "comparisons": .list(
                    "The versions that were compared since the server started, the latest first.",
                    of: .fields([
                        "servedVersion": .text(), "candidateVersion": .text(), "share": differenceShare,
                        "labels": .list(of: .fields(["label": .text(), "share": differenceShare])),
                    ])
                ),
            ]).named("Shadow")
        ),
        "kept?": .object("The folder of pictures that differ; absent if none are kept.").fields([
            "folder": .text(), "count": .integer(), "bytes": .integer(), "maximumCount": .integer(),
            "maximumBytes": .integer(), "maximumDays": .integer(),
            "canBeAdded": .boolean("Whether the server has a token to add pictures to data sets of the hub."),
        ]),
    ]).named("Shadows")

    fileprivate static let keptPicture = fields([
        "id": .text(), "model": .text(), "served": .text("The version that answered."),
        "candidate": .text("The version that answered unseen."),
        "picture": .text("The path in the folder; a JSON file of the same name has both answers."),
        "servedNames": .list("The names in the answer, at most ten.", of: .text()),
        "candidateNames": .list("The names in the answer that nobody saw.", of: .text()), "byteCount": .integer(),
        "weight": .number("The confidences of what only one of the answers has, in total."),
        "time": .text("RFC 3339."),
    ]).named("DifferentPicture")
}
