/// A set of Unicode scalars.
struct ScalarSet: Sendable, Hashable {
    /// In ascending order, without overlaps.
    let ranges: [ClosedRange<UInt32>]
    /// Whether the set contains the scalars outside the ranges.
    let isNegated: Bool
    /// Whether the case of letters does not matter.
    let ignoresCase: Bool

    static let digit = ScalarSet([48...57])
    static let word = ScalarSet([48...57, 65...90, 95...95, 97...122])
    static let space = ScalarSet([9...10, 12...13, 32...32])
    static let any = ScalarSet([0...0x10FFFF])
    static let anyButNewline = ScalarSet([10...10], isNegated: true)

    /// - Parameter ranges: In any order.
    init(_ ranges: [ClosedRange<UInt32>], isNegated: Bool = false, ignoresCase: Bool = false) {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        (self.ranges, self.isNegated, self.ignoresCase) = (merged, isNegated, ignoresCase)
    }

    /// The scalar and its other case.
    static func forms(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        let others = [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping].compactMap { text in
            text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
        }
        return [scalar] + others.filter { $0 != scalar }
    }

    /// Whether the set contains a scalar.
    ///
    /// - Parameter forms: The scalar, and its other cases if the set may ignore case.
    func contains(_ forms: [Unicode.Scalar]) -> Bool {
        let isInside = ignoresCase ? forms.contains(where: isInRange) : forms.first.map(isInRange) ?? false
        return isInside != isNegated
    }

    /// Whether a range contains the scalar, by a binary search.
    private func isInRange(_ scalar: Unicode.Scalar) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(scalar.value)
    }

    /// The ranges of this set without negation.
    var plainRanges: [ClosedRange<UInt32>] {
        guard isNegated else { return ranges }
        var rest: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { rest.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        if next <= 0x10FFFF { rest.append(next...0x10FFFF) }
        return rest
    }
}
