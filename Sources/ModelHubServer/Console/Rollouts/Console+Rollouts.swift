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
            try await newRolloutPage(visit, RolloutFields(model: visit.request.query["model"] ?? ""))
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
