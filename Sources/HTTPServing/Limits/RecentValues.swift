/// A dictionary of bounded size. It discards the oldest half of its values when it is full.
package struct RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var newer: [Key: Value] = [:]
    private var older: [Key: Value] = [:]
    private let halfLimit: Int

    /// - Parameter limit: The maximum number of values.
    package init(limit: Int) { halfLimit = limit / 2 }

    /// The value of a key; nil if it was never set or is discarded.
    package subscript(_ key: Key) -> Value? {
        get { newer[key] ?? older[key] }
        set {
            newer[key] = newValue
            guard newer.count >= halfLimit else { return }
            (older, newer) = (newer, [:])
        }
    }
}
