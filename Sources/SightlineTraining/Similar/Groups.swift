/// Groups of things, from pairs of them.
struct Groups: Sendable {
    private var parents: [Int]

    init(count: Int) { parents = Array(0..<count) }

    private mutating func root(_ item: Int) -> Int {
        var item = item
        while parents[item] != item {
            parents[item] = parents[parents[item]]
            item = parents[item]
        }
        return item
    }

    /// Joins the groups of two things.
    mutating func join(_ one: Int, _ two: Int) {
        let (first, second) = (root(one), root(two))
        parents[max(first, second)] = min(first, second)
    }

    /// The number of the group of each thing, from 0 in the order of their first things.
    mutating func numbers() -> [Int] {
        var numbers: [Int: Int] = [:]
        return parents.indices.map { item in
            let root = root(item)
            let number = numbers[root] ?? numbers.count
            numbers[root] = number
            return number
        }
    }
}
