import HTTPServing
import Metrics
import ModelHub
import ModelHubProtocol
import Synchronization

/// The metrics of a shadow.
final class ShadowMetrics: Sendable {
    /// The number of labels that have counters; the status counts further ones.
    private static let labelLimit = 100

    private let server: ServerMetrics
    private let model: String
    private let outcomes: [ServedShadow.Outcome: Counter]
    private let ready, share, lower, upper: Gauge
    private let labels = Mutex<[String: [Counter]]>([:])

    init(of model: String, in server: ServerMetrics) {
        (self.server, self.model) = (server, model)
        outcomes = Dictionary(
            uniqueKeysWithValues: ServedShadow.Outcome.allCases.map {
                (
                    $0,
                    server.counter(
                        "shadow_requests_total",
                        help: "Requests that were drawn for a second answer, by outcome.",
                        dimensions: [("model", model), ("outcome", $0.rawValue)]
                    )
                )
            }
        )
        func gauge(_ label: String, _ help: String) -> Gauge {
            server.gauge(label, help: help, dimensions: [("model", model)])
        }
        ready = gauge("shadow_ready", "Whether a shadow is in use, 1 or 0.")
        share = gauge("shadow_different_ratio", "The share of compared answers of the versions in use that differ.")
        lower = gauge("shadow_different_ratio_lower", "The lower end of the always-valid interval of that share.")
        upper = gauge("shadow_different_ratio_upper", "The upper end of the always-valid interval of that share.")
        ready.record(0)
    }

    func isReady(_ value: Bool) { ready.record(value ? 1 : 0) }

    func count(_ outcome: ServedShadow.Outcome) { outcomes[outcome]?.increment() }

    /// Records a comparison, and the share so far.
    func record(_ difference: AnswerDifference, _ share: DifferenceShare) {
        self.share.record((share.percent ?? 0) / 100)
        lower.record(share.lower / 100)
        upper.record(share.upper / 100)
        for (label, isDifferent) in difference.labels {
            counters(of: label)?[isDifferent ? 1 : 0].increment()
        }
    }

    private func counters(of label: String) -> [Counter]? {
        labels.withLock { labels in
            if let known = labels[label] { return known }
            guard labels.count < Self.labelLimit else { return nil }
            let new = [ServedShadow.Outcome.same, .different].map {
                server.counter(
                    "shadow_label_answers_total",
                    help: "Compared answers with a label, for the first \(Self.labelLimit) labels.",
                    dimensions: [("model", model), ("label", label), ("outcome", $0.rawValue)]
                )
            }
            labels[label] = new
            return new
        }
    }
}
