/// A waiting line in which owners take turns: whoever has much waiting does not keep others from theirs.
///
/// Each owner's elements stay in their order. An element gets a round as it comes: the present one, or the one after the last
/// of its owner; rounds follow one another (start-time fair queueing with equal costs).
struct FairLine<Element> {
    private struct Entry {
        var element: Element
        var owner: String
        var round: Int
    }

    private var entries: [Entry] = []
    private var round = 0
    /// The last round of each owner that has one in the present round or later.
    private var lastRounds: [String: Int] = [:]

    /// The elements in the order in which their turns come.
    var elements: [Element] { entries.map(\.element) }

    var isEmpty: Bool { entries.isEmpty }

    /// How many elements of an owner wait.
    func count(of owner: String) -> Int { entries.lazy.filter { $0.owner == owner }.count }

    /// Puts an element behind those of its owner.
    mutating func append(_ element: Element, of owner: String) {
        let own = lastRounds[owner].map { max(round, $0 + 1) } ?? round
        lastRounds[owner] = own
        let place = entries.firstIndex { $0.round > own } ?? entries.count
        entries.insert(Entry(element: element, owner: owner, round: own), at: place)
    }

    /// Takes the next element whose owner may have its turn now.
    mutating func popFirst(where mayEnter: (_ owner: String) -> Bool = { _ in true }) -> (
        element: Element, owner: String
    )? {
        guard let index = entries.firstIndex(where: { mayEnter($0.owner) }) else { return nil }
        let entry = entries.remove(at: index)
        round = max(round, entry.round)
        lastRounds = lastRounds.filter { $0.value >= round }
        return (entry.element, entry.owner)
    }

    /// Takes the first element that fits out of the line.
    mutating func removeFirst(where fits: (Element) -> Bool) -> Element? {
        entries.firstIndex { fits($0.element) }.map { entries.remove(at: $0).element }
    }

    /// Takes all elements out of the line.
    mutating func removeAll() { entries = [] }
}
