/// The kept pictures, those that differ most first.
///
/// A picture finds its place by halving, so that keeping n pictures takes n log n comparisons in all.
struct RankedPictures: Sendable {
    typealias Entry = KeptPictures.Entry

    /// Those that differ most first.
    private(set) var all: [Entry] = []
    /// The bytes of all pictures.
    private(set) var byteCount = 0
    /// The entries by the paths of their pictures.
    private var known: [String: Entry] = [:]

    init(_ entries: [Entry] = []) {
        for entry in entries.sorted(by: Self.precedes) where known[entry.picture] == nil {
            known[entry.picture] = entry
            byteCount += entry.byteCount
            all.append(entry)
        }
    }

    /// Adds a picture, in place of an earlier entry of the same picture.
    mutating func add(_ entry: Entry) {
        remove(entry.picture)
        all.insert(entry, at: place(of: entry))
        byteCount += entry.byteCount
        known[entry.picture] = entry
    }

    /// Removes the entry of a picture, if there is one.
    mutating func remove(_ picture: String) {
        guard let entry = known.removeValue(forKey: picture) else { return }
        byteCount -= entry.byteCount
        all.remove(at: place(of: entry))
    }

    /// The pictures that have to go for another one: those that differ least, until there is room. Nil if one of them differs as much, or if
    /// the picture is kept and differed as much before.
    func others(goingFor entry: Entry, within limits: KeptPictures.Limits) -> [Entry]? {
        let earlier = known[entry.picture]
        guard limits.count > 0, entry.byteCount <= limits.bytes, earlier.map({ $0.weight < entry.weight }) ?? true
        else { return nil }
        var others: [Entry] = []
        var count = all.count + (earlier == nil ? 1 : 0)
        var bytes = byteCount + entry.byteCount - (earlier?.byteCount ?? 0)
        for old in all.reversed() where old.picture != entry.picture {
            if count <= limits.count, bytes <= limits.bytes { break }
            guard old.weight < entry.weight else { return nil }
            others.append(old)
            (count, bytes) = (count - 1, bytes - old.byteCount)
        }
        return others
    }

    /// The place of an entry, or the one where it belongs.
    private func place(of entry: Entry) -> Int {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(all[middle], entry) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func precedes(_ one: Entry, _ other: Entry) -> Bool {
        (one.weight, one.time, one.picture) > (other.weight, other.time, other.picture)
    }
}
