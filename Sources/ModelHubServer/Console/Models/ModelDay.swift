/// The store for what happened to models on each day.
public protocol ModelDayStore: Sendable {
    /// The days of a model from a day on on which something happened, oldest first.
    func days(of model: Int64, from day: Int) async throws -> [ModelDay]
    /// Removes the days before a day.
    func forgetDays(before day: Int) async throws
}

/// What happened to a model on a day.
public struct ModelDay: Sendable, Hashable {
    /// The number of days since 1970, in UTC.
    public var day: Int
    /// The number of downloads.
    public var downloads = 0
    /// The number of results that installations of apps reported.
    public var results = 0
    /// The number of reported latencies.
    public var latencies = 0
    /// The sum of the reported latencies in milliseconds.
    public var milliseconds = 0.0

    /// Creates a day on which nothing happened.
    public init(day: Int) { self.day = day }

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
