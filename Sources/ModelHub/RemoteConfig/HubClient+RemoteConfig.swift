import AsyncHTTPClient
import Foundation

extension HubClient {
    /// A response with its entity tag.
    struct Reply: Sendable {
        var status: Int
        var etag: String?
        var body: Data
    }

    /// The maximum size of a response.
    private static let maximumReply = 4 << 20

    /// Posts JSON with the credentials of the app and of this installation. Registers the installation if the hub
    /// requires it.
    ///
    /// - Parameters:
    ///   - registers: Whether to register the installation even if the hub does not require it.
    func post(
        _ path: String,
        _ json: Data,
        etag: String? = nil,
        registers: Bool = false
    ) async throws(Failure) -> Reply {
        var request = request(path)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        if let etag { request.headers.add(name: "if-none-match", value: etag) }
        request.body = .bytes(json)
        var token = installation.token
        if token == nil, registers { token = try await register(app: configuration.appID ?? "", model: "") }
        if let token { request.headers.add(name: Self.installationHeader, value: token) }
        var response = try await send(request, timeout: Self.infoTimeout, model: "")
        if response.status == .unauthorized {
            let token = try await register(app: configuration.appID ?? "", model: "")
            request.headers.replaceOrAdd(name: Self.installationHeader, value: token)
            response = try await send(request, timeout: Self.infoTimeout, model: "")
        }
        let body = try await collect(response, model: "", upTo: Self.maximumReply)
        guard response.status.code == 200 else { throw failure(response, body: body, model: "") }
        return Reply(status: 200, etag: response.headers.first(name: "etag"), body: body)
    }
}
