/// Work on a stream of items by several workers, with results in the order of the items.
///
/// Only a few items and results are in memory. A slow item delays the results behind it; when four results per worker wait, the workers
/// pause.
enum OrderedWork {
    private enum Event<Item: Sendable, Output: Sendable>: Sendable {
        case item(Item?)
        case output(Int, Output)
    }

    /// Runs `work` on each item until `next` returns nil.
    ///
    /// A result is delivered as soon as the earlier results are, without waiting for the next item. With one worker, `next` is called only
    /// after the previous result was delivered.
    ///
    /// - Parameters:
    ///   - workers: the largest number of items that are processed at the same time, at least one.
    ///   - next: returns the next item. There is at most one call at a time.
    ///   - work: turns an item into a result.
    ///   - deliver: receives the results in order, one at a time.
    static func run<Item: Sendable, Output: Sendable>(
        workers: Int,
        next: @escaping @Sendable () async -> Item?,
        work: @escaping @Sendable (Item) async -> Output,
        deliver: (Output) -> Void
    ) async {
        await withTaskGroup(of: Event<Item, Output>.self) { group in
            var (started, finished, delivered) = (0, 0, 0)
            var (isReading, isAtEnd) = (false, false)
            var waiting: [Int: Output] = [:]
            while true {
                if !isReading, !isAtEnd, started - finished < max(workers, 1), started - delivered < max(workers, 1) * 4
                {
                    isReading = true
                    group.addTask { .item(await next()) }
                }
                switch await group.next() {
                case nil:
                    return
                case .item(nil):
                    isAtEnd = true
                    isReading = false
                case .item(let item?):
                    isReading = false
                    let number = started
                    started += 1
                    group.addTask { .output(number, await work(item)) }
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
    }
}
