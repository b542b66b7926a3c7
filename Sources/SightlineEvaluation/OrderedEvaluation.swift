import Sightline

/// The reason why a picture was skipped, in one sentence.
package struct SkipReason: Error, Sendable, CustomStringConvertible {
    package let description: String
}

/// Processes the pictures of an evaluation with several workers; the results come in the order of the pictures, so that equal
/// runs have equal reports.
package enum OrderedEvaluation {
    /// At most a number of the pictures, at equal distances.
    static func sample<Item>(of items: [Item], atMost maximum: Int) -> [Item] {
        let count = min(items.count, maximum)
        return (0..<count).map { items[$0 * items.count / count] }
    }

    /// Processes each picture. Memory holds only a few pictures and results at a time.
    ///
    /// An error of a picture (`ImageError`, `SliceError`, `EvaluationError`) is a result; every other error ends the run.
    ///
    /// - Parameters:
    ///   - items: The pictures.
    ///   - workers: The number of pictures that are processed at the same time, at least 1.
    ///   - work: Computes the result of a picture.
    ///   - deliver: Receives the results in order, one at a time.
    /// - Throws: `CancellationError`, or an error of `work` that is not the fault of a picture.
    package static func run<Item: Sendable, Output: Sendable>(
        _ items: [Item],
        workers: Int,
        work: @escaping @Sendable (Item) async throws -> Output,
        deliver: (Item, Result<Output, SkipReason>) -> Void
    ) async throws {
        try await OrderedWork.run(workers: workers, next: { items.indices.contains($0) ? items[$0] : nil }) {
            item throws -> (Item, Result<Output, SkipReason>) in
            try Task.checkCancellation()
            do {
                return (item, .success(try await work(item)))
            } catch let error as ImageError {
                return (item, .failure(SkipReason(description: "\(error)")))
            } catch let error as SliceError {
                return (item, .failure(SkipReason(description: "\(error)")))
            } catch let error as EvaluationError {
                return (item, .failure(SkipReason(description: "\(error)")))
            }
        } deliver: {
            deliver($0.0, $0.1)
        }
    }
}
