import Sightline

/// The reason why a picture was skipped, in one sentence.
struct SkipReason: Error, Sendable, CustomStringConvertible {
    let description: String
}

/// Processes many pictures with several workers and delivers the results in the order of the pictures, so that equal
/// runs have equal reports.
enum OrderedEvaluation {
    private enum Outcome<Output: Sendable>: Sendable {
        case done(Int, Result<Output, SkipReason>)
    }

    /// Processes each picture. Memory holds only a few pictures and results at a time.
    ///
    /// An error of a picture (`ImageError`, `EvaluationError`) is a result; every other error ends the run.
    ///
    /// - Parameters:
    ///   - items: The pictures.
    ///   - workers: The number of pictures that are processed at the same time, at least 1.
    ///   - work: Computes the result of a picture.
    ///   - deliver: Receives the results in order, one at a time.
    /// - Throws: `CancellationError`, or an error of `work` that is not the fault of a picture.
    static func run<Item: Sendable, Output: Sendable>(
        _ items: [Item],
        workers: Int,
        work: @escaping @Sendable (Item) async throws -> Output,
        deliver: (Item, Result<Output, SkipReason>) -> Void
    ) async throws {
        let workers = max(workers, 1)
        try await withThrowingTaskGroup(of: Outcome<Output>.self) { group in
            var (started, finished, delivered) = (0, 0, 0)
            var waiting: [Int: Result<Output, SkipReason>] = [:]
            while delivered < items.count {
                // Results behind a slow picture have to wait, so their number must be limited.
                while started < items.count, started - finished < workers, started - delivered < workers * 4 {
                    let (number, item) = (started, items[started])
                    started += 1
                    group.addTask {
                        try Task.checkCancellation()
                        do {
                            return .done(number, .success(try await work(item)))
                        } catch let error as ImageError {
                            return .done(number, .failure(SkipReason(description: "\(error)")))
                        } catch let error as EvaluationError {
                            return .done(number, .failure(SkipReason(description: "\(error)")))
                        }
                    }
                }
                guard case .done(let number, let result)? = try await group.next() else { return }
                finished += 1
                waiting[number] = result
                while let ready = waiting.removeValue(forKey: delivered) {
                    deliver(items[delivered], ready)
                    delivered += 1
                }
            }
        }
    }
}
