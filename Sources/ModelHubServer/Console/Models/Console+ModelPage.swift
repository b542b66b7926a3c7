import Hummingbird
import ModelHubProtocol
import TextFormatting

/// A model's page.
private struct ModelPage: Sendable {
    struct Figure: Sendable {
        var name: String
        var value: String
    }

    struct Alias: Sendable {
        var alias: String
        var version: String
    }

    var path: String
    var name: String
    var tags: [String]
    var tagText: String
    var state: ModelState
    var isPublished: Bool
    var canBePublished: Bool
    /// The reason why the newest file cannot be published; nil if there is none.
    var problem: String?
    var problemIsNoFile: Bool
    var warning: String?
    /// The clients that get the served version; nil if all do.
    var clients: String?
    /// The next steps for the manifests of the model, one sentence each.
    var signatureWarnings: [String]
    /// The hash of the served file; nil if no version is served.
    var hash: String?
    var figures: [Figure]
    var card: ModelCard
    var hasCard: Bool
    var hasLicenseOrAuthor: Bool
    var code: ModelCodeView?
    /// The form to try the model with a picture.
    var form: Console.TrialForm?
    var days: ModelDaysView
    var versions: [ModelVersionView]
    var olderPath: String?
    /// All aliases except `production`.
    var aliases: [Alias]
    /// The versions that forms offer, the served version chosen.
    var choices: [ModelVersionView.Choice]
    var threshold: String
    var inspection: InspectionView?
    /// The version with that inspection.
    var inspected: String
    var evaluations: Console.EvaluationList
    /// The comparisons of versions on the same requests; nil without a report.
    var shadow: ShadowView?
}

extension ManifestStatus {
    /// The problem of the manifest, and the next step; nil if there is no problem.
    ///
    /// - Parameters:
    ///   - model: The model of the manifest.
    ///   - isKept: Whether the hub keeps a key of the project, with which it signs automatically.
    fileprivate func warning(of model: ModelRecord, isKept: Bool) -> String? {
        if isKept, !model.isPublished {
            return state == .unsigned && alias == .production
                ? "Version \(version) is not signed yet. The hub signs it when you publish \(model.displayName)." : nil
        }
        let subject = "Version \(version) for the alias \(alias)"
        let end = manifest.map { ConsoleText.time(Timestamp(milliseconds: $0.expires * 1000)) } ?? ""
        let remedy =
            isKept
            ? "The hub signs it automatically within an hour; sightline hub sign signs it now."
            : "Sign it with sightline hub sign."
        return switch state {
        case .valid: nil
        case .unsigned: "\(subject) is not signed, so apps with trusted keys do not install it. \(remedy)"
        case .endsSoon: "The signature of version \(version) for the alias \(alias) ends on \(end) (UTC). \(remedy)"
        case .ended: "The signature of version \(version) for the alias \(alias) ended on \(end) (UTC). \(remedy)"
        case .outdated: "\(subject) was signed with another threshold, which apps with trusted keys use. \(remedy)"
        }
    }
}

extension Console {
    /// The number of versions on a page.
    static let versionPage = 100

    @Sendable
    func modelPage(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let start = visit.request.query["before"].flatMap { Int($0) }
        let found = try await hub.records.versions(of: model.id, before: start, limit: Self.versionPage + 1)
        let versions = found.prefix(Self.versionPage)
        var served = versions.first { $0.number == model.file?.version }
        if served == nil, let file = model.file {
            served = try await hub.records.version(file.version, of: model.id)
        }
        // The served version is among those that forms offer, however old it is.
        let offered = versions.contains { $0.number == served?.number } ? [] : [served].compactMap(\.self)
        let inspected = served ?? versions.first
        let evaluations = try await hub.records.evaluations(of: model.id)
        let isSigning = try await !hub.validSigningKeys(of: visit.caller.project.id).isEmpty
        let manifests = isSigning ? try await hub.manifestStatuses(of: model) : []
        let isKept = isSigning ? try await hub.keptKey(of: visit.caller.project.id) != nil : false
        let rows = try await ModelVersionView.rows(of: model, versions, evaluations, manifests, hub, by: visit.caller)
        let card = model.card
        let format = if let served { await hub.formats(of: [served])[served.hash] } else { HostedFormat?.none }
        let today = hub.now().day
        let shadow = try await shadows(of: model)
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
                problem: model.validationError.flatMap { error in
                    error != .noFile || versions.isEmpty ? error.message : nil
                },
                problemIsNoFile: model.validationError == .noFile,
                warning: model.file?.warning,
                clients: format?.clientNote,
                signatureWarnings: manifests.compactMap { $0.warning(of: model, isKept: isKept) },
                hash: model.file?.hash.text,
                figures: try await figures(of: model),
                card: card,
                hasCard: !card.isEmpty,
                hasLicenseOrAuthor: !card.license.isEmpty || !card.author.isEmpty,
                code: try await code(of: model, served, in: format ?? .tensorFlowLite, visit),
                form: trialForm(of: model, versions + offered),
                days: ModelDaysView(
                    try await hub.records.days(of: model.id, from: today - ModelDay.count + 1),
                    pending: hub.downloads.pendingCount(of: model.id),
                    today: today
                ),
                versions: rows,
                olderPath: found.count > versions.count
                    ? "\(Self.path(of: model))?before=\(versions.last?.number ?? 0)" : nil,
                aliases: model.aliases.map { .init(alias: $0.rawValue, version: "\($1)") }.sorted {
                    $0.alias < $1.alias
                },
                choices: (versions + offered).map { .init($0, of: model, isChosen: $0.number == model.file?.version) },
                threshold: model.file?.confidenceThreshold.map { "\($0)" } ?? "",
                inspection: inspected.flatMap { InspectionView(json: $0.inspection) },
                inspected: inspected.map { "\($0.number)" } ?? "",
                evaluations: evaluationList(of: model, versions + offered, evaluations, by: visit.caller),
                shadow: shadow.comparisons.isEmpty ? nil : shadow
            )
        )
    }

    /// Code for the served version; nil without such a version.
    private func code(
        of model: ModelRecord,
        _ served: ModelVersion?,
        in format: HostedFormat,
        _ visit: ConsoleVisit
    ) async throws -> ModelCodeView? {
        guard let served else { return nil }
        let project = visit.caller.project
        var keyNames: [String]?
        if visit.caller.role >= .owner {
            let now = hub.now()
            keyNames = try await hub.records.credentials(of: .project(project.id))
                .filter { $0.kind == .apiKey && $0.isValid(at: now) }.map(\.name)
        }
        return ModelCodeView(
            of: model,
            project,
            base: visit.request.base,
            task: served.task,
            format: format,
            keyNames: keyNames
        )
    }

    private func figures(of model: ModelRecord) async throws -> [ModelPage.Figure] {
        let downloads = try await hub.downloadCount(of: model.id)
        let threshold = model.file?.confidenceThreshold
        return [
            .init(name: "Served version", value: model.file.map { "\($0.version)" } ?? "–"),
            .init(name: "Size", value: model.file.map { NumberText.bytes($0.byteCount) } ?? "–"),
            .init(name: "Downloads", value: NumberText.grouped(downloads)),
            .init(name: "Confidence threshold", value: threshold.map { "\($0)" } ?? "not set"),
            .init(name: "Changed (UTC)", value: ConsoleText.time(model.updateTime)),
        ]
    }
}
