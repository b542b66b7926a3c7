/// Work on a stream of items by several workers, with results in the order of the items.
///
/// Only a few items and results are in memory. A slow item delays the results behind it; when four results per worker wait, the
/// workers pause.
package enum OrderedWork {
    private enum Event<Item: Sendable, Output: Sendable, Failure: Error>: Sendable {
        case item(Item?)
        case output(Int, Output)
        case failure(Failure)
    }

    /// Runs `work` on each item until `next` returns nil.
    ///
    /// A result is delivered as soon as the earlier results are, without waiting for the next item. With one worker, `next` is called only
    /// after the previous result was delivered.
    ///
    /// - Parameters:
    ///   - workers: the largest number of items that are processed at the same time, at least one.
    ///   - next: returns the item with a number, counted from 0. There is at most one call at a time.
    ///   - work: turns an item into a result.
    ///   - deliver: receives the results in order, one at a time.
    /// - Throws: the first error that `work` throws, after the other work was cancelled and has ended.
    package static func run<Item: Sendable, Output: Sendable, Failure: Error>(
        workers: Int,
        next: @escaping @Sendable (_ number: Int) async -> Item?,
        work: @escaping @Sendable (Item) async throws(Failure) -> Output,
        deliver: (Output) -> Void
    ) async throws(Failure) {
        let workers = max(workers, 1)
        let failure = await withTaskGroup(of: Event<Item, Output, Failure>.self) { group -> Failure? in
            var (started, finished, delivered) = (0, 0, 0)
            var (isReading, isAtEnd) = (false, false)
            var waiting: [Int: Output] = [:]
            while true {
                if !isReading, !isAtEnd, started - finished < workers, started - delivered < workers * 4 {
                    isReading = true
                    group.addTask { [started] in .item(await next(started)) }
                }
                switch await group.next() {
                case nil:
                    return nil
                case .failure(let failure):
                    group.cancelAll()
                    return failure
                case .item(nil):
                    isAtEnd = true
                    isReading = false
                case .item(let item?):
                    isReading = false
                    let number = started
                    started += 1
                    group.addTask {
                        do throws(Failure) {
                            return .output(number, try await work(item))
                        } catch {
                            return .failure(error)
                        }
                    }
                case .output(let number, let output):
                    finished += 1
                    waiting[number] = output
                    while let ready = waiting.removeValue(forKey: delivered) {
                        delivered += 1
                        deliver(ready)
                    }
                }
            }
        }
        if let failure { throw failure }
    }
}

extension Array where Element: Sendable {
    /// Transforms the elements with at most `limit` of them under way at once; results keep the order.
    ///
    /// - Throws: the first error that `transform` throws, after cancelling the rest.
    package func concurrentMap<Value: Sendable>(
        limit: Int,
        _ transform: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        try await OrderedWork.run(workers: limit, next: { $0 < self.count ? self[$0] : nil }, work: transform) {
            values.append($0)
        }
        return values
    }
}
