import Foundation
import SightlineTestSupport
import Testing

/// A PostgreSQL server for the tests of this process: it listens on loopback, and keeps its files in a temporary folder.
///
/// The shared server starts with the first test that needs it. It stops when the process ends, however it ends, because a
/// shell waits for the end of a pipe that only this process can write.
public struct PostgresServer: Sendable {
    /// The folder of the installed server's programs; nil if it is not installed.
    public static let programs: URL? = {
        let versions = URL(filePath: "/usr/lib/postgresql")
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: versions.path)) ?? []
        let newest = folders.compactMap { Int($0) }.max()
        return newest.map { versions.appending(path: "\($0)/bin") }
            .flatMap { FileManager.default.isExecutableFile(atPath: $0.appending(path: "initdb").path) ? $0 : nil }
    }()

    /// The reason to skip tests.
    public static let missing: Comment = "PostgreSQL is not installed; run Scripts/install-packages --tests"

    /// The server of this process.
    public static var shared: PostgresServer {
        get async throws { try await starting.value }
    }

    private static let starting = Task { try await start() }

    /// Calls `body` with a server of its own that demands a password, and has a certificate for 127.0.0.1 and localhost, and
    /// stops the server afterwards.
    public static func withServer(
        password: String,
        certificate: TestCertificate,
        _ body: (PostgresServer) async throws -> Void
    ) async throws {
        let server = try await start(password: password, files: [certificate.certificate, certificate.key])
        let result: Result<Void, any Error>
        do { result = .success(try await body(server)) } catch { result = .failure(error) }
        // The shell stops the server and removes its folder. Killed, it would leave both behind.
        await server.program.closeInput()
        _ = try await server.program.result()
        try result.get()
    }

    /// The shell, whose input ends with this process.
    private let program: RunningProgram
    private let client: Program
    /// The port that it listens to.
    public let port: UInt16
    /// Each hub has several connections, and each connection is a process of the server.
    private let turnstile = Turnstile(24)

    /// The address of a database.
    public func address(_ database: String) -> String { "postgres://hub@127.0.0.1:\(port)/\(database)" }

    /// Calls `body` with the name of a new, empty database, and removes the database afterwards.
    public func withDatabase<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        try await turnstile.pass {
            let result: Result<Value, any Error>
            let name = try await createDatabase()
            do { result = .success(try await body(name)) } catch { result = .failure(error) }
            try await execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
            return try result.get()
        }
    }

    /// Creates an empty database, which goes with the server; returns its name.
    public func createDatabase() async throws -> String {
        let name = "test_\(UUID().uuidString.replacing("-", with: "").lowercased())"
        try await execute("CREATE DATABASE \(name)")
        return name
    }

    /// Executes a statement of the server's administrator.
    public func execute(_ sql: String, in database: String = "postgres") async throws {
        let words = ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--command", sql, address(database)]
        let program = try await client.start(words)
        await program.closeInput()
        let result = try await program.result()
        guard result.status == 0 else { throw ProgramError.failed(result.errors) }
    }

    private static func start(password: String = "", files: [String] = []) async throws -> PostgresServer {
        let programs = try #require(programs, missing)
        let (listener, port) = try Loopback.listener()
        close(listener)
        let folder = FileManager.default.temporaryDirectory.appending(path: "sightline-pg-\(UUID().uuidString)")
        let program = try await Program(URL(filePath: "/bin/sh"))
            .start(["-c", script, "sh", programs.path, folder.path, "\(port)", password] + files)
        try await program.waitForOutput { $0 == "ready\n" }
        let client = Program(programs.appending(path: "psql"), environment: ["PGPASSWORD": password])
        return PostgresServer(program: program, client: client, port: port)
    }

    /// Starts a server, as another user than root, which PostgreSQL refuses. Waits for the end of its input, stops the
    /// server, and removes its folder.
    private static let script = """
        trap '' INT TERM HUP
        programs=$1 folder=$2 port=$3 password=$4 certificate=$5 key=$6
        mkdir -m 700 "$folder" || exit
        as=
        if [ "$(id -u)" = 0 ]; then
            chown nobody "$folder"
            as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
        fi
        cd "$folder"
        method=trust tls=
        printf %s "$password" > password
        if [ -n "$password" ]; then method="scram-sha-256 --pwfile=password"; fi
        if [ -n "$key" ]; then
            cp "$certificate" certificate.pem && cp "$key" key.pem && chmod 600 key.pem
            if [ -n "$as" ]; then chown nobody certificate.pem key.pem; fi
            tls="-c ssl=on -c ssl_cert_file=$folder/certificate.pem -c ssl_key_file=$folder/key.pem"
        fi
        # What a power failure would lose is of no use here.
        options="-F -c synchronous_commit=off -c full_page_writes=off -c max_connections=500 -k $folder -h 127.0.0.1 -p $port $tls"
        if $as "$programs/initdb" -D data -U hub -A $method -E UTF8 --locale=C.UTF-8 --no-sync > log 2>&1 &&
            $as "$programs/pg_ctl" start -w -s -D data -l server.log -o "$options" >> log 2>&1 < /dev/null
        then
            echo ready
            cat > /dev/null
            $as "$programs/pg_ctl" stop -s -m immediate -D data > /dev/null 2>&1
        else
            tail -c 1000 log server.log
        fi
        cd / && rm -rf "$folder"
        """
}
