import Foundation
import ModelHub
import ModelHubProtocol

/// The sign-in of a command at a hub, which a person permits in a browser (RFC 8628).
struct DeviceSignIn {
    private let transport: HubTransport

    private struct Granted: Decodable {
        enum CodingKeys: String, CodingKey { case token = "access_token" }
        var token: String
    }

    private struct Refused: Decodable {
        enum CodingKeys: String, CodingKey {
            case error
            case description = "error_description"
        }

        var error: String
        var description: String
    }

    private static let replyLimit = 1 << 20

    init(hub address: String, trusting roots: URL?) {
        // The command checked the address.
        let url = URL(string: address) ?? URL(filePath: "/")
        transport = HubTransport(hub: url, credentials: .anonymous, trusting: roots, idleTimeout: .seconds(30))
    }

    /// Begins the sign-in.
    func begin() async throws -> DeviceAuthorization {
        let reply = try await send("/device_authorization", [:])
        return try HubConnection.decoded(
            DeviceAuthorization.self,
            from: try HubConnection.checked(reply.body, status: reply.status)
        )
    }

    /// Waits until the person has allowed the command.
    ///
    /// - Returns: The token.
    func token(after begun: DeviceAuthorization) async throws -> String {
        let end = ContinuousClock.now.advanced(by: .seconds(begun.lifetime))
        var interval = Duration.seconds(begun.interval ?? 5)
        while true {
            try await Task.sleep(for: interval)
            let form = ["grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": begun.deviceCode]
            let reply = try await send("/token", form)
            if reply.status == 200 { return try HubConnection.decoded(Granted.self, from: reply.body).token }
            let refused = try? JSONDecoder().decode(Refused.self, from: reply.body)
            switch refused?.error {
            case "authorization_pending" where ContinuousClock.now < end: continue
            case "slow_down" where ContinuousClock.now < end: interval += .seconds(5)
            case nil where reply.status >= 500 && ContinuousClock.now < end: interval = min(interval * 2, .seconds(60))
            default:
                let reason = refused?.description ?? ErrorBody.message(in: reply.body)
                throw CommandError(reason ?? "The hub answered with the status \(reply.status); sign in again.")
            }
        }
    }

    /// Ends a session.
    func revoke(_ token: String) async throws {
        let reply = try await send("/revoke", ["token": token])
        _ = try HubConnection.checked(reply.body, status: reply.status)
    }

    private func send(_ path: String, _ form: [String: String]) async throws -> HubTransport.Reply {
        var parts = URLComponents()
        parts.queryItems = form.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
        // Codes and tokens are base64url with dots, so no character needs another form than in a query.
        let body = Data((parts.percentEncodedQuery ?? "").utf8)
        do throws(HubFailure) {
            return try await transport.send(
                .post,
                path,
                headers: ["content-type": "application/x-www-form-urlencoded"],
                body: body,
                upTo: Self.replyLimit
            )
        } catch {
            throw CommandError(error, of: transport.base)
        }
    }
}
