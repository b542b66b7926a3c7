import Foundation
import ModelHub
import ModelHubProtocol

/// Adds kept pictures to data sets of a hub, with a token of a publisher.
package struct KeptPictureSender: Sendable {
    private let transport: HubTransport
    private let project: String

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - configuration: The hub and the project.
    ///   - token: A token of the hub with the role of a publisher.
    package init(_ configuration: ModelHubConfiguration, token: String) {
        transport = HubTransport(
            hub: configuration.hub,
            credentials: .token(token),
            trusting: configuration.trustedRoots,
            idleTimeout: configuration.idleTimeout
        )
        project = configuration.projectID
    }

    /// Adds a picture without a label.
    ///
    /// - Returns: Whether it is new in the data set.
    /// - Throws: ``AnswerError`` with the hub's reason.
    func add(_ picture: Data, named name: String, to dataSet: String) async throws(AnswerError) -> Bool {
        let path = ["hub", "v1", "projects", project, "datasets", dataSet, "photos"].map(Self.encoded)
            .joined(separator: "/")
        let reply: HubTransport.Reply
        do throws(HubFailure) {
            reply = try await transport.send(
                .post,
                "/\(path)?name=\(Self.encoded(name))",
                headers: ["content-type": "application/octet-stream"],
                body: picture,
                upTo: 1 << 20
            )
            guard reply.status == 200 else { throw reply.failure }
        } catch {
            throw AnswerError(.badGateway, "The picture cannot be added to the data set: \(Self.reason(error))")
        }
        guard let added = try? JSONDecoder().decode(AddedPhotos.self, from: reply.body) else {
            throw AnswerError(
                .badGateway,
                "The hub's answer is not that of a data set; check the address in the file of --hub."
            )
        }
        if let skipped = added.skipped.first {
            throw .invalid("The hub cannot use the picture: \(skipped.reason)")
        }
        return added.addedCount > 0
    }

    private static func reason(_ failure: HubFailure) -> String {
        switch failure {
        case .refused(401, _, _), .refused(403, _, _):
            "the hub refuses the token in the file of --keep-token-file; it needs the role of a publisher."
        case .refused(let status, let message, _): message ?? "the hub answered with status \(status)."
        case .unreachable(let reason), .unusable(let reason), .invalidReply(let reason): "\(reason)."
        default: "\(failure)"
        }
    }

    private static func encoded(_ text: String) -> String {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
        return text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: unreserved)) ?? ""
    }
}
