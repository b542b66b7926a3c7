/// The events of a model on a day.
package struct ModelDay: Sendable, Hashable {
    /// The number of days since 1970, in UTC.
    package var day: Int
    /// The number of downloads.
    package var downloads = 0
    /// The number of results that installations of apps reported.
    package var results = 0
    /// The number of reported latencies.
    package var latencies = 0
    /// The sum of the reported latencies in milliseconds.
    package var milliseconds = 0.0

    /// Creates a day on which nothing happened.
    package init(day: Int) { self.day = day }

    /// The number of days that the hub keeps and the console shows, with today.
    static let count = 30
}

extension Timestamp {
    /// The number of days since 1970, in UTC.
    var day: Int {
        let length: Int64 = 24 * 3600 * 1000
        return Int(milliseconds / length - (milliseconds % length < 0 ? 1 : 0))
    }

    /// The beginning of a day, in UTC.
    init(day: Int) { self.init(milliseconds: Int64(day) * 24 * 3600 * 1000) }
}
