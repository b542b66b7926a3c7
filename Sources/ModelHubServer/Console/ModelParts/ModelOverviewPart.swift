import ModelHubProtocol
import Sightline
import SightlineEvaluation
import TextFormatting

/// The version that is served, how good it is, and who uses it.
extension ModelPart {
    static let overview = ModelPart(name: "", title: "Overview", anchors: "about-title days-title hash") {
        console,
        visit,
        model in
        .init(template: "model-overview", values: try await console.overview(visit, model))
    }
}

private struct ModelOverviewPage: Sendable {
    struct Figure: Sendable {
        var name: String
        var value: String
    }

    /// The last evaluation of a version.
    struct Quality: Sendable {
        var version: String
        var path: String
        var score: String
        var text: String
        /// The comparison with the version that was served then; nil if there is none.
        var comparison: String?
    }

    /// A use with the address of its page.
    struct Use: Sendable {
        var path: String
        var title: String
    }

    /// The reason why the newest file cannot be published; nil if there is none.
    var problem: String?
    var problemIsNoFile: Bool
    var warning: String?
    /// The clients that get the served version; nil if all do.
    var clients: String?
    /// The next steps for the manifests of the model, one sentence each.
    var signatureWarnings: [String]
    /// Whether the model has versions, of which none is served.
    var isUnserved: Bool
    var served: [Figure]
    /// The hash of the served file; nil if no version is served.
    var hash: String?
    /// The signatures of the served version; empty if the project has no signing keys.
    var signatures: [ModelVersionView.Signature]
    /// The number of the staged version.
    var staged: String?
    var quality: Quality?
    var stagedQuality: Quality?
    /// The reason why there is no figure of the quality; nil if there is one.
    var noQuality: String?
    /// The reported confidence of the served version; nil without reports.
    var drift: DriftView?
    var evaluatePath: String
    var versionsPath: String
    var use: [Figure]
    var uses: [Use]
    /// The addresses of forms about the model; nil where they have no sense.
    var rolloutPath: String?
    var experimentPath: String?
    var card: ModelCard
    var hasCard: Bool
    var hasLicenseOrAuthor: Bool
    var days: ModelDaysView
}

