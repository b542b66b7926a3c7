import Foundation

/// An address that a project's hub notifies of changes.
package struct Webhook: Sendable, Hashable {
    /// The id, unique in the project.
    package var id: String
    /// The id of the project.
    var project: String
    /// An https or http address.
    package var address: String
    /// The secret that signs requests.
    var secret: String
    /// The kinds of events; empty for all.
    package var events: [WebhookEvent]
    package var createTime: Timestamp
    package var actor: String
    /// The last entry of the audit log that was delivered or left out.
    package var lastNumber: Int
    /// The number of failures since the last success.
    package var failures: Int
    /// When the next delivery may be tried.
    package var nextTime: Timestamp

    /// The largest number of webhooks of a project.
    static let limit = 20
    /// The number of deliveries whose results are kept.
    static let keptDeliveries = 100

    /// The address without its query and most of its path, which are the secret of many receivers.
    package var shortenedAddress: String {
        guard let url = URLComponents(string: address), let range = url.rangeOfPath else {
            return address.split(separator: "/").prefix(2).joined(separator: "//") + "/…"
        }
        let (place, path) = (address[..<range.lowerBound], address[range])
        let isWhole = path.count <= 5 && range.upperBound == address.endIndex
        return place + path.prefix(5) + (isWhole ? "" : "…")
    }

    /// The id with that of the project, unique in the hub.
    var key: String { "\(project)/\(id)" }

    /// Whether the webhook delivers an event.
    func wants(_ event: WebhookEvent) -> Bool { events.isEmpty || events.contains(event) }

    /// The pause after a number of failures: 2, 4, 8, … seconds, at most an hour.
    static func pause(after failures: Int) -> Duration { min(.seconds(1 << min(failures, 12)), longestPause) }

    static let longestPause = Duration.seconds(3600)
}

/// The result of the last attempt to deliver an event to a webhook.
package struct WebhookDelivery: Sendable, Hashable {
    /// The number of the event's entry in the audit log.
    package var number: Int
    package var event: WebhookEvent
    /// The time of the last attempt.
    package var time: Timestamp
    package var attempts: Int
    /// The status of the answer; nil without one.
    package var status: Int?
    /// Why the receiver has not accepted the event; empty if it has.
    package var problem: String
}

/// The result of a test event.
package struct WebhookTest: Sendable, Hashable {
    /// The status of the answer; nil without one.
    package var status: Int?
    /// Why the receiver has not accepted the event; empty if it has.
    package var problem: String
}

/// The kind of a change of which webhooks notify. The entry of the audit log for the change names it.
package enum WebhookEvent: String, Sendable, Hashable, CaseIterable, Codable {
    case modelCreated = "model.created"
    case modelPublished = "model.published"
    case modelUnpublished = "model.unpublished"
    case modelPromoted = "model.promoted"
    case modelStaged = "model.staged"
    case modelDeleted = "model.deleted"
    case modelDrifted = "model.drifted"
    case rolloutStarted = "rollout.started"
    case rolloutStepped = "rollout.stepped"
    case rolloutHalted = "rollout.halted"
    case rolloutFinished = "rollout.finished"
    case rolloutAborted = "rollout.aborted"
    case evaluationDone = "evaluation.done"
    case trainingDone = "training.done"
    case keyNearEnd = "key.nearEnd"
    case quotaNear = "quota.near"
}
