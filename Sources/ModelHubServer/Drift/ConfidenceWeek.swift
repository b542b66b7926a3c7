/// The confidences of a version that apps reported in a week.
package struct ConfidenceWeek: Sendable, Hashable {
    /// The number of ranges of confidences.
    package static let ranges = 10
    /// The number of weeks that are kept.
    static let kept = 53

    /// The number of weeks since Monday, 5 January 1970, in UTC.
    package var week: Int
    /// The number of reports whose mean lies in each range.
    package var counts = [Int](repeating: 0, count: ranges)
    /// The sum of the means.
    package var sum = 0.0

    /// Creates a week without reports.
    package init(week: Int) { self.week = week }

    /// The number of reports.
    package var reports: Int { counts.reduce(0, +) }
    /// The mean of the reports' means; nil without reports.
    package var mean: Double? { reports > 0 ? sum / Double(reports) : nil }

    /// Adds another week.
    mutating func add(_ other: Self) {
        for place in counts.indices { counts[place] += other.counts[place] }
        sum += other.sum
    }
}

extension Timestamp {
    /// The number of weeks since Monday, 5 January 1970, in UTC.
    var week: Int {
        let days = day - 4
        return days / 7 - (days % 7 < 0 ? 1 : 0)
    }

    /// The beginning of a week.
    init(week: Int) { self.init(day: week * 7 + 4) }
}
