import Crypto
import Foundation
import HTTPServing
import HTTPTypes
import HubTestSupport
import Hummingbird
import HummingbirdTesting
import Logging
import Sightline
import SightlineTestSupport
import Synchronization
import Testing

@testable import ModelHubServer

/// A hub in a folder of its own with two projects, and what is needed to speak to it.
struct TestHub: Sendable {
    private(set) var hub: Hub
    let folder: URL
    let clock: TestClock
    /// A token of an owner.
    let admin: String
    let publisher: String
    let reader: String
    let apiKey: String
    /// An owner of another project.
    let stranger: String
    private let openDatabase: TestDatabase.Opening

    static let project = "my-plants"

    /// Where the files of hubs lie: in their folders, or in storage on loopback if `SIGHTLINE_TEST_BLOBS` is `s3`.
    static let files = TestPlace.ofHubs.usesS3 ? FileBackend.moto : .folder

    /// A hub has some ten files open.
    private static let turnstile = Turnstile(32)

    /// Calls `body` with a hub that examines, evaluates and tries models in processes, as hubs outside tests do.
    ///
    /// - Parameter evaluator: the program that evaluates and tries models; nil if none does.
    static func withWorkers(
        evaluator: URL? = HubProgram.executable,
        _ body: (TestHub) async throws -> Void
    ) async throws {
        var options = Hub.Options()
        options.evaluator = evaluator
        let validator = ProcessModelValidator(executable: HubProgram.executable, arguments: ["validate-model"])
        try await with(options: options, validator: validator, body)
    }

    /// Calls `body` with a hub that validates only the identifier of files.
    static func with(
        options: Hub.Options = Hub.Options(),
        validator: any ModelValidator = IdentifierValidator(),
        database: TestDatabase = .ofHubs,
        opening openFiles: (URL) async throws -> HubFiles = { try await TestHub.files.files(in: $0) },
        blobs makeBlobs: ((URL) throws -> any BlobStore)? = nil,
        _ body: (TestHub) async throws -> Void
    ) async throws {
        try await turnstile.pass {
            try await withTemporaryFolder { folder in
                let clock = TestClock()
                var files = try await openFiles(folder)
                if let makeBlobs {
                    files = HubFiles(
                        blobs: try makeBlobs(folder.appending(path: "blobs")),
                        evaluationFiles: files.evaluationFiles,
                        pieces: files.pieces,
                        uploads: files.uploads
                    )
                }
                try await database.with(in: folder) { [files] database, openDatabase in
                    let hub = try await Hub(
                        records: HubRecords(database),
                        files: files,
                        validator: validator,
                        options: options,
                        now: { clock.now }
                    )
                    let project = try await hub.createProject(project, quota: nil, requiresInstallation: false)
                    let other = try await hub.createProject("other-project", quota: nil, requiresInstallation: false)
                    func secret(_ kind: Credential.Kind, _ role: Role, _ project: Project) async throws -> String {
                        let issued = try await hub.issue(kind, role: role, name: "test", for: project, address: "")
                        return try #require(issued.secret)
                    }
                    try await body(
                        TestHub(
                            hub: hub,
                            folder: folder,
                            clock: clock,
                            admin: try await secret(.token, .owner, project),
                            publisher: try await secret(.token, .publisher, project),
                            reader: try await secret(.token, .viewer, project),
                            apiKey: try await secret(.apiKey, .viewer, project),
                            stranger: try await secret(.token, .owner, other),
                            openDatabase: openDatabase
                        )
                    )
                }
            }
        }
    }

