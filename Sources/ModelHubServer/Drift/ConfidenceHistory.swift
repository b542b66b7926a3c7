/// The confidences of a version by week, compared with its first ones.
package struct ConfidenceHistory: Sendable, Hashable {
    /// A week with its comparison.
    package struct Week: Sendable, Hashable {
        package var confidences: ConfidenceWeek
        /// Whether the week is one of those with which later ones are compared.
        package var isFirst: Bool
        /// The comparison with the first weeks; nil for these, and for weeks with few reports.
        package var index: StabilityIndex?
    }

    /// The number of the version.
    package var version: Int
    /// The weeks with reports, oldest first.
    package var weeks: [Week] = []

    /// Compares the weeks of a version. The first ones, up to enough reports, are those with which later ones are compared.
    ///
    /// - Parameter weeks: The weeks with reports, oldest first.
    package init(version: Int, _ weeks: [ConfidenceWeek]) {
        self.version = version
        var first = ConfidenceWeek(week: weeks.first?.week ?? 0)
        for week in weeks {
            let isFirst = first.reports < StabilityIndex.fewest
            if isFirst { first.add(week) }
            self.weeks.append(
                Week(
                    confidences: week,
                    isFirst: isFirst,
                    index: isFirst ? nil : StabilityIndex(from: first.counts, to: week.counts)
                )
            )
        }
    }

    /// Whether the confidence is away from that of the first weeks, as of the last week with enough reports.
    package var hasMoved: Bool { weeks.last { $0.index != nil }?.index?.hasMoved == true }

    /// Whether the confidence moved in a week, and not already in the last compared one before it.
    func moved(in week: Int) -> Bool {
        let compared = weeks.filter { $0.index != nil }
        guard let place = compared.firstIndex(where: { $0.confidences.week == week }),
            compared[place].index?.hasMoved == true
        else { return false }
        return place == 0 || compared[place - 1].index?.hasMoved != true
    }
}
