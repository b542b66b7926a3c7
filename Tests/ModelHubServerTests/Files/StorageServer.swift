import Foundation
import SightlineTestSupport
import Synchronization
import Testing

@testable import ModelHubServer

/// A server of S3-compatible storage on loopback, which all tests of a run share. It ends with this process.
enum StorageServer: String, CaseIterable {
    /// It does not check signatures.
    case moto
    /// It checks signatures, and ignores conditions of requests.
    case nanio

    /// Whether the server is installed here.
    var isInstalled: Bool { Self.installed.contains(self) }

    private static let installed: Set<Self> = Set(
        allCases.filter { server in
            let check = server.process("--check")
            check.standardError = FileHandle.nullDevice
            guard (try? check.run()) != nil else { return false }
            check.waitUntilExit()
            return check.terminationStatus == 0
        }
    )

    /// The servers that are installed here.
    static let available = allCases.filter { installed.contains($0) }

    /// Why a test that needs a server was skipped.
    static let reason: Testing.Comment =
        "needs the storage servers moto and nanio: run Scripts/install-packages --tests"

    static let credentials = S3Credentials(accessKey: "test-key", secretKey: "test-secret")

    /// The credentials and the region for a program.
    static let environment = [
        "AWS_ACCESS_KEY_ID": credentials.accessKey, "AWS_SECRET_ACCESS_KEY": credentials.secretKey,
        "AWS_REGION": "us-east-1",
    ]

    /// A new place on the server, which starts with the first of them.
    func location() async throws -> S3Location { try S3Location(try await address(), environment: [:]) }

    /// The address of a new place, as on a command line.
    func address() async throws -> String {
        "s3://hub/test-\(UUID().uuidString)?endpoint=http://127.0.0.1:\(try await port())"
    }

    /// The port of the server.
    func port() async throws -> Int { try await Self.servers.port(of: self) }

    /// A client for a new place. Its patience is that of tests which do not look at it.
    func client() async throws -> S3Client { S3Client(try await location(), Self.credentials, patience: .ofTests) }

    private static let servers = Servers()

    private actor Servers {
        private var ports: [StorageServer: Task<Int, any Error>] = [:]
        /// The servers end when these pipes are closed.
        private var inputs: [Pipe] = []

        func port(of server: StorageServer) async throws -> Int {
            if let port = ports[server] { return try await port.value }
            let (input, output) = (Pipe(), Pipe())
            inputs.append(input)
            let port = Task {
                let process = server.process()
                process.standardInput = input
                process.standardOutput = output
                process.standardError = FileHandle.nullDevice
                try process.run()
                // A thread of its own waits for the line, since the threads of tests must not.
                let line = await withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        continuation.resume(returning: output.fileHandleForReading.availableData)
                    }
                }
                let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                return try #require(Int(text))
            }
            ports[server] = port
            return try await port.value
        }
    }

    private func process(_ arguments: String...) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["python3", TestData.package.appending(path: "Scripts/serve-test-storage").path] + arguments + [rawValue]
        process.environment = ProcessInfo.processInfo.environment.merging(Self.environment) { $1 }
        return process
    }
}

extension S3Client.Patience {
    /// So long that a busy machine causes no failure.
    static var ofTests: Self {
        var patience = Self()
        (patience.silence, patience.attempt, patience.total) = (.seconds(120), .seconds(120), .seconds(240))
        return patience
    }
}
