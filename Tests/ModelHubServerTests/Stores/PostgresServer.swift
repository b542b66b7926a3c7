import Foundation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// A PostgreSQL server for the tests of this process: it listens on loopback, and keeps its files in a temporary folder.
///
/// The server starts with the first test that needs it. It stops when the process ends, however it ends, because a shell
/// waits for the end of a pipe that only this process can write.
struct PostgresServer: Sendable {
    /// The folder of the installed server's programs; nil if it is not installed.
    static let programs: URL? = {
        let versions = URL(filePath: "/usr/lib/postgresql")
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: versions.path)) ?? []
        let newest = folders.compactMap { Int($0) }.max()
        return newest.map { versions.appending(path: "\($0)/bin") }
            .flatMap { FileManager.default.isExecutableFile(atPath: $0.appending(path: "initdb").path) ? $0 : nil }
    }()

    /// The reason to skip tests.
    static let missing: Comment = "PostgreSQL is not installed; run Scripts/install-packages --tests"

    /// The server of this process.
    static var shared: PostgresServer {
        get async throws { try await starting.value }
    }

    private static let starting = Task { try await start() }

    /// The shell, whose input ends with this process.
    private let program: RunningProgram
    private let port: UInt16
    private let places = Places()

    /// The address of a database.
    func address(_ database: String) throws -> PostgresAddress {
        try PostgresAddress("postgres://hub@127.0.0.1:\(port)/\(database)")
    }

    /// Calls `body` with the name of a new database with the hub's tables, and removes the database afterwards.
    func withDatabase<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        // Each hub has several connections, and each connection is a process of the server.
        await places.take()
        let name = "test_\(UUID().uuidString.replacing("-", with: "").lowercased())"
        let result: Result<Value, any Error>
        do {
            try await execute("CREATE DATABASE \(name) TEMPLATE hub_template")
            result = .success(try await body(name))
        } catch {
            result = .failure(error)
        }
        try await execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        await places.give()
        return try result.get()
    }

    /// Executes a statement of the server's administrator.
    func execute(_ sql: String, in database: String = "postgres") async throws {
        let connection = PostgresConnection(try address(database))
        _ = try await connection.run(in: nil) { db in try db.run(sql, [:], isReused: false) }
        await connection.close()
    }

    /// A few places for tests that use the server at the same time.
    private actor Places {
        private var count = 24
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func take() async {
            if count > 0 { count -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
        }

        func give() {
            if waiting.isEmpty { count += 1 } else { waiting.removeFirst().resume() }
        }
    }

    private static func start() async throws -> PostgresServer {
        let programs = try #require(programs, missing)
        let (listener, port) = try Loopback.listener()
        close(listener)
        let folder = FileManager.default.temporaryDirectory.appending(path: "sightline-pg-\(UUID().uuidString)")
        let program = try await Program(URL(filePath: "/bin/sh"))
            .start(["-c", script, "sh", programs.path, folder.path, "\(port)"])
        try await program.waitForOutput { $0 == "ready\n" }
        let server = PostgresServer(program: program, port: port)
        try await server.execute("CREATE DATABASE hub_template")
        let template = try await PostgresDatabase(try server.address("hub_template"))
        try await template.close()
        return server
    }

    /// Starts a server, as another user than root, which PostgreSQL refuses. Waits for the end of its input, stops the
    /// server, and removes its folder.
    private static let script = """
        trap '' INT TERM HUP
        programs=$1 folder=$2 port=$3
        mkdir -m 700 "$folder" || exit
        as=
        if [ "$(id -u)" = 0 ]; then
            chown nobody "$folder"
            as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
        fi
        cd "$folder"
        # What a power failure would lose is of no use here.
        options="-F -c synchronous_commit=off -c full_page_writes=off -c max_connections=500 -k $folder -h 127.0.0.1 -p $port"
        if $as "$programs/initdb" -D data -U hub -A trust -E UTF8 --locale=C.UTF-8 --no-sync > log 2>&1 &&
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
