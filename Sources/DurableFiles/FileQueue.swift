import Dispatch

/// Operations on files that run in the order of the calls, one at a time, on threads that may wait.
package struct FileQueue: Sendable {
    private let queue = DispatchQueue(label: "sightline.files.in-order")

    /// Creates a queue without operations.
    package init() {}

    /// Runs an operation after all earlier ones.
    package func run<Value: Sendable, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(Failure) {
                    continuation.resume(returning: .success(try operation()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
