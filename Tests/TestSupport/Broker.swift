import Foundation
import Testing

/// A mosquitto on loopback for one test, with its files in a temporary folder. It ends with the process of the tests, however that
/// ends, because a shell waits for the end of a pipe that only this process can write.
public actor Broker {
    /// The program of the broker; nil if mosquitto and its clients are not installed.
    private static let program: String? = {
        let found = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        return FileManager.default.isExecutableFile(atPath: subscriber) ? found : nil
    }()

    private static let subscriber = "/usr/bin/mosquitto_sub"
    private static let publisher = "/usr/bin/mosquitto_pub"

    /// Whether tests with a broker can run.
    public static let isInstalled = program != nil
    /// The reason to skip tests.
    public static let missing: Comment = "mosquitto is not installed; run Scripts/install-packages --tests"

    /// The port that the broker listens to.
    public nonisolated let port: UInt16
    private let folder: URL
    private var running: (shell: RunningProgram, number: pid_t)?

    /// Calls `body` with a broker, and ends the broker afterwards.
    ///
    /// - Parameters:
    ///   - settings: lines of its configuration.
    ///   - isStarted: whether the broker runs at first.
    public static func with(
        _ settings: [String] = ["allow_anonymous true"],
        isStarted: Bool = true,
        _ body: (Broker) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let broker = try Broker(settings, in: folder)
            if isStarted { try await broker.start() }
            let result: Result<Void, any Error>
            do { result = .success(try await body(broker)) } catch { result = .failure(error) }
            try await broker.kill()
            try result.get()
        }
    }

    private init(_ settings: [String], in folder: URL) throws {
        let (listener, port) = try Loopback.listener()
        close(listener)
        self.port = port
        self.folder = folder
        // It would become another user, who cannot read the folder.
        let lines = ["user root", "listener \(port) 127.0.0.1", "log_dest none"] + settings
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: folder.appending(path: "broker.conf"))
    }

    /// Starts the broker, and waits until it accepts connections.
    public func start() async throws {
        let program = try #require(Self.program, Self.missing)
        let script = "\"$1\" -c \"$2\" & echo $!; read -r line; kill -9 $! 2>/dev/null; wait"
        let configuration = folder.appending(path: "broker.conf").path
        let shell = try await Program(URL(filePath: "/bin/sh")).start(["-c", script, "sh", program, configuration])
        try await shell.waitForOutput { $0.contains("\n") }
        let number = try #require(pid_t(shell.output.trimmingCharacters(in: .whitespacesAndNewlines)))
        running = (shell, number)
        try await Self.waitForConnections(port)
    }

    private static func waitForConnections(_ port: UInt16) async throws {
        try await wait(while: {
            guard let connection = try? Loopback.connection(port: port, timeout: .seconds(1)) else { return true }
            close(connection)
            return false
        })
    }

    /// Kills the broker at once.
    public func kill() async throws {
        guard let running else { return }
        self.running = nil
        Foundation.kill(running.number, SIGKILL)
        await running.shell.closeInput()
        _ = try await running.shell.result()
    }

    /// Starts a subscriber, which prints `RETAINED TOPIC PAYLOAD` for each message, and waits until it is subscribed.
    ///
    /// - Parameters:
    ///   - topic: the topic, which may have wildcards.
    ///   - options: further options of mosquitto_sub.
    public func subscribe(_ topic: String, _ options: [String] = []) async throws -> RunningProgram {
        let place = ["-h", "127.0.0.1", "-p", "\(port)"]
        let mark = "ready/\(UUID().uuidString)"
        let published = try await Program(URL(filePath: Self.publisher))
            .run(place + options + ["-q", "1", "-r", "-t", mark, "-m", "yes"])
        guard published.status == 0 else { throw ProgramError.failed(published.errors) }
        let words = place + options + ["-q", "1", "-F", "%r %t %p", "-t", topic, "-t", mark]
        let subscriber = try await Program(URL(filePath: Self.subscriber)).start(words)
        try await subscriber.waitForOutput { $0.contains("1 \(mark) yes\n") }
        return subscriber
    }
}

extension RunningProgram {
    /// The payloads that a subscriber of a ``Broker`` has printed for a topic.
    public func payloads(_ topic: String) -> [String] {
        output.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            return words.count == 3 && words[1] == topic ? String(words[2]) : nil
        }
    }
}
