/// The names of classes in the metadata of Ultralytics: a dictionary by number, or a list.
extension LabelList {
    /// The largest number of classes; ImageNet's whole set has 21,843.
    static let maximumNames = 100_000

    /// Reads the value of `names`.
    init(ultralytics value: LiteralValue, source: String) throws(LocalModelError) {
        let entries: [(number: Int?, value: LiteralValue)] =
            switch value {
            case .dictionary(let names): names.map { (Self.number($0.key), $0.value) }
            case .list(let names): names.enumerated().map { ($0.offset, $0.element) }
            default: throw .labels(source: source, reason: "its \"names\" are neither a dictionary nor a list")
            }
        guard (1...Self.maximumNames).contains(entries.count) else {
            throw .labels(source: source, reason: "it has \(entries.count) names, not 1 to \(Self.maximumNames)")
        }
        var names = [String?](repeating: nil, count: entries.count)
        for entry in entries {
            guard let number = entry.number, names.indices.contains(number), names[number] == nil,
                case .text(let name) = entry.value
            else {
                throw .labels(
                    source: source,
                    reason: "its \"names\" are not texts with the numbers 0 to \(entries.count - 1)"
                )
            }
            names[number] = name
        }
        self.init(names: names.compactMap(\.self), source: source)
    }

    /// The number of a class, which JSON can only write as a text.
    static func number(_ key: LiteralValue.Key) -> Int? {
        switch key {
        case .integer(let number): number
        case .text(let text): Int(text)
        }
    }
}
