import Foundation
import Hummingbird
import ModelHubProtocol
import TextFormatting

/// The fields in the form of a new rollout.
struct RolloutFields: Sendable {
    /// The beginning of the names of the guards' boxes.
    static let guardPrefix = "guard-"

    var model = ""
    var version = ""
    var steps = RolloutPlan.usualSteps.map { ConsoleText.plain($0) }.joined(separator: ", ")
    var hours = ConsoleText.plain(Double(RolloutPlan.usualSeconds) / 3600)
    /// The texts of the chosen guards.
    var guards = RolloutPlan.usualGuards.map(\.text)
    /// The name of a score that no report has had so far.
    var score = ""
    var parameter = ""

    init(model: String) { self.model = model }

    init(_ form: ConsoleForm) {
        (model, version, steps) = (form["model"], form["version"], form["steps"])
        (hours, score, parameter) = (form["hours"], form["score"], form["parameter"])
        guards = form.fields.filter { $0.key.hasPrefix(Self.guardPrefix) }.map(\.value).sorted()
    }

    /// - Throws: `.invalidArgument` if a field is not a number or not a guard.
    func plan() throws(HubError) -> RolloutPlan {
        var percentages: [Double] = []
        for part in steps.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) where !part.isEmpty {
            guard let value = Double(part) else {
                throw HubError(
                    .invalidArgument,
                    "\"\(part.prefix(60))\" is not a percentage; use steps such as 5, 20, 50, 100."
                )
            }
            percentages.append(value)
        }
        guard let hours = Double(hours), (0...1e6).contains(hours) else {
            throw HubError(.invalidArgument, "The time of a step must be a number of hours, such as 24.")
        }
        var known: [RolloutGuard] = []
        for text in guards + (score.isEmpty ? [] : ["score:\(score)"]) { known.append(try RolloutGuard(named: text)) }
        var plan = RolloutPlan(steps: percentages, seconds: Int(hours * 3600), guards: known)
        plan.parameter = parameter.isEmpty ? nil : parameter
        return plan
    }
}

/// A guard in the form, with what apps have to report for it.
struct RolloutGuardChoice: Sendable {
    var id: String
    var value: String
    var title: String
    var meaning: String
    var isChosen: Bool

    init(_ rolloutGuard: RolloutGuard, isChosen: Bool) {
        value = rolloutGuard.text
        id = RolloutFields.guardPrefix + value.replacing(":", with: "-")
        title = rolloutGuard.title
        let harm = RolloutText.change(rolloutGuard.harm, rolloutGuard)
        meaning =
            switch rolloutGuard {
            case .failures:
                "The share of failed results. Apps report the score failures: 1 for a failed result, 0 for any other. Harm: \(harm)."
            case .latency: "The time that a result takes. Apps report the latency. Harm: \(harm)."
            case .confidence:
                "How sure the model is. Apps report the score confidence, from 0 to 1. Harm: lower by \(harm)."
            case .score(let name):
                "The mean of the score \(name), which apps of this project report. Harm: lower by \(harm)."
            }
        self.isChosen = isChosen
    }
}

/// Starting a rollout of a version that exists, with guards that apps report.
extension Console {
    private struct NewPage: Sendable {
        var fields: RolloutFields
        var models: [ParameterFields.Choice]
        /// The versions of the chosen model that are not served.
        var versions: [ParameterFields.Choice]
        /// The number of the served version; nil if there is no such model.
        var served: String?
        var versionsPath: String
        var guardChoices: [RolloutGuardChoice]
        var parameters: [ParameterFields.Choice]
    }

    /// The published models that a form offers, by name.
    func publishedModels(_ visit: ConsoleVisit) async throws -> [ModelRecord] {
        var query = ModelListQuery()
        (query.state, query.limit) = (.published, 200)
        return try await hub.records.modelListing(of: visit.caller.project.id, query).entries.map(\.model)
    }

