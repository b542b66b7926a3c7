import Foundation
import ModelHubProtocol

/// A change of the values on the hub.
public struct ConfigUpdate: Sendable, Hashable {
    /// The parameters whose fetched values differ from the active ones.
    public var updatedKeys: Set<String>

    /// Creates a change of some parameters.
    public init(updatedKeys: Set<String>) { self.updatedKeys = updatedKeys }
}

extension RemoteConfig {
    /// Listens for new templates, and fetches their values as soon as they are published.
    ///
    /// ```swift
    /// for try await update in config.updates() where update.updatedKeys.contains("plant_model") {
    ///     try await config.activate()
    /// }
    /// ```
    ///
    /// Each call holds a connection to the hub while its stream is in use. A lost connection is made again, after a
    /// pause that grows with the number of failures since the hub last sent anything, from about a second to five
    /// minutes.
    ///
    /// - Returns: A stream that ends only with an error: ``RemoteConfigError`` if the hub refuses the app permanently.
    public nonisolated func updates() -> AsyncThrowingStream<ConfigUpdate, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: ConfigUpdate.self)
        let task = Task {
            do {
                try await listen { continuation.yield($0) }
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// The longest pause between connections, even if the hub asks for a longer one.
    private static let longestWait = Duration.seconds(300)

    /// Fetches new templates until the task is canceled.
    private func listen(_ report: (ConfigUpdate) -> Void) async throws {
        var known = knownVersion
        var attempts = Attempts(RetryPolicy(tries: .max, base: firstWait, maximum: Self.longestWait))
        while true {
            var end: HubFailure
            do throws(HubFailure) {
                let pause = try await client.waitForTemplates(after: known) {
                    attempts.renew()
                } _: { version throws(HubFailure) in
                    guard version > known else { return }
                    if let update = try await fetchUpdate() { report(update) }
                    known = version
                }
                end = .refused(status: 503, message: nil, retryAfter: pause)
            } catch {
                end = error
            }
            do throws(HubFailure) {
                try await attempts.pause(after: end)
            } catch {
                throw RemoteConfigError(error, place: client.place)
            }
        }
    }

    /// Fetches the values of a new template; nil if they are the same for this installation.
    private func fetchUpdate() async throws(HubFailure) -> ConfigUpdate? {
        // All apps get the notice of a template at the same time, and should not fetch it at the same time.
        try? await Task.sleep(for: .seconds(.random(in: 0...1)))
        do throws(RemoteConfigError) {
            // A fetch under way may have begun before the template was published.
            guard try await fetchAnew() == .updated else { return nil }
        } catch {
            guard case .throttled(let end) = error else { throw .unreachable(reason: "\(error)") }
            let wait = Duration.seconds(max(0, end.timeIntervalSinceNow))
            throw .refused(status: 503, message: "\(error)", retryAfter: wait)
        }
        let keys = changedKeys
        return keys.isEmpty ? nil : ConfigUpdate(updatedKeys: keys)
    }
}
