import Foundation

/// One of those that are measured side by side.
protocol Contender: AnyObject {
    /// The name in the table.
    var name: String { get }
    /// Does the work once and returns the milliseconds it took on a clock.
    func measure(_ clock: Clock) async throws -> Double
    /// The findings of the last measurement, in a few words, to show that contenders do the same work.
    var finding: String { get }
}

/// The clock that measures all contenders of a run.
enum Clock {
    /// Time as it passes.
    case wall
    /// The time that the processor spends on the contender's process. Other programs hardly lengthen it.
    case processor

    /// The milliseconds of a closure.
    func milliseconds(_ work: () throws -> Void) rethrows -> Double {
        let id = self == .wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID
        let start = Self.nanoseconds(id)
        try work()
        return Double(Self.nanoseconds(id) - start) / 1e6
    }

    private static func nanoseconds(_ id: clockid_t) -> Int {
        var now = timespec()
        clock_gettime(id, &now)
        return now.tv_sec * 1_000_000_000 + now.tv_nsec
    }
}
