import ModelHubProtocol
import SightlineTestSupport
import Testing

/// Calls that several callers share.
@Suite(.hangLimit)
struct SharedCallTests {
    private actor Caller {
        private let call = SharedCall<String, Int, Never>()
        private(set) var begun = 0
        private let gate: AsyncStream<Void>

        init(gate: AsyncStream<Void>) { self.gate = gate }

        private func work() async -> Int {
            begun += 1
            let number = begun
            if number == 1 { for await _ in gate { break } }
            return number
        }

        func result() async -> Int { await call.result(for: "a") { await self.work() } }
        func newResult() async -> Int { await call.newResult(for: "a") { await self.work() } }
    }

    @Test func onlyANewResultComesFromACallThatBeganLater() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let caller = Caller(gate: gate)
        let first = Task { await caller.result() }
        try await wait(while: { await caller.begun == 0 })
        let joined = Task { await caller.result() }
        let later = (0..<5).map { _ in Task { await caller.newResult() } }
        for _ in 0..<1000 { await Task.yield() }
        opening.yield()
        #expect(await first.value == 1)
        #expect(await joined.value == 1)
        for task in later {
            let result = await task.value
            #expect(result > 1)
        }
        let begun = await caller.begun
        #expect(await caller.newResult() == begun + 1)
    }

    @Test func callsWithOtherKeysDoNotWaitForEachOther() async throws {
        let calls = SharedCall<Int, Int, Never>()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let slow = Task {
            await calls.result(for: 1) {
                for await _ in gate { break }
                return 1
            }
        }
        try await wait(while: { !calls.isUnderWay(1) })
        #expect(await calls.result(for: 2) { 2 } == 2)
        #expect(calls.isUnderWay(1) && !calls.isUnderWay(2))
        opening.yield()
        #expect(await slow.value == 1)
        #expect(!calls.isUnderWay(1))
    }
}
