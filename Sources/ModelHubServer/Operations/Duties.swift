/// Tasks that do not stop each other: all of them run, and the failures are kept.
struct Duties: Sendable {
    /// The failure of a task.
    struct Failure: Sendable {
        /// The task, such as `sign models of my-plants`.
        var duty: String
        var error: any Error
    }

    /// The failures of tasks.
    struct Failures: Error, CustomStringConvertible {
        var list: [Failure]

        var description: String { list.map { "\($0.duty): \($0.error)" }.joined(separator: "; ") }
    }

    private(set) var failures: [Failure] = []

    /// Performs a task.
    ///
    /// - Throws: `CancellationError` alone.
    mutating func perform(_ duty: String, _ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let error as CancellationError {
            throw error
        } catch let error as Failures {
            failures += error.list.map { Failure(duty: "\(duty): \($0.duty)", error: $0.error) }
        } catch {
            failures.append(Failure(duty: duty, error: error))
        }
    }

    /// Ends the tasks.
    ///
    /// - Throws: ``Failures`` unless all succeeded.
    func finish() throws {
        guard failures.isEmpty else { throw Failures(list: failures) }
    }
}
