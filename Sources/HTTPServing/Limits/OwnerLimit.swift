import Synchronization

/// Limits the operations of an owner that hold memory or disk space, whether they run, wait or still receive their data.
package final class OwnerLimit: Sendable {
    private let maximum: Int
    private let refusal: any Error
    private let counts = Mutex<[String: Int]>([:])

    /// - Parameters:
    ///   - maximum: The maximum number of simultaneous operations of an owner.
    ///   - refusal: The error for further operations.
    package init(_ maximum: Int, refusal: any Error) {
        self.maximum = maximum
        self.refusal = refusal
    }

    /// Runs an operation.
    ///
    /// - Throws: The refusal if the owner has too many operations, and the errors of `body`.
    package func run<Value: Sendable>(as owner: String, _ body: () async throws -> Value) async throws -> Value {
        let isAdmitted = counts.withLock { counts in
            guard counts[owner, default: 0] < maximum else { return false }
            counts[owner, default: 0] += 1
            return true
        }
        guard isAdmitted else { throw refusal }
        defer {
            counts.withLock { counts in
                let rest = counts[owner, default: 1] - 1
                counts[owner] = rest > 0 ? rest : nil
            }
        }
        return try await body()
    }
}
