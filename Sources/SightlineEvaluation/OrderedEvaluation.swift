import Sightline

/// Why a picture was skipped, in one sentence.
struct SkipReason: Error, Sendable, CustomStringConvertible {
    let description: String
}

/// Work on many pictures by several workers, with results in the pictures' order, so that equal runs give equal reports.
enum OrderedEvaluation {
    private enum Outcome<Output: Sendable>: Sendable {
        case done(Int, Result<Output, SkipReason>)
    }

    /// Works on each picture; a few of them and of their results are in memory at a time.
    ///
    /// What a picture is to blame for (`ImageError`, `EvaluationError`) is a result; all else ends the run.
    ///
    /// - Parameters:
    ///   - items: the pictures.
    ///   - workers: how many are worked on at once, at least one.
    ///   - work: makes a result of a picture.
    ///   - deliver: takes the results in order, one at a time.
    /// - Throws: `CancellationError`, or what `work` throws and is no picture's fault.
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
                // A slow picture holds up the results behind it, so there must not be too many of them.
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
