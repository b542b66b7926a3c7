/// One of those that are measured side by side.
protocol Contender: AnyObject {
    /// What the table calls it.
    var name: String { get }
    /// Does the work once and tells the milliseconds it took.
    func measure() throws -> Double
    /// What the last measurement found, in a few words, to show that contenders do the same work.
    var finding: String { get }
}

/// The milliseconds of a closure on the monotonic clock.
func milliseconds(_ work: () throws -> Void) rethrows -> Double {
    let elapsed = try ContinuousClock().measure(work)
    return elapsed / .milliseconds(1)
}
