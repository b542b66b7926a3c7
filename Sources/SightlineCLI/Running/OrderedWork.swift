/// Work on a stream of items by several workers, with results in the order of the items.
///
/// However many items there are, only a few of them and of their results are in memory: a slow item holds up the results
/// behind it, and after four results a worker no further item is taken.
enum OrderedWork {
    private enum Event<Item: Sendable, Output: Sendable>: Sendable {
        case item(Item?)
        case output(Int, Output)
    }

    /// Runs `work` on each item until `next` gives nil.
    ///
    /// A result is delivered as soon as those before it are, without waiting for the next item. With one worker an item
    /// is asked for only after the result before it was delivered.
    ///
    /// - Parameters:
    ///   - workers: how many items may be worked on at once, at least one.
    ///   - next: gives the next item; never called twice at once.
    ///   - work: makes a result of an item.
    ///   - deliver: takes the results in order, one at a time.
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
