import Foundation
import Hummingbird
import TextFormatting

/// Pages about rollouts: the list, a rollout, and its actions.
extension Console {
    static let rolloutsPath = "/console/rollouts"

    func addRollouts(to routes: inout RouteTable) {
        let rollouts = "console/rollouts"
        page(at: rollouts, in: &routes, use: rolloutList)
        publisherForm(at: rollouts, in: &routes, use: startRollout)
        page(at: "\(rollouts)/\(Self.newName)", for: .publisher, in: &routes) { visit in
            try await newRolloutPage(visit, RolloutFields())
        }
        let rollout = "\(rollouts)/{rollout}"
        page(at: rollout, in: &routes) { try await rolloutPage($0, $0.request["rollout"]) }
        for action in Hub.RolloutAction.allCases {
            publisherForm(at: "\(rollout)/\(action.rawValue)", in: &routes) { visit in
                _ = try await ConsoleForm(visit)
                let name = visit.request["rollout"]
                return try await change(visit, thenTo: Self.path(ofRollout: name)) {
                    try await hub.change(name, action, by: visit.caller).reason
                }
            }
        }
    }

    static func path(ofRollout id: String) -> String { "\(rolloutsPath)/\(encoded(id))" }

    private struct ListPage: Sendable {
        struct Row: Sendable {
            var id: String
            var path: String
            var state: RolloutState
            var model: String
            var versions: String
            var share: String
            var started: ConsoleTime
        }

        var rows: [Row]
    }

    @Sendable
    private func rolloutList(_ visit: ConsoleVisit) async throws -> Response {
        let rollouts = try await hub.rollouts(by: visit.caller)
        return .page(
            "rollouts",
            ConsoleChrome(title: "Rollouts", visit: visit),
            ListPage(
                rows: rollouts.map { rollout in
                    .init(
                        id: rollout.id,
                        path: Self.path(ofRollout: rollout.id),
                        state: RolloutState(rollout.state),
                        model: rollout.modelName,
                        versions: "\(rollout.oldVersion) → \(rollout.newVersion)",
                        share: RolloutText.percent(rollout.share),
                        started: ConsoleTime(rollout.startTime)
                    )
                }
            )
        )
    }

    // MARK: - Starting

    /// The fields in the form of a new rollout.
    struct RolloutFields: Sendable {
        var model = ""
        var version = ""
        var steps = RolloutPlan.usualSteps.map { ConsoleText.plain($0) }.joined(separator: ", ")
        var hours = ConsoleText.plain(Double(RolloutPlan.usualSeconds) / 3600)
        var guards = RolloutPlan.usualGuards.map(\.text).joined(separator: ", ")

        init() {}

        init(_ form: ConsoleForm) {
            (model, version, steps) = (form["model"], form["version"], form["steps"])
            (hours, guards) = (form["hours"], form["guards"])
        }

        /// - Throws: `.invalidArgument` if a field is not a number or not a guard.
        func plan() throws(HubError) -> RolloutPlan {
            func parts(_ text: String) -> [String] {
                text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            }
            var percentages: [Double] = []
            for part in parts(steps) {
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
            for part in parts(guards) { known.append(try RolloutGuard(named: part)) }
            return RolloutPlan(steps: percentages, seconds: Int(hours * 3600), guards: known)
        }
    }

    private struct NewPage: Sendable {
        var fields: RolloutFields
        var models: [String]
    }

    /// The names of the models that a form offers.
    func publishedModels(_ visit: ConsoleVisit) async throws -> [String] {
        var query = ModelListQuery()
        (query.state, query.limit) = (.published, 200)
        return try await hub.records.modelListing(of: visit.caller.project.id, query).entries.map(\.model.displayName)
    }

    private func newRolloutPage(
        _ visit: ConsoleVisit,
        _ fields: RolloutFields,
        error: HubError? = nil
    ) async throws -> Response {
        .page(
            "rollout-new",
            ConsoleChrome(title: "New rollout", visit: visit, error: error),
            NewPage(fields: fields, models: try await publishedModels(visit))
        )
    }

    @Sendable
    private func startRollout(_ visit: ConsoleVisit) async throws -> Response {
        let fields = RolloutFields(try await ConsoleForm(visit))
        do {
            guard let version = Int(fields.version) else {
                throw HubError(.invalidArgument, "The version must be a whole number, such as 3.")
            }
            let rollout = try await hub.startRollout(
                ofModelNamed: fields.model,
                to: version,
                try fields.plan(),
                by: visit.caller
            )
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

/// The state of a rollout on a page.
struct RolloutState: Sendable {
    var text: String
    var kind: String

    init(_ state: Rollout.State) {
        (text, kind) =
            switch state {
            case .running: ("Running", "accent")
            case .paused: ("Paused", "warning")
            case .halted: ("Halted", "bad")
            case .finished: ("Finished", "good")
            case .aborted: ("Aborted", "neutral")
            }
    }
}
