import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// A PostgreSQL server that demands a password, over a connection that both sides trust.
@Suite(.hangLimit, .enabled(if: PostgresServer.programs != nil, PostgresServer.missing))
struct PostgresSecurityTests {
    /// libpq takes neither as it is written, and a shell or a log would change it.
    private static let password = "pa ss/w@rd:'\"\\%?#ü"

    private func withServer(_ body: (PostgresServer, _ certificate: String, URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let files = try TestCertificate(in: folder)
            try await PostgresServer.withServer(password: Self.password, certificate: files) { server in
                try await body(server, files.certificate, folder)
            }
        }
    }

    private func address(
        _ server: PostgresServer,
        password: String = password,
        host: String = "localhost",
        _ parameters: String
    ) throws -> PostgresAddress {
        let text = "postgres://hub:\(percentEncoded(password))@\(host):\(server.port)/postgres?\(parameters)"
        return try PostgresAddress(text)
    }

    /// The failure to connect, which states the address but no password.
    private func failure(of address: PostgresAddress, password: String = password) async throws -> String {
        let error = await #expect(throws: HubError.self) { _ = try await PostgresDatabase(address) }
        let message = try #require(error?.message)
        #expect(error?.code == .unavailable)
        #expect(message.contains("\(address)"))
        for secret in [password, percentEncoded(password)] { #expect(!message.contains(secret), "\(message)") }
        return message
    }

    @Test func aConnectionIsEncryptedAndItsServerIsChecked() async throws {
        try await withServer { server, certificate, _ in
            let checks = "sslmode=verify-full&sslrootcert=\(certificate)"
            let database = try await PostgresDatabase(try address(server, checks))
            let isEncrypted = try await database.read { db in
                try db.value(Bool.self, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
            }
            #expect(isEncrypted == true)
            try await database.close()
            let stranger = try address(server, host: "db.example.org", "hostaddr=127.0.0.1&\(checks)")
            #expect(try await failure(of: stranger).contains("does not match host name"))
            let untrusted = try address(server, "sslmode=verify-full&sslrootcert=/nowhere.pem")
            #expect(try await failure(of: untrusted).contains("root certificate file"))
        }
    }

    @Test func aWrongPasswordIsNamedNowhere() async throws {
        try await withServer { server, certificate, _ in
            let wrong = "another p@ss"
            let denied = try address(server, password: wrong, "sslmode=verify-full&sslrootcert=\(certificate)")
            #expect(try await failure(of: denied, password: wrong).contains("password authentication failed"))
            let misspelled = try address(server, "sslmode=certainly")
            #expect(try await failure(of: misspelled).contains("sslmode"))
        }
    }

    @Test func aHubGetsItsPasswordFromTheEnvironmentAndShowsItNowhere() async throws {
        try await withServer { server, certificate, folder in
            let checks = "sslmode=verify-full&sslrootcert=\(certificate)"
            let address = "postgres://hub@127.0.0.1:\(server.port)/postgres?\(checks)"
            let environment = ["SIGHTLINE_HUB_DATABASE": address, "PGPASSWORD": Self.password]
            let data = folder.appending(path: "hub")
            let made = try await HubProgram.run(
                ["project", "create", "my-plants", "--data", data.path],
                environment: environment
            )
            #expect(made.status == 0, "\(made.errors)")
            let serving = try await HubProgram.Server(data: data, environment: environment)
            defer { serving.kill() }
            let line = try Data(contentsOf: URL(filePath: "/proc/\(serving.process.processIdentifier)/cmdline"))
            let wrong = try await HubProgram.run(
                ["project", "list", "--data", data.path],
                environment: environment.merging(["PGPASSWORD": "wrong p@ss"]) { $1 }
            )
            #expect(wrong.status == 2 && wrong.errors.contains("password authentication failed"))
            #expect(!wrong.errors.contains("wrong p@ss"))
            #expect(try await serving.stop() == 0)
            for text in [String(decoding: line, as: UTF8.self), serving.log, made.output, made.errors] {
                #expect(!text.contains(Self.password))
            }
        }
    }
}