    /// Calls `body` with another hub with the same records and files, as in another process.
    ///
    /// - Parameter files: The other hub's own way to the files; nil for that of this hub.
    func withAnotherHub(_ files: HubFiles? = nil, _ body: (TestHub) async throws -> Void) async throws {
        let database = try await openDatabase()
        var other = self
        let clock = clock
        other.hub = try await Hub(
            records: HubRecords(database),
            files: files
                ?? HubFiles(
                    blobs: hub.blobs,
                    evaluationFiles: hub.evaluationFiles,
                    pieces: hub.pieces,
                    uploads: hub.uploads
                ),
            validator: hub.validator,
            options: hub.options,
            now: { clock.now }
        )
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(other))
        } catch {
            result = .failure(error)
        }
        // A SQLite database is closed when nothing else uses it.
        if database.isShared { try await database.close() }
        try result.get()
    }

    /// Makes a service account and gives what its key file says.
    func keyFile(role: Role = .editor, address: String = "") async throws -> [String: String] {
        let issued = try await hub.issue(
            .serviceAccount,
            role: role,
            name: "sdk",
            for: try await hub.testProject(),
            address: address
        )
        return try JSONDecoder().decode([String: String].self, from: Data(try #require(issued.keyFile).utf8))
    }

    /// The folder of incomplete uploads.
    var uploads: URL { folder.appending(path: "uploads") }

    /// All that the hub's records contain, as in a backup.
    func records() async throws -> Data {
        let file = folder.appending(path: "records-\(UUID().uuidString)")
        try await hub.records.backUp(to: file)
        return try Data(contentsOf: file)
    }

    /// The hashes of the stored files.
    func storedFiles() async throws -> [String] { try await hub.blobs.contents().map(\.hash.text) }

    /// Serves the hub on loopback meanwhile.
    func serve(
        _ options: HTTPService.Options = .patient,
        logger: Logger = HubServer.makeLogger(level: .critical),
        _ body: @escaping @Sendable (TestClient) async throws -> Void
    ) async throws {
        let server = HubServer(hub, options: options, logger: logger)
        let admin = admin
        try await server.makeApplication().test(.live) { client in
            try await body(TestClient(client: client, token: admin))
        }
    }
}

extension Hub {
    /// A project as the hub has it now.
    func testProject(_ id: String = TestHub.project) async throws -> Project {
        try #require(try await projects().first { $0.id == id })
    }
}

/// Time that stands still until a test sets it forward.
final class TestClock: Sendable {
    private let time: Mutex<Timestamp>
    init(_ time: Timestamp = .now) { self.time = Mutex(time) }
    var now: Timestamp { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}

/// Takes what begins as a model for one.
struct IdentifierValidator: ModelValidator {
    func validation(of file: BlobFile, for project: String) async -> ModelValidation {
        let data = (try? Data(contentsOf: URL(filePath: file.path))) ?? Data()
        return data.dropFirst(4).starts(with: Data("TFL3".utf8)) || ModelFormat.isONNX(data)
            ? .valid(inspection: #"{"task":"labeling"}"#) : .notAModel
    }

    func problem() async -> String? { nil }
}

/// The answer.
struct TestReply {
    let status: Int
    let headers: HTTPFields
    let body: Data

    func json() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
    }

    /// A value at a path such as `response.state.published`.
    func value(_ path: String) -> Any? {
        var value: Any? = try? JSONSerialization.jsonObject(with: body)
        for part in path.split(separator: ".") { value = (value as? [String: Any])?[String(part)] }
        return value
    }

    func text(_ path: String) -> String? { value(path) as? String }
}

/// Speaks to a served hub.
struct TestClient: Sendable {
    let client: any TestClientProtocol
    var token: String?

    static let models = "/v1beta2/projects/\(TestHub.project)/models"

    func send(
        _ method: HTTPRequest.Method,
        _ target: String,
        headers: HTTPFields = HTTPFields(),
        body: Data? = nil,
        token: String?? = nil
    ) async throws -> TestReply {
        var headers = headers
        if let token = token ?? self.token { headers[.authorization] = "Bearer \(token)" }
        let buffer = body.map { ByteBuffer(bytes: $0) }
        return try await client.execute(uri: target, method: method, headers: headers, body: buffer) { reply in
            TestReply(status: reply.status.code, headers: reply.headers, body: Data(reply.body.readableBytesView))
        }
    }

    func send(_ method: HTTPRequest.Method, _ target: String, json: Any, token: String?? = nil) async throws
        -> TestReply
    {
        let body = try JSONSerialization.data(withJSONObject: json)
        return try await send(method, target, headers: [.contentType: "application/json"], body: body, token: token)
    }

    /// Uploads a file and gives its address.
    func upload(_ data: Data, as name: String = "model.tflite") async throws -> String {
        let target = "/upload/storage/v1/b/my-plants.appspot.com/o?uploadType=media&name=\(name)"
        let reply = try await send(.post, target, body: data)
        #expect(reply.status == 200)
        return "gs://my-plants.appspot.com/\(name)"
    }

    /// Creates a model, with a file if one is given, and gives the operation.
    func create(_ name: String, file: Data? = nil, tags: [String]? = nil) async throws -> TestReply {
        var body: [String: Any] = ["displayName": name]
        if let tags { body["tags"] = tags }
        if let file { body["tfliteModel"] = ["gcsTfliteUri": try await upload(file, as: "\(name).tflite")] }
        return try await send(.post, Self.models, json: body)
    }

    /// Creates a model and publishes it; gives its id.
    func publish(_ name: String, file: Data) async throws -> String {
        let id = try #require(try await create(name, file: file).id)
        let reply = try await setPublished(true, id)
        #expect(reply.value("response.state.published") as? Bool == true)
        return id
    }

    func setPublished(_ isPublished: Bool, _ id: String) async throws -> TestReply {
        try await send(
            .patch,
            "\(Self.models)/\(id)?updateMask=state.published",
            json: ["state": ["published": isPublished]]
        )
    }
}

extension TestReply {
    /// The id of the model that an operation made.
    var id: String? { text("response.name")?.split(separator: "/").last.map(String.init) }
}

/// Files that ``IdentifierValidator`` takes for models, each number another one.
func fakeModel(_ number: Int = 1, byteCount: Int = 64) -> Data {
    Data([0x1c, 0, 0, 0]) + Data("TFL3".utf8) + Data("\(number)".utf8) + Data(repeating: 7, count: byteCount)
}

func sha256(_ data: Data) -> String { hexadecimal(SHA256.hash(data: data)) }

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

/// Base64 with the alphabet for addresses, without padding (RFC 4648, section 5).
func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

/// A value of a form or an address.
func percentEncoded(_ text: String) -> String {
    let plain = CharacterSet(charactersIn: "0"..."9").union(.init(charactersIn: "A"..."Z")).union(
        .init(charactersIn: "a"..."z")
    )
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
}

/// Path and query of an address.
func requestTarget(_ address: String?) throws -> String {
    let url = try #require(address.flatMap { URL(string: $0) })
    return url.path(percentEncoded: true) + "?" + (url.query(percentEncoded: true) ?? "")
}
