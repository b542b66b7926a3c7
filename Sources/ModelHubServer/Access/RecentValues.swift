/// A dictionary of bounded size. It forgets the values that were not set for the longest time, half of them at once.
struct RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var newer: [Key: Value] = [:]
    private var older: [Key: Value] = [:]
    private let halfLimit: Int

    /// - Parameter limit: the number of values that are kept at most.
    init(limit: Int) { halfLimit = limit / 2 }

    /// The value of a key, unless it was never set or is forgotten.
    subscript(_ key: Key) -> Value? {
        get { newer[key] ?? older[key] }
        set {
            newer[key] = newValue
            guard newer.count >= halfLimit else { return }
            (older, newer) = (newer, [:])
        }
    }
}
