/// The reported confidences of a model by week.
package struct ModelDriftResource: Codable, Sendable {
    /// A version with its weeks.
    package struct Version: Codable, Sendable {
        package var version: Int
        package var hasMoved: Bool
        package var weeks: [Week]

        /// Creates a version.
        package init(version: Int, hasMoved: Bool, weeks: [Week]) {
            (self.version, self.hasMoved, self.weeks) = (version, hasMoved, weeks)
        }
    }

    /// A week with its comparison.
    package struct Week: Codable, Sendable {
        package var week: String
        package var reports: Int
        package var meanConfidence: Double
        package var ranges: [Int]
        package var isFirst: Bool
        package var stabilityIndex, lower, upper: Double?
        package var hasMoved: Bool?

        /// Creates a week.
        package init(
            week: String,
            reports: Int,
            meanConfidence: Double,
            ranges: [Int],
            isFirst: Bool,
            stabilityIndex: Double?,
            lower: Double?,
            upper: Double?,
            hasMoved: Bool?
        ) {
            (self.week, self.reports, self.meanConfidence) = (week, reports, meanConfidence)
            (self.ranges, self.isFirst, self.stabilityIndex) = (ranges, isFirst, stabilityIndex)
            (self.lower, self.upper, self.hasMoved) = (lower, upper, hasMoved)
        }
    }

    package var model: String
    package var versions: [Version]

    /// Creates the description.
    package init(model: String, versions: [Version]) { (self.model, self.versions) = (model, versions) }
}
