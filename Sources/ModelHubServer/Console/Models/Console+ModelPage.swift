import Foundation
import Hummingbird
import Sightline
import TextFormatting

/// A model's page.
private struct ModelPage: Sendable {
    struct Version: Sendable {
        var number: String
        var isServed: Bool
        var canBeServed: Bool
        var hash: String
        var shortHash: String
        var size: String
        var created: ConsoleTime
        /// The name of the uploaded file.
        var fileName: String
        var filePath: String
    }

    struct Figure: Sendable {
        var name: String
        var value: String
    }

    var path: String
    var name: String
    var tags: [String]
    var tagText: String
    var state: ModelState
    var isPublished: Bool
    var canBePublished: Bool
    var problem: String
    var hasProblem: Bool
    var problemIsNoFile: Bool
    var warning: String
    var hasWarning: Bool
    var hash: String
    var figures: [Figure]
    var versions: [Version]
    var hasVersions: Bool
    var olderPath: String
    var hasOlder: Bool
    var threshold: String
    var hasThreshold: Bool
    var defaultThreshold: String
    var inspection: InspectionView?
    var evaluations: Console.EvaluationList
}

/// A model's inputs, outputs and use, prepared for its page.
struct InspectionView: Sendable {
    struct Tensor: Sendable {
        var role: String
        var name: String
        var shape: String
        var type: String
        var quantization: String
    }

    var kind: ModelInspection.Purpose?
    var task: String
    var head: String
    var problem: String
    var hasProblem: Bool
    var tensors: [Tensor]
    var preparation: [String]
    var assumptions: [String]
    var hasAssumptions: Bool
    var labelCount: String
    var labelSource: String
    var labels: [String]
    var hasLabels: Bool
    var hasMoreLabels: Bool
    var metadata: [ModelMetadataLine]
    var hasMetadata: Bool
    /// Whether `ModelOptimizer` can rewrite the model; false if the description was stored before there was an optimizer.
    var canBeFaster: Bool

    struct ModelMetadataLine: Sendable {
        var name: String
        var value: String
    }

    /// Nil if the stored JSON cannot be read.
    init?(json: String) {
        guard let inspection = try? JSONDecoder().decode(ModelInspection.self, from: Data(json.utf8)) else {
            return nil
        }
        kind = inspection.task
        task =
            switch inspection.task {
            case .labeling: "Labels pictures"
            case .detection: "Finds objects in pictures"
            case nil: "Not for pictures"
            }
        head = inspection.head ?? ""
        problem = inspection.problem ?? ""
        hasProblem = inspection.problem != nil
        tensors =
            inspection.inputs.map { Tensor($0, role: "Input") } + inspection.outputs.map { Tensor($0, role: "Output") }
        preparation = inspection.preparation
        assumptions = inspection.assumptions
        hasAssumptions = !inspection.assumptions.isEmpty
        let names = inspection.labels?.first ?? []
        let count = inspection.labels?.count ?? 0
        labels = names
        labelCount = ConsoleText.count(count, "label")
        // The source has the form "dict.txt inside" the model, whose file here has a name chosen by the hub.
        labelSource = inspection.labels?.source.components(separatedBy: " inside ").first ?? ""
        hasLabels = count > 0
        hasMoreLabels = count > names.count
        metadata = inspection.metadata.sorted { $0.key < $1.key }.map {
            ModelMetadataLine(name: $0.key, value: $0.value)
        }
        hasMetadata = !metadata.isEmpty
        canBeFaster = inspection.optimizations?.isEmpty == false
    }
}

extension InspectionView.Tensor {
    fileprivate init(_ tensor: ModelInspection.TensorSummary, role: String) {
        self.role = role
        name = tensor.title ?? tensor.name
        shape = tensor.shapeText
        type = tensor.dataType
        quantization = tensor.scale.map { "\($0) · (q − \(tensor.zeroPoint ?? 0))" } ?? ""
    }
}

extension Console {
    /// The number of versions on a page.
    private static let versionPage = 100

    @Sendable
    func modelPage(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let start = visit.request.query["before"].flatMap { Int($0) }
        let found = try await hub.metadata.versions(of: model.id, before: start, limit: Self.versionPage + 1)
        let versions = found.prefix(Self.versionPage)
        var served: ModelVersion?
        if let file = model.file { served = try await hub.metadata.version(file.version, of: model.id) }
        let inspection = served.flatMap { InspectionView(json: $0.inspection) }
        let downloads = try await hub.downloadCount(of: model.id)
        let canPublish = visit.caller.role >= .publisher
        return .page(
            "model",
            ConsoleChrome(title: model.displayName, visit: visit),
            ModelPage(
                path: Self.path(of: model),
                name: model.displayName,
                tags: model.tags,
                tagText: model.tags.joined(separator: ", "),
                state: ModelState(model),
                isPublished: model.isPublished,
                canBePublished: !model.isPublished && model.validationError == nil && model.file != nil,
                problem: model.validationError?.message ?? "",
                hasProblem: model.validationError != nil,
                problemIsNoFile: model.validationError == .noFile,
                warning: model.file?.warning ?? "",
                hasWarning: model.file?.warning != nil,
                hash: model.file?.hash.text ?? "",
                figures: [
                    .init(name: "Version", value: model.file.map { "\($0.version)" } ?? "–"),
                    .init(name: "Size", value: model.file.map { NumberText.bytes($0.byteCount) } ?? "–"),
                    .init(name: "Downloads", value: ConsoleText.count(downloads)),
                    .init(name: "Confidence threshold", value: model.confidenceThreshold.map { "\($0)" } ?? "not set"),
                    .init(name: "Changed (UTC)", value: ConsoleText.time(model.updateTime)),
                ],
                versions: versions.map { version in
                    .init(
                        number: "\(version.number)",
                        isServed: version.number == model.file?.version,
                        canBeServed: canPublish && version.number != model.file?.version,
                        hash: version.hash.text,
                        shortHash: String(version.hash.text.prefix(12)),
                        size: NumberText.bytes(version.byteCount),
                        created: ConsoleTime(version.createTime),
                        fileName: version.source.split(separator: "/").last.map(String.init) ?? "",
                        filePath: "\(Self.path(of: model))/versions/\(version.number)/file"
                    )
                },
                hasVersions: !versions.isEmpty,
                olderPath: "\(Self.path(of: model))?before=\(versions.last?.number ?? 0)",
                hasOlder: found.count > versions.count,
                threshold: model.confidenceThreshold.map { "\($0)" } ?? "",
                hasThreshold: model.confidenceThreshold != nil,
                defaultThreshold: "0.5",
                inspection: inspection,
                evaluations: try await evaluationList(of: model, inspection, by: visit.caller)
            )
        )
    }
}