    func newRolloutPage(
        _ visit: ConsoleVisit,
        _ fields: RolloutFields,
        error: HubError? = nil
    ) async throws -> Response {
        var fields = fields
        let models = try await publishedModels(visit)
        if fields.model.isEmpty { fields.model = models.first?.displayName ?? "" }
        let model = models.first { $0.displayName == fields.model }
        let scores = try await hub.records.reportedScores(of: visit.caller.project.id)
        let reported = scores.map { RolloutGuard($0) ?? .score($0) }
        let known = [.failures, .latency, .confidence] + reported
        let chosen = fields.guards.compactMap { RolloutGuard($0) }
        var guards: [RolloutGuardChoice] = []
        for one in known + chosen where !guards.contains(where: { $0.value == one.text }) {
            guards.append(.init(one, isChosen: chosen.contains(one)))
        }
        let parameters = try await hub.configTemplate(by: visit.caller).template.allParameters
            .filter { ConfigTemplate.problem(of: "id new", $0.value.valueType) == nil }.keys.sorted()
        return .page(
            "rollout-new",
            ConsoleChrome(title: "New rollout", visit: visit, error: error),
            NewPage(
                fields: fields,
                models: models.map {
                    .init(value: $0.displayName, title: $0.displayName, isChosen: $0.displayName == fields.model)
                },
                versions: try await versionChoices(of: model, chosen: fields.version),
                served: model?.file.map { "\($0.version)" },
                versionsPath: model.map { Self.path(of: $0, .versions) } ?? "",
                guardChoices: guards,
                parameters: [.init(value: "", title: "None", isChosen: fields.parameter.isEmpty)]
                    + parameters.map { .init(value: $0, title: $0, isChosen: $0 == fields.parameter) }
            )
        )
    }

    /// The versions of a model that are not served, with what is known of them.
    private func versionChoices(of model: ModelRecord?, chosen: String) async throws -> [ParameterFields.Choice] {
        guard let model else { return [] }
        let evaluations = try await hub.records.evaluations(of: model.id)
        let versions = try await offeredVersions(of: model).filter { $0.number != model.file?.version }
        let first = Int(chosen) ?? model.aliases[.staging] ?? versions.first?.number
        return versions.map { version in
            let last = evaluations.first { $0.version == version.number && $0.state == .done }
            let facts = [
                version.number == model.aliases[.staging] ? "staged" : nil,
                "added \(ConsoleText.day(version.createTime))",
                last.flatMap { last in last.scoreText.map { "\($0) on \(last.pictureCount ?? 0) pictures" } },
            ].compactMap(\.self)
            return .init(
                value: "\(version.number)",
                title: "Version \(version.number): \(facts.joined(separator: ", "))",
                isChosen: version.number == first
            )
        }
    }

    @Sendable
    func startRollout(_ visit: ConsoleVisit) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let fields = RolloutFields(form)
        do {
            guard let version = Int(fields.version) else {
                throw HubError(.invalidArgument, "No version was chosen; choose the version that devices get.")
            }
            let plan = try fields.plan()
            if let model = try await hub.records.model(named: fields.model, of: visit.caller.project.id),
                let question = try await labelQuestion(
                    visit,
                    form,
                    of: model,
                    (model.file?.version, version),
                    action: "Start the rollout",
                    back: "\(Self.rolloutsPath)/%2B?model=\(Self.encoded(model.displayName))"
                )
            {
                return question
            }
            let rollout = try await hub.startRollout(ofModelNamed: fields.model, to: version, plan, by: visit.caller)
            let labels = try await hub.noteLabelChange(
                of: (rollout.model, rollout.modelName),
                from: rollout.oldVersion,
                to: rollout.newVersion,
                visit.request.logger
            )
            return try await change(visit, thenTo: Self.path(ofRollout: rollout.id)) {
                "The rollout is running; its first devices get version \(version) with their next check."
                    + Self.warning([labels].compactMap(\.self))
            }
        } catch let error as HubError where error.isRefusedForm {
            return try await newRolloutPage(visit, fields, error: error)
        }
    }
}
