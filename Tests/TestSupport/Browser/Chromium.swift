import Foundation
import Synchronization
import Testing

/// A headless Chromium, spoken to over its debugging pipe (Chrome DevTools Protocol: JSON texts, each ended by a zero byte, to
/// its file descriptor 3 and from its 4).
package final class Chromium: Sendable {
    /// Where Debian and Ubuntu put it.
    package static let executable: String? = {
        let candidates = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        return candidates.first { access($0, X_OK) == 0 }
    }()
    package static let isAvailable = executable != nil
    package static let reason: Testing.Comment = "needs Chromium: install the Debian package chromium"

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private struct State {
        var nextID = 1
        var waiting: [Int: CheckedContinuation<JSONValue, any Error>] = [:]
        var events: [String: [JSONValue]] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let process: pid_t
    private let input: Int32
    private let profile: URL

    package init() throws {
        guard let executable = Self.executable else { throw Failure(description: "there is no Chromium") }
        profile = FileManager.default.temporaryDirectory.appending(path: "sightline-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
        var (toBrowser, fromBrowser): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard pipe(&toBrowser) == 0, pipe(&fromBrowser) == 0 else { throw Failure(description: "no pipe") }
        for descriptor in toBrowser + fromBrowser { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        // Away from 3 and 4, which the new process gets.
        let (read, write) = (fcntl(toBrowser[0], F_DUPFD_CLOEXEC, 20), fcntl(fromBrowser[1], F_DUPFD_CLOEXEC, 20))
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        let used = [read, write, null, toBrowser[0], fromBrowser[1]]
        defer { for descriptor in used { Foundation.close(descriptor) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for target: Int32 in 0...2 { posix_spawn_file_actions_adddup2(&actions, null, target) }
        posix_spawn_file_actions_adddup2(&actions, read, 3)
        posix_spawn_file_actions_adddup2(&actions, write, 4)
        let arguments = [
            executable, "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--user-data-dir=\(profile.path)",
            "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
            "--password-store=basic", "about:blank",
        ]
        var texts: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        let copies = texts + variables
        defer { for text in copies { free(text) } }
        var identifier: pid_t = 0
        let status = posix_spawn(&identifier, executable, &actions, nil, &texts, &variables)
        guard status == 0 else { throw Failure(description: "Chromium cannot be started: \(status)") }
        (process, input) = (identifier, toBrowser[1])
        let output = fromBrowser[0]
        Thread.detachNewThread { self.receive(output) }
    }

    /// Ends it and removes what it wrote.
    package func close() async {
        _ = try? await call("Browser.close")
        await withCheckedContinuation { continuation in
            let (process, input, profile) = (process, input, profile)
            Thread.detachNewThread {
                var status: Int32 = 0
                for _ in 0..<250 where waitpid(process, &status, WNOHANG) == 0 { usleep(20_000) }
                kill(process, SIGKILL)
                waitpid(process, &status, 0)
                Foundation.close(input)
                // Its helpers may still be writing.
                for _ in 0..<50 where (try? FileManager.default.removeItem(at: profile)) == nil { usleep(20_000) }
                continuation.resume()
            }
        }
    }

    /// Calls a method of the protocol.
    package func call(_ method: String, _ parameters: [String: JSONValue] = [:], session: String? = nil) async throws
        -> JSONValue
    {
        try await withCheckedThrowingContinuation { continuation in
            let text: Data? = state.withLock { state in
                guard !state.isClosed else { return nil }
                let id = state.nextID
                state.nextID += 1
                state.waiting[id] = continuation
                var message: [String: JSONValue] = [
                    "id": .number(Double(id)), "method": .string(method), "params": .object(parameters),
                ]
                if let session { message["sessionId"] = .string(session) }
                return (try? JSONEncoder().encode(JSONValue.object(message))).map { $0 + [0] }
            }
            guard let text else { return continuation.resume(throwing: Failure(description: "Chromium has ended")) }
            text.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = write(input, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                    guard count > 0 else { return }
                    rest = rest.dropFirst(count)
                }
            }
        }
    }

    /// The events of a session since the last call, oldest first.
    package func takeEvents(of session: String) -> [JSONValue] {
        state.withLock { state in
            defer { state.events[session] = [] }
            return state.events[session] ?? []
        }
    }

    private func receive(_ output: Int32) {
        var waiting = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            waiting.append(contentsOf: buffer[..<count])
            while let end = waiting.firstIndex(of: 0) {
                if let message = try? JSONDecoder().decode(JSONValue.self, from: waiting[..<end]) { take(message) }
                waiting = Data(waiting[(end + 1)...])
            }
        }
        Foundation.close(output)
        let left = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in left { continuation.resume(throwing: Failure(description: "Chromium has ended")) }
    }

    private func take(_ message: JSONValue) {
        guard let id = message["id"]?.number else {
            guard let session = message["sessionId"]?.string else { return }
            state.withLock { $0.events[session, default: []].append(message) }
            return
        }
        let continuation = state.withLock { $0.waiting.removeValue(forKey: Int(id)) }
        if let error = message["error"] {
            continuation?.resume(throwing: Failure(description: "\(error)"))
        } else {
            continuation?.resume(returning: message["result"] ?? .null)
        }
    }
}

/// A value of JSON.
package enum JSONValue: Sendable, Hashable, Codable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value):
            if let whole = Int(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    package subscript(_ key: String) -> JSONValue? {
        if case .object(let fields) = self { return fields[key] }
        return nil
    }

    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var number: Double? { if case .number(let value) = self { value } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var array: [JSONValue] { if case .array(let value) = self { value } else { [] } }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .number(Double(value)) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}

/// Gives a suite one browser, which ends with the suite.
package struct WithChromium: SuiteTrait, TestScoping {
    @TaskLocal package static var browser: Chromium?

    package init() {}

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard Chromium.isAvailable else { return try await function() }
        let browser = try Chromium()
        do {
            try await Self.$browser.withValue(browser) { try await function() }
        } catch {
            await browser.close()
            throw error
        }
        await browser.close()
    }
}
