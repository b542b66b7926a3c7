import Foundation
import HTTPServing
import Logging
import ModelHubProtocol
import ServiceLifecycle

/// Notifies webhooks of changes while the hub serves. In a fleet, one hub at a time does.
///
/// The audit log is the queue: a change and its entry are one transaction, entries are in order, and each webhook knows the last one that it
/// has delivered. So a kill loses no event; it may repeat the last one, with the same id.
struct WebhookService: Service {
    let hub: Hub
    let logger: Logger

    func run() async throws {
        // Canceled when the server stops.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: hub.options.webhookInterval)
                do {
                    _ = try await hub.records.withExclusiveLease(.webhooks) { try await hub.deliverWebhooks() }
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("cannot notify webhooks", metadata: ["reason": "\(error)"])
                }
            }
        }
    }
}

extension Hub {
    /// The number of webhooks that are notified at the same time.
    private static let simultaneousWebhooks = 100
    /// The number of changes that a webhook gets before it looks for its turn again.
    private static let turn = 50

    /// Delivers pending changes to all webhooks that may try.
    ///
    /// While a receiver takes its time, others get the changes that happen meanwhile. The function returns when no delivery is under way.
    package func deliverWebhooks() async throws {
        try await withThrowingTaskGroup(of: (key: String, failure: (any Error)?)?.self) { group in
            var busy: Set<String> = []
            var failure: (any Error)?
            func begin() async throws {
                for webhook in try await records.webhooks(dueAt: now())
                where busy.count < Self.simultaneousWebhooks && busy.insert(webhook.key).inserted {
                    group.addTask {
                        do {
                            try await deliver(webhook)
                            return (webhook.key, nil)
                        } catch {
                            // It stops no other webhook.
                            return (webhook.key, error)
                        }
                    }
                }
                guard !busy.isEmpty else { return }
                group.addTask {
                    // Canceled when no delivery is under way.
                    try? await Task.sleep(for: options.webhookInterval)
                    return nil
                }
            }
            try await begin()
            while let finished = try await group.next() {
                if let finished {
                    busy.remove(finished.key)
                    failure = failure ?? finished.failure
                    if busy.isEmpty { group.cancelAll() }
                } else if !busy.isEmpty {
                    try await begin()
                }
            }
            if let failure { throw failure }
        }
    }

    private func deliver(_ webhook: Webhook) async throws {
        var webhook = webhook
        let sender = WebhookSender(hosts: options.webhookHosts, lookUps: options.nameLookUps)
        for entry in try await records.auditChain(of: webhook.project, after: webhook.lastNumber, limit: Self.turn) {
            var next = webhook
            next.lastNumber = entry.number
            guard let event = entry.event.flatMap({ WebhookEvent(rawValue: $0) }), webhook.wants(event) else {
                try await records.advance(webhook, to: next, nil)
                webhook = next
                continue
            }
            let time = now()
            let outcome = await sender.send(event.rawValue, entry, to: webhook, at: Date())
            if outcome.isFinal {
                (next.failures, next.nextTime) = (0, time)
            } else {
                next.lastNumber = webhook.lastNumber
                next.failures = webhook.failures + 1
                next.nextTime = time.advanced(by: Webhook.pause(after: next.failures))
            }
            let delivery = WebhookDelivery(
                number: entry.number,
                event: event,
                time: time,
                attempts: 1,
                status: outcome.status,
                problem: outcome.problem
            )
            try await records.advance(webhook, to: next, delivery)
            guard outcome.isFinal else { return }
            webhook = next
        }
    }
}
