import ArgumentParser
import CommandLineSupport
import Crypto
import CryptoExtras
import Foundation
import ModelHub
import ModelHubProtocol
import ModelHubServer
import NIOCore
import NIOHTTP1
import TextFormatting

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Copy the models of a Firebase project.",
        discussion: """
            Get the key file of a service account from the Firebase console. Names, tags and the published state are kept; ids and \
            times are new. A model that the hub already has with the same file is skipped, so you can run the command again.

            Example:
              sightline hub import --firebase my-plants-firebase-adminsdk.json

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Option(help: "The key file of a service account of the Firebase project.", completion: .file())
    var firebase: String
    @Option(help: ArgumentHelp("The address of the list of models.", visibility: .hidden))
    var modelEndpoint = "https://firebaseml.googleapis.com"
    @Option(help: ArgumentHelp("The address of the models' files.", visibility: .hidden))
    var storageEndpoint = "https://storage.googleapis.com"

    func run() async throws {
        let problems = try await reporting {
            let target = try await location.connect()
            let source = try await FirebaseProject(
                keyFile: URL(filePath: firebase),
                modelEndpoint: modelEndpoint,
                storageEndpoint: storageEndpoint
            )
            var problems = 0
            for model in try await source.models() {
                do {
                    StandardOutput.writeLine("\(model.displayName): \(try await copy(model, from: source, to: target))")
                } catch let error as CommandError {
                    problems += 1
                    StandardOutput.writeLine("\(model.displayName): not copied; \(error)")
                }
            }
            return problems
        }
        if problems > 0 { throw ExitStatus.failure.code }
    }

    private func copy(_ model: ModelResource, from source: FirebaseProject, to target: HubConnection) async throws
        -> String
    {
        guard let uri = model.tfliteModel?.gcsTfliteUri, model.state?.validationError == nil else {
            return "skipped, it has no valid file"
        }
        let known = try await target.model(named: model.displayName)
        if let known, let hash = known.modelHash, hash == model.modelHash { return "here already" }
        let package = ModelPackage(
            data: try await source.file(uri),
            fileName: uri.split(separator: "/").last.map(String.init) ?? "model.tflite"
        )
        var copied = try await target.upload(package, as: model.displayName, tags: model.tags ?? [], replacing: known)
        if let error = copied.state?.validationError { throw CommandError(error.message) }
        if model.state?.published == true, copied.state?.published != true {
            copied = try await target.setPublished(true, copied)
        }
        let warning = copied.state?.warning.map { "; the hub cannot run it: \($0)" } ?? ""
        return
            "copied, \(NumberText.bytes(package.data.count))\(copied.state?.published == true ? ", published" : "")\(warning)"
    }
}

/// A project of Firebase, or of another hub, which has the same API.
struct FirebaseProject {
    private struct KeyFile: Decodable {
        enum CodingKeys: String, CodingKey {
            case project = "project_id"
            case keyID = "private_key_id"
            case key = "private_key"
            case email = "client_email"
            case tokenAddress = "token_uri"
        }

        var project: String
        var keyID: String
        var key: String
        var email: String
        var tokenAddress: String
    }

    private struct Token: Decodable {
        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
        }

        var accessToken: String
    }

    /// The body of a refused sign-in (RFC 6749, 5.2).
    private struct TokenRefusal: Decodable {
        enum CodingKeys: String, CodingKey {
            case error
            case description = "error_description"
        }

        var error: String
        var description: String?
    }

    private let project: String
    private let token: String
    private let modelEndpoint: String
    private let storageEndpoint: String
    private static let maximumModelSize = 2 << 30

    /// Signs in with a key file.
    init(keyFile: URL, modelEndpoint: String, storageEndpoint: String) async throws {
        guard let data = try? Data(contentsOf: keyFile), let file = try? JSONDecoder().decode(KeyFile.self, from: data)
        else {
            throw CommandError(
                "\(keyFile.path) is not a key file of a service account; get a key file from the Firebase console."
            )
        }
        let assertion = try Self.assertion(file)
        let reply = try await Self.send(
            .post,
            file.tokenAddress,
            headers: ["content-type": "application/x-www-form-urlencoded"],
            body: Data("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8),
            limit: 1 << 20
        )
        guard let token = try? JSONDecoder().decode(Token.self, from: reply) else {
            throw CommandError("\(file.tokenAddress) returned no token; check that the service account still exists.")
        }
        self.token = token.accessToken
        project = file.project
        self.modelEndpoint = modelEndpoint
        self.storageEndpoint = storageEndpoint
    }

    private struct Claims: Encodable {
        var iss, scope, aud: String
        var iat, exp: Int
    }

    /// A JSON Web Token signed with the key (RFC 7523).
    private static func assertion(_ file: KeyFile) throws -> String {
        let time = Int(Date().timeIntervalSince1970)
        let claims = Claims(
            iss: file.email,
            scope: "https://www.googleapis.com/auth/cloud-platform",
            aud: file.tokenAddress,
            iat: time,
            exp: time + 3600
        )
        let header = try JSONEncoder().encode(["alg": "RS256", "typ": "JWT", "kid": file.keyID])
        let text = try [header, JSONEncoder().encode(claims)].map { Base64URL.text($0) }.joined(separator: ".")
        do {
            let key = try _RSA.Signing.PrivateKey(pemRepresentation: file.key)
            let signature = try key.signature(for: Data(text.utf8), padding: .insecurePKCS1v1_5)
            return "\(text).\(Base64URL.text(signature.rawRepresentation))"
        } catch {
            throw CommandError("The private key of the key file cannot be used; get a new key file.")
        }
    }

    /// Fetches all models.
    func models() async throws -> [ModelResource] {
        var models: [ModelResource] = []
        var tokens = PageTokens()
        while true {
            let address =
                "\(modelEndpoint)/v1beta2/projects/\(project)/models?pageSize=100&pageToken=\(HubConnection.encoded(tokens.token))"
            let data = try await get(address, limit: 64 << 20)
            let page = try HubConnection.decoded(ModelPage.self, from: data)
            models += page.models ?? []
            guard try tokens.advance(behind: data, to: page.nextPageToken) else { return models }
        }
    }

    /// Downloads the bytes at a `gs://` address.
    func file(_ uri: String) async throws -> Data {
        let path = uri.dropFirst("gs://".count)
        guard uri.hasPrefix("gs://"), let slash = path.firstIndex(of: "/") else {
            throw CommandError("Its file's address \(uri) cannot be read.")
        }
        let object = HubConnection.encoded(String(path[path.index(after: slash)...]))
        return try await get(
            "\(storageEndpoint)/storage/v1/b/\(HubConnection.encoded(String(path[..<slash])))/o/\(object)?alt=media",
            limit: Self.maximumModelSize
        )
    }

    private func get(_ address: String, limit: Int) async throws -> Data {
        try await Self.send(.get, address, token: token, limit: limit)
    }

    /// Sends a request as the hub's clients do, through the proxy of the environment.
    private static func send(
        _ method: HubMethod,
        _ address: String,
        token: String? = nil,
        headers: HeaderFields = [:],
        body: Data? = nil,
        limit: Int
    ) async throws -> Data {
        guard let url = URL(string: address) else {
            throw CommandError("\"\(address)\" is not a valid address; correct it.")
        }
        let credentials = token.map { HubTransport.Credentials.token($0) } ?? .anonymous
        let transport = HubTransport(hub: url, credentials: credentials, trusting: nil, idleTimeout: .seconds(1800))
        let reply: HubTransport.Reply
        do throws(HubFailure) {
            reply = try await transport.send(method, "", headers: headers, body: body, upTo: limit)
        } catch {
            throw CommandError("\(address) cannot be reached (\(error)); check the network.")
        }
        guard reply.status == 200 else { throw refusal(of: address, status: reply.status, body: reply.body) }
        return reply.body
    }

    /// The failure of a request, with the server's own reason.
    private static func refusal(of address: String, status: Int, body: Data) -> CommandError {
        let reason =
            ErrorBody.message(in: body)
            ?? (try? JSONDecoder().decode(TokenRefusal.self, from: body)).map { $0.description ?? $0.error }
        let advice =
            switch status {
            case 400, 401:
                "check the clock of this machine, and that the service account and its key still exist in the Firebase console"
            case 403: "give the service account access to Firebase ML and Cloud Storage in the Google Cloud console"
            case 404: "check the project and the file in the Firebase console"
            default: "run the command again later"
            }
        let quoted = reason.map { ": \"\($0)\"" } ?? ""
        return CommandError("\(address) responded with status \(status)\(quoted); \(advice).")
    }
}
