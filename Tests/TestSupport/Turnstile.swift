/// Lets a few tasks pass at a time; the others wait in the order in which they came.
///
/// Swift Testing starts all tests at once. A turnstile stands before something of which a machine cannot have hundreds.
public actor Turnstile {
    /// The programs that run at a time.
    static let programs = Turnstile(4)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates a turnstile.
    ///
    /// - Parameter count: The number of tasks that may be behind it. A task that is behind it must not pass it again.
    public init(_ count: Int) { free = count }

    /// Waits for its turn, and calls `body`.
    public nonisolated(nonsending) func pass<Value>(_ body: () async throws -> Value) async throws -> Value {
        await enter()
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await leave()
        return try result.get()
    }

    private func enter() async {
        guard free == 0 else { return free -= 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        free += 1
    }
}
