import Foundation
import HTTPServing
import NIOCore
import SightlineTestSupport
import Synchronization
import Testing

/// Look-ups of names, with a resolver of the tests' own.
@Suite(.hangLimit)
struct NameLookUpsTests {
    /// A resolver that answers names with "slow" only after the test has ended.
    private final class Resolver: Sendable {
        private struct State {
            var hasEnded = false
            var asked: [String] = []
        }
        private let state = Mutex(State())

        var asked: [String] { state.withLock { $0.asked } }
        func end() { state.withLock { $0.hasEnded = true } }

        func addresses(of host: String) -> [NetworkAddress] {
            state.withLock { $0.asked.append(host) }
            while host.contains("slow"), !state.withLock({ $0.hasEnded }) { usleep(2000) }
            guard !host.contains("unknown"), let address = try? SocketAddress(ipAddress: "192.0.2.1", port: 0) else {
                return []
            }
            return NetworkAddress(address).map { [$0] } ?? []
        }
    }

    private func with(
        threads: Int = 4,
        share: Int = 2,
        limit: Duration = .milliseconds(100),
        _ body: (NameLookUps, Resolver) async throws -> Void
    ) async throws {
        let resolver = Resolver()
        defer { resolver.end() }
        try await body(
            NameLookUps(threads: threads, share: share, limit: limit) { resolver.addresses(of: $0) },
            resolver
        )
    }

    /// The answer to a look-up that has a place. On a busy machine even that may take longer than its caller waits.
    private func answer(of lookUps: NameLookUps, to host: String, for owner: String?) async throws -> [NetworkAddress] {
        while true {
            do { return try await lookUps.addresses(of: host, for: owner) } catch is NameLookUps.Failure { continue }
        }
    }

    @Test func slowNamesOfAnOwnerHoldUpNoOther() async throws {
        try await with { lookUps, resolver in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        await #expect(throws: NameLookUps.Failure.self) {
                            try await lookUps.addresses(of: "slow-\(number)", for: "a")
                        }
                    }
                }
            }
            // The look-ups continue, and keep the owner's share, but no more than that.
            #expect(resolver.asked.count == 2)
            await #expect(throws: NameLookUps.Failure.busy) { try await lookUps.addresses(of: "fast", for: "a") }
            let found = try await answer(of: lookUps, to: "fast", for: "b")
            #expect(found.map(\.text) == ["192.0.2.1"])
        }
    }

    @Test func ownersOfSlowNamesHoldUpNoLookUpOfTheServerItself() async throws {
        try await with { lookUps, _ in
            for owner in ["a", "b", "c"] {
                for name in ["slow-1", "slow-2"] {
                    _ = try? await lookUps.addresses(of: name, for: owner)
                }
            }
            await #expect(throws: NameLookUps.Failure.busy) { try await lookUps.addresses(of: "fast", for: "d") }
            let found = try await answer(of: lookUps, to: "fast", for: nil)
            #expect(found.count == 1)
        }
    }

    @Test func callersOfANameWaitTogether() async throws {
        try await with { lookUps, resolver in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        await #expect(throws: NameLookUps.Failure.late) {
                            try await lookUps.addresses(of: "slow", for: "a")
                        }
                    }
                }
            }
            #expect(resolver.asked == ["slow"])
        }
    }

    @Test func aNameThatIsUnknownAfterALongTimeIsNotAskedForAgainSoon() async throws {
        try await with(limit: .seconds(30)) { lookUps, resolver in
            Task {
                try? await Task.sleep(for: .milliseconds(300))
                resolver.end()
            }
            for _ in 0..<3 {
                let found = try await lookUps.addresses(of: "slow-unknown", for: "a")
                #expect(found.isEmpty)
            }
            #expect(resolver.asked == ["slow-unknown"])
        }
    }

    @Test func anAddressNeedsNoLookUp() async throws {
        try await with { lookUps, resolver in
            for text in ["127.0.0.1", "::1"] {
                let found = try await lookUps.addresses(of: text, for: "a")
                #expect(found.map(\.text) == [text])
            }
            #expect(resolver.asked.isEmpty)
        }
    }

    @Test func aCallerThatIsCanceledLeavesAtOnce() async throws {
        try await with(limit: .seconds(600)) { lookUps, resolver in
            let caller = Task { try await lookUps.addresses(of: "slow", for: "a") }
            try await wait { resolver.asked.isEmpty }
            caller.cancel()
            await #expect(throws: (any Error).self) { try await caller.value }
        }
    }
}
