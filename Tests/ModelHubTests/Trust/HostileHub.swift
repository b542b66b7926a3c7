import Crypto
import Foundation
import HubTestSupport
import ModelHub
import ModelHubServer
import SightlineTestSupport
import Synchronization
import Testing

/// A hub that answers whatever a test, as its attacker, wants: any file, and any manifest.
final class HostileHub: Sendable {
    /// The hub's offer.
    struct Offer: Sendable {
        var hub: LyingHub
        /// The answer of `:manifest`; nil for status 404.
        var manifest: Data?
        /// Whether the manifest also comes with the answer to `:download`, as from a hub of this version.
        var sendsManifest = false
        /// The threshold beside the download, which nobody signed.
        var threshold: String?
        /// The answer at the file's address instead of the file.
        var fileReply: ScriptedServer.Reply?
        /// Replaces the offer after the next answer to `:download`.
        var next: [Offer] = []
    }

    private let state: Mutex<Offer>

    init(_ file: Data, manifest: Data?) { state = Mutex(Offer(hub: LyingHub(file), manifest: manifest)) }

    /// Offers a file with a manifest.
    func offer(_ file: Data, manifest: Data?) { state.withLock { $0 = Offer(hub: LyingHub(file), manifest: manifest) } }

    /// Changes what the hub offers.
    func change(_ body: (inout Offer) -> Void) { state.withLock { body(&$0) } }

    func reply(to request: ScriptedServer.Request, of server: ScriptedServer) -> ScriptedServer.Reply {
        let offer = state.withLock { $0 }
        if request.path.contains(":manifest") {
            return offer.manifest.map { ScriptedServer.Reply(body: $0) } ?? ScriptedServer.Reply(status: 404)
        }
        guard request.path.hasPrefix("/v1beta2/") else { return offer.fileReply ?? offer.hub.content(for: request) }
        if let next = offer.next.first {
            state.withLock { $0 = next }
        }
        var reply = offer.hub.info(to: request, of: server)
        if let threshold = offer.threshold { reply.headers.append(("X-Sightline-Confidence-Threshold", threshold)) }
        if offer.sendsManifest, request.headers.contains(name: "x-sightline-manifest") {
            reply.headers.append(("X-Sightline-Manifest", Base64URL.text(offer.manifest ?? Data())))
        }
        return reply
    }

    /// Calls `body` while the hub serves, with an empty folder for a client's models.
    static func with(
        _ file: Data,
        manifest: Data?,
        _ body: (HostileHub, ScriptedServer, URL) async throws -> Void
    ) async throws {
        let hub = HostileHub(file, manifest: manifest)
        try await ScriptedServer.with { request, server in
            hub.reply(to: request, of: server)
        } _: { server in
            try await withTemporaryFolder { folder in try await body(hub, server, folder) }
        }
    }
}

/// The owner of the model "plants", who signs.
struct Owner: Sendable {
    let key = SigningKey()

    /// The public part, as an app has it.
    var trusted: TrustedKey { get throws { try TrustedKey(Base64URL.text(key.publicKey)) } }

    static let now = Int64(Date().timeIntervalSince1970)

    /// A manifest of a file that ends in a month.
    func manifest(_ file: Data, serial: Int64 = 1) -> ModelManifest {
        ModelManifest(
            project: "my-plants",
            projectNumber: 100_000_000_001,
            name: "plants",
            alias: .production,
            version: 1,
            byteCount: file.count,
            hash: sha256(file),
            labels: nil,
            confidenceThreshold: nil,
            serial: serial,
            issued: Self.now,
            expires: Self.now + 30 * 24 * 3600,
            key: key.id
        )
    }

    /// A signed manifest of a file.
    func signed(_ file: Data, serial: Int64 = 1, _ change: (inout ModelManifest) -> Void = { _ in }) throws -> Data {
        var manifest = manifest(file, serial: serial)
        change(&manifest)
        return try key.sign(manifest).data
    }

    /// Any text, signed as a manifest is.
    func signed(text: String) throws -> Data {
        let lines = key.pem.split(separator: "\n").dropFirst().dropLast()
        let file = try #require(Data(base64Encoded: lines.joined()))
        let seed = try Curve25519.Signing.PrivateKey(rawRepresentation: file.suffix(32))
        let body = Data(text.utf8)
        return SignedManifest(body: body, signature: try seed.signature(for: body)).data
    }

    /// A manager that trusts this owner, and others.
    func manager(
        _ server: ScriptedServer,
        _ folder: URL,
        trusting others: [Owner] = [],
        project: String = "my-plants",
        ahead: TimeInterval = 0
    ) throws -> ModelManager {
        try ModelManager.testing(server.address, folder: folder) { configuration in
            configuration.trustedKeys = try ([self] + others).map { try $0.trusted }
            configuration.projectID = project
            configuration.clockOffset = ahead
        }
    }
}

/// The reason why a download is not trusted.
func problem(of body: () async throws -> DownloadedModel) async throws -> ManifestProblem {
    let error = try await failure(of: body)
    guard case .untrusted(_, let problem) = error else { throw error }
    return problem
}
