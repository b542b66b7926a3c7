import AsyncHTTPClient
import Foundation
import Synchronization

/// The identity of this installation of the app: a permanent id, and a token that lives as long as its manager.
final class Installation: Sendable {
    let id: InstallationID
    private let content = Mutex<String?>(nil)

    init(folder: URL) { id = InstallationID(folder: folder) }

    var token: String? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}

/// Registration as in Firebase's SDKs, for projects that require it.
extension HubClient {
    static let installationHeader = "x-goog-firebase-installations-auth"

    private struct Registration: Encodable {
        var fid: String
        var appId: String
        var authVersion = "FIS_v2"
        var sdkVersion = "i:12.0.0"
    }

    private struct Registered: Decodable {
        struct Token: Decodable {
            var token: String
        }

        var authToken: Token
    }

    /// Registers the app, stores the token, and returns it.
    func register(app: String, model: String) async throws(Failure) -> String {
        var request = request("/v1/projects/\(project)/installations/")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        let id: String
        do throws(DownloadError) { id = try installation.id.text() } catch { throw .lasting(error) }
        request.body = (try? JSONEncoder().encode(Registration(fid: id, appId: app))).map { .bytes($0) }
        let response = try await send(request, timeout: Self.infoTimeout, model: model)
        let body = try await collect(response, model: model)
        guard (200..<300).contains(response.status.code) else {
            throw failure(response, body: body, model: model)
        }
        guard let registered = try? JSONDecoder().decode(Registered.self, from: body) else {
            throw .lasting(.internalError(model: model, reason: "the hub did not register the app"))
        }
        installation.token = registered.authToken.token
        return registered.authToken.token
    }
}
