import Foundation
import ModelHub
import ModelHubApp
import SightlineTestSupport
import Synchronization
import Testing

/// The hub of the test process, which one test configures at a time.
public enum DefaultApp {
    /// Calls `body` while a hub serves and the process is configured for its project. Models are kept in a folder that is gone
    /// afterwards.
    public static func withHub(_ body: @escaping @Sendable (ClientHub) async throws -> Void) async throws {
        try await ClientHub.with { hub in
            try await withTemporaryFolder { folder in
                try await with(options(of: hub, folder: folder)) { try await body(hub) }
            }
        }
    }

    /// Calls `body` while the process is configured with options, or without a hub if they are nil.
    public static func with(_ options: HubAppOptions?, _ body: () async throws -> Void) async throws {
        await turns.wait()
        defer {
            HubApp.forget()
            turns.next()
        }
        if let options { HubApp.configure(options: options) }
        try await body()
    }

    /// Options for the project of a hub, with hardly a pause between tries.
    public static func options(of hub: ClientHub, folder: URL) -> HubAppOptions {
        options(hub: hub.address, key: hub.key, folder: folder)
    }

    /// Options for a server by its address.
    public static func options(hub: String, key: String = "key", folder: URL) -> HubAppOptions {
        var options = HubAppOptions()
        options.googleAppID = "1:2:ios:3"
        options.apiKey = key
        options.projectID = "my-plants"
        options.bundleID = "org.example.plants"
        options.modelHub = URL(string: hub)
        options.modelFolder = folder
        options.retry = RetryPolicy(tries: 2, base: .milliseconds(1), maximum: .milliseconds(2))
        return options
    }

    private static let turns = Turns()
}

/// One after the other, in the order in which they come.
private final class Turns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func wait() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if !state.isTaken {
                    state.isTaken = true
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func next() {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        continuation?.resume()
    }
}
