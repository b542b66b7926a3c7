import AsyncHTTPClient
import Foundation
import HTTPServing
import ModelHubProtocol
import NIOCore

/// Posts events to webhooks as CloudEvents 1.0 in JSON, signed with the webhook's secret.
struct WebhookSender: Sendable {
    let hosts: AllowedHosts
    let lookUps: NameLookUps

    /// The result of an attempt.
    struct Outcome: Sendable {
        var status: Int?
        /// Why the receiver has not accepted the event; empty if it has.
        var problem: String
        /// Whether another attempt may help.
        var isFinal: Bool
    }

    private static let timeout = Duration.seconds(10)

    /// The type of an event that a person sends to try the receiver.
    static let testType = "webhook.test"

    /// Posts an event.
    ///
    /// - Parameter type: The kind of the change, or ``testType``.
    func send(_ type: String, _ entry: AuditLogResource.Entry, to webhook: Webhook, at date: Date) async -> Outcome {
        guard let url = URL(string: webhook.address), let host = url.host(percentEncoded: false),
            let right = hosts.right(of: host)
        else { return Outcome(problem: "the hub's operator does not allow its host", isFinal: false) }
        let body = Self.body(type, entry)
        var request = HTTPClientRequest(url: webhook.address)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/cloudevents+json; charset=UTF-8")
        let signature = WebhookSignature(of: Array(body), secret: webhook.secret, date: date)
        request.headers.add(name: WebhookSignature.header, value: signature.text)
        request.body = .bytes(ByteBuffer(bytes: body))
        let sent = request
        do {
            // Nobody reads the body of the answer; the end of the client closes the connection.
            let status = try await PinnedClient.with(host, right, for: webhook.project, lookUps: lookUps) {
                Int(try await $0.execute(sent, timeout: TimeAmount(Self.timeout)).status.code)
            }
            return Self.outcome(of: status)
        } catch PinnedClient.Refusal.unknownHost {
            return Outcome(problem: "its host is unknown", isFinal: false)
        } catch PinnedClient.Refusal.privateNetwork {
            return Outcome(problem: "its host is in a private network", isFinal: false)
        } catch let failure as NameLookUps.Failure {
            let problem =
                failure == .late
                ? "the name server of its host does not answer"
                : "other hosts of the project keep the name servers busy"
            return Outcome(problem: problem, isFinal: false)
        } catch {
            return Outcome(problem: "it does not answer (\(Self.reason(error)))", isFinal: false)
        }
    }

    private static func outcome(of status: Int) -> Outcome {
        switch status {
        case 200..<300: Outcome(status: status, problem: "", isFinal: true)
        case 300..<400:
            Outcome(
                status: status,
                problem: "it answers with a redirect, which a webhook does not follow",
                isFinal: true
            )
        case 408, 429, 500...: Outcome(status: status, problem: "it answers with status \(status)", isFinal: false)
        default: Outcome(status: status, problem: "it refuses the event with status \(status)", isFinal: true)
        }
    }

    private static func reason(_ error: any Error) -> String {
        (error as? HTTPClientError)?.shortDescription ?? "the connection failed"
    }

    private struct CloudEvent: Encodable {
        var specversion = "1.0"
        var id, source, type, subject, time: String
        var datacontenttype = "application/json"
        var data: AuditLogResource.Entry
    }

    /// The event in CloudEvents' structured mode. Its id is the same in each attempt.
    static func body(_ type: String, _ entry: AuditLogResource.Entry) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let event = CloudEvent(
            id: "\(entry.project)/\(entry.number)",
            source: "/projects/\(entry.project)",
            type: "sightline.\(type)",
            subject: entry.target,
            time: entry.time,
            data: entry
        )
        return (try? encoder.encode(event)) ?? Data()
    }
}
