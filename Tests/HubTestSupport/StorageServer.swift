import Foundation
import ModelHubServer
import SightlineTestSupport
import Testing

/// A server of S3-compatible storage on loopback, which all tests of a run share. It ends with this process.
public enum StorageServer: String, CaseIterable, Sendable {
    /// It does not check signatures.
    case moto
    /// It checks signatures, and ignores conditions of requests.
    case nanio

    /// Whether the server is installed here.
    public var isInstalled: Bool { Self.installed.contains(self) }

    /// Asked before the tests begin, where nothing can be awaited.
    private static let installed = Set(
        allCases.filter { system("'\(tools)' serve storage --check \($0.rawValue) 2>/dev/null") == 0 }
    )

    private static let tools = TestData.package.appending(path: "Scripts/tools").path
    /// The servers that are installed here.
    public static let available = allCases.filter { installed.contains($0) }

    /// Why a test that needs a server was skipped.
    public static let reason: Testing.Comment =
        "needs the storage servers moto and nanio: run Scripts/install-packages --tests"

    /// The key pair of all places.
    package static let credentials = S3Credentials(accessKey: "test-key", secretKey: "test-secret")

    /// The credentials and the region for a program.
    public static let environment = [
        "AWS_ACCESS_KEY_ID": credentials.accessKey, "AWS_SECRET_ACCESS_KEY": credentials.secretKey.text,
        "AWS_REGION": "us-east-1",
    ]

    /// A new place on the server, which starts with the first of them.
    package func location() async throws -> S3Location { try S3Location(try await address(), environment: [:]) }

    /// The address of a new place, as on a command line.
    public func address() async throws -> String {
        "s3://hub/test-\(UUID().uuidString)?endpoint=http://127.0.0.1:\(try await port())"
    }

    /// The port of the server.
    public func port() async throws -> Int { try await Self.servers.port(of: self) }

    private static let servers = Servers()

    private actor Servers {
        /// The servers, which end with this process, and their ports.
        private var running: [StorageServer: Task<(program: RunningProgram, port: Int), any Error>] = [:]

        func port(of server: StorageServer) async throws -> Int {
            if let started = running[server] { return try await started.value.port }
            let start = Task {
                let program = try await Program(URL(filePath: "/usr/bin/env"), environment: StorageServer.environment)
                    .start([StorageServer.tools, "serve", "storage", server.rawValue])
                try await program.waitForOutput { $0.hasSuffix("\n") }
                return (program: program, port: try #require(Int(program.output.dropLast())))
            }
            running[server] = start
            return try await start.value.port
        }
    }
}
