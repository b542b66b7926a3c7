/// A queue in which owners take turns: an owner with many waiting elements does not delay other owners.
///
/// The elements of an owner stay in their order. A new element belongs to the current round, or to the round after the
/// last element of its owner; rounds follow one another (start-time fair queueing with equal costs).
package struct FairLine<Element> {
    private struct Entry {
        var element: Element
        var owner: String
        var round: Int
    }

    private var entries: [Entry] = []
    private var round = 0
    /// The last round of each owner that has a round from the current one on.
    private var lastRounds: [String: Int] = [:]

    package init() {}

    /// The elements in the order of their turns.
    package var elements: [Element] { entries.map(\.element) }

    package var isEmpty: Bool { entries.isEmpty }

    /// The number of waiting elements of an owner.
    package func count(of owner: String) -> Int { entries.lazy.filter { $0.owner == owner }.count }

    /// Adds an element after those of its owner.
    package mutating func append(_ element: Element, of owner: String) {
        let own = lastRounds[owner].map { max(round, $0 + 1) } ?? round
        lastRounds[owner] = own
        let place = entries.firstIndex { $0.round > own } ?? entries.count
        entries.insert(Entry(element: element, owner: owner, round: own), at: place)
    }

    /// Removes and returns the next element whose owner may have a turn now.
    package mutating func popFirst(where mayEnter: (_ owner: String) -> Bool = { _ in true }) -> (
        element: Element, owner: String
    )? {
        guard let index = entries.firstIndex(where: { mayEnter($0.owner) }) else { return nil }
        let entry = entries.remove(at: index)
        round = max(round, entry.round)
        lastRounds = lastRounds.filter { $0.value >= round }
        return (entry.element, entry.owner)
    }

    /// Removes and returns the first matching element.
    package mutating func removeFirst(where fits: (Element) -> Bool) -> Element? {
        entries.firstIndex { fits($0.element) }.map { entries.remove(at: $0).element }
    }

    /// The number of waiting elements.
    package var count: Int { entries.count }

    /// Makes room in a full line for another element of an owner: removes and returns the last element of the owner that has most
    /// elements.
    ///
    /// - Returns: Nil, with nothing removed, if no other owner has so many elements that it would still have as many as the owner of
    ///   the new element.
    package mutating func makeRoom(for owner: String) -> Element? {
        var counts: [String: Int] = [:]
        for entry in entries { counts[entry.owner, default: 0] += 1 }
        guard let largest = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
            largest.value > counts[owner, default: 0] + 1,
            let index = entries.lastIndex(where: { $0.owner == largest.key })
        else { return nil }
        // The owner's next element takes the round of the one that left.
        lastRounds[largest.key] = entries[..<index].last { $0.owner == largest.key }?.round
        return entries.remove(at: index).element
    }

    /// Removes and returns all elements.
    package mutating func removeAll() { entries = [] }
}