extension Console {
    fileprivate func overview(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> ModelOverviewPage {
        let versions = try await offeredVersions(of: model)
        let served = versions.first { $0.number == model.file?.version }
        let project = visit.caller.project.id
        let isSigning = try await !hub.validSigningKeys(of: project).isEmpty
        let manifests = isSigning ? try await hub.manifestStatuses(of: model) : []
        let isKept = isSigning ? try await hub.keptKey(of: project) != nil : false
        let format = if let served { await hub.formats(of: [served])[served.hash] } else { HostedFormat?.none }
        let evaluations = try await hub.records.evaluations(of: model.id)
        let staged = model.aliases[.staging]
        let quality = served.flatMap { Self.quality(of: $0.number, evaluations) }
        let today = hub.now().day
        let days = try await hub.records.days(of: model.id, from: today - ModelDay.count + 1)
        let pending = hub.downloads.pendingCount(of: model.id)
        let card = model.card
        let form = "?model=\(Self.encoded(model.displayName))"
        let canStart = visit.caller.role >= .publisher && model.isPublished
        return ModelOverviewPage(
            problem: model.validationError.flatMap { $0 != .noFile || versions.isEmpty ? $0.message : nil },
            problemIsNoFile: model.validationError == .noFile,
            warning: model.file?.warning,
            clients: format?.clientNote,
            signatureWarnings: manifests.compactMap { $0.warning(of: model, isKept: isKept) },
            isUnserved: model.file == nil && !versions.isEmpty,
            served: Self.facts(of: model, served, format),
            hash: model.file?.hash.text,
            signatures: manifests.filter { $0.version == model.file?.version }.map { .init($0) },
            staged: staged.map { "\($0)" },
            quality: quality,
            stagedQuality: staged.flatMap { Self.quality(of: $0, evaluations) },
            noQuality: quality == nil ? noQuality(of: served) : nil,
            drift: try await driftViews(of: model, evaluations).first { $0.version == served.map { "\($0.number)" } },
            evaluatePath: Self.path(of: model, .evaluation),
            versionsPath: Self.path(of: model, .versions),
            use: [
                .init(
                    name: "Downloads in \(ModelDay.count) days",
                    value: NumberText.grouped(days.reduce(pending) { $0 + $1.downloads })
                ),
                .init(name: "Downloads", value: NumberText.grouped(try await hub.downloadCount(of: model.id))),
                .init(
                    name: "Results in \(ModelDay.count) days",
                    value: NumberText.grouped(days.reduce(0) { $0 + $1.results })
                ),
            ],
            uses: try await uses(of: model, visit),
            rolloutPath: canStart && versions.count > 1 ? "\(Self.rolloutsPath)/%2B\(form)" : nil,
            experimentPath: canStart ? "\(Self.experimentsPath)/%2B\(form)" : nil,
            card: card,
            hasCard: !card.isEmpty,
            hasLicenseOrAuthor: !card.license.isEmpty || !card.author.isEmpty,
            days: ModelDaysView(days, pending: pending, today: today)
        )
    }

    private static func facts(
        of model: ModelRecord,
        _ served: ModelVersion?,
        _ format: HostedFormat?
    ) -> [ModelOverviewPage.Figure] {
        let inspection = served.flatMap { InspectionView(json: $0.inspection) }
        let labels = inspection.flatMap { $0.labels.isEmpty ? nil : $0.labelCount }
        var facts: [ModelOverviewPage.Figure] = [
            .init(name: "Served version", value: model.file.map { "\($0.version)" } ?? "–"),
            .init(
                name: "Size",
                value: [model.file.map { NumberText.bytes($0.byteCount) } ?? "–", format?.title]
                    .compactMap(\.self).joined(separator: ", ")
            ),
            .init(
                name: "Confidence threshold",
                value: model.file?.confidenceThreshold.map { "\($0)" } ?? "not set"
            ),
        ]
        if let inspection {
            facts.append(
                .init(name: "Use", value: [inspection.task, labels].compactMap(\.self).joined(separator: ", "))
            )
        }
        facts.append(.init(name: "Changed (UTC)", value: ConsoleText.time(model.updateTime)))
        return facts
    }

    /// The last evaluation of a version with a result; nil if there is none.
    private static func quality(of version: Int, _ evaluations: [EvaluationRecord]) -> ModelOverviewPage.Quality? {
        guard let last = evaluations.first(where: { $0.version == version && $0.state == .done }),
            let score = last.scoreText
        else { return nil }
        let view = ModelVersionView.Evaluation(last)
        let pictures = last.pictureCount.map { "on \(NumberText.grouped($0, "picture"))" }
        return .init(
            version: "\(version)",
            path: path(of: last),
            score: score,
            text: [pictures, ConsoleText.day(last.createTime)].compactMap(\.self).joined(separator: ", "),
            comparison: view.comparison
        )
    }

    private func noQuality(of served: ModelVersion?) -> String {
        guard let served else { return "No version is served." }
        guard served.warning == nil, EvaluationKinds.measuring(served.task) != nil else {
            return "Only models that label pictures or find objects in them can be evaluated."
        }
        return "Version \(served.number) has not been evaluated."
    }

    /// The rollouts, experiments and parameters that give apps a model.
    private func uses(of model: ModelRecord, _ visit: ConsoleVisit) async throws -> [ModelOverviewPage.Use] {
        let rollouts = try await hub.rollouts(by: visit.caller).filter { $0.model == model.id && $0.isActive }
        let parameters = try await hub.configTemplate(by: visit.caller).template.uses(ofModel: model.displayName)
        return rollouts.map {
            .init(
                path: Self.path(ofRollout: $0.id),
                title: "Rollout \($0.id): version \($0.newVersion) for \(RolloutText.percent($0.share)) of the devices"
            )
        } + parameters.map { .init(path: "/console/config", title: "Remote Config: \($0)") }
    }
}
