import Foundation
import ModelHubProtocol

/// Live updates, by the protocol of Firebase's SDKs.
extension HubClient {
    private struct Question: Encodable {
        var project: String
        var namespace = "firebase"
        var lastKnownVersionNumber: String
        var appId: String
        var sdkVersion = "sightline"
        var appInstanceId: String
    }

    private struct Message: Decodable {
        var latestTemplateVersionNumber: String?
        /// The pause that a hub asks for when it stops.
        var retryIntervalSeconds: String?
    }

    /// The longest line of a stream, in bytes.
    private static let longestLine = 64 << 10

    /// The longest time of a stream. The hub sends a sign of life twice a minute; a silent stream fails after a minute.
    private static let longestStream = Duration.seconds(24 * 3600)

    /// Waits for templates that are newer than a known version, and reports their versions until the hub ends the
    /// stream.
    ///
    /// - Parameters:
    ///   - isAlive: Called when anything arrives, signs of life included.
    ///   - report: Called with the number of each newer template.
    /// - Returns: The pause that the hub asked for, if it did.
    func waitForTemplates(
        after known: Int64,
        isolation: isolated (any Actor)? = #isolation,
        isAlive: () -> Void,
        _ report: (Int64) async throws(HubFailure) -> Void
    ) async throws(HubFailure) -> Duration? {
        let id = try await installation.idText()
        let question = Question(
            project: configuration.projectID,
            lastKnownVersionNumber: "\(known)",
            appId: configuration.appID ?? "",
            appInstanceId: id
        )
        let body = try? JSONEncoder().encode(question)
        var response = try await open(body)
        if response.status == 401 {
            // The project requires a registered installation, and the hub does not know this one, or no longer.
            try await register(app: configuration.appID ?? "")
            response = try await open(body)
        }
        guard response.status == 200 else {
            throw try await transport.reply(to: response, upTo: Self.maximumReply).failure
        }
        var pieces = response.pieces()
        var text = Data()
        var pause: Duration?
        while true {
            guard let piece = try await transport.next(&pieces, isolation: isolation) else { return pause }
            isAlive()
            piece.withUnsafeBytes { text.append(contentsOf: $0) }
            while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(text[..<end])
                text = Data(text[(end + 1)...])
                // An empty line is a sign of life.
                guard let message = try? JSONDecoder().decode(Message.self, from: line) else { continue }
                if let seconds = message.retryIntervalSeconds.flatMap({ Int64($0) }), (0...86400).contains(seconds) {
                    pause = .seconds(seconds)
                }
                if let version = message.latestTemplateVersionNumber.flatMap({ Int64($0) }) {
                    try await report(version)
                }
            }
            guard text.count <= Self.longestLine else {
                throw .invalidReply(reason: "a live update is longer than \(Self.longestLine) bytes")
            }
        }
    }

    private func open(_ body: Data?) async throws(HubFailure) -> HubExchange {
        var headers = Self.jsonFields
        if let token = installation.token { headers.add(name: HubHeader.installation, value: token) }
        return try await transport.open(
            .post,
            "/v1/projects/\(project)/namespaces/firebase:streamFetchInvalidations",
            headers: headers,
            body: body,
            timeout: Self.longestStream
        )
    }
}
