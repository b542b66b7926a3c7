/// An upper estimate of the duration of an evaluation, known before it begins.
///
/// The numbers are rough. They only need to separate fetches that take microseconds from fetches that take
/// milliseconds.
struct EvaluationWork: Sendable, Hashable {
    /// The part that depends only on the template.
    var nanoseconds = 0
    /// The number of searches in the client's properties and signals. The time of a search grows with their length.
    var searches = 0

    /// The longest evaluation, in nanoseconds, that may run on an event loop, because all connections of the loop wait
    /// meanwhile.
    static let quick = 2_000_000

    /// The estimate for a client.
    func nanoseconds(for client: ClientContext) -> Int {
        nanoseconds + searches * client.longestText * 2
    }

    static func += (left: inout EvaluationWork, right: EvaluationWork) {
        left.nanoseconds += right.nanoseconds
        left.searches += right.searches
    }
}

extension ClientContext {
    /// The number of bytes of the longest text that conditions may search.
    fileprivate var longestText: Int {
        let texts = [appVersion, appBuild].compactMap(\.self)
        return [
            texts.map(\.utf8.count), userProperties.values.map(\.utf8.count), customSignals.values.map(\.utf8.count),
        ]
        .joined().max() ?? 0
    }
}
