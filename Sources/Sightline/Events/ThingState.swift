/// The state of a thing, which follows the labels of its pictures after a while.
///
/// A label becomes the state once all readings over the holding time have it. A state that no reading has confirmed for twice that time, and for
/// which no other label has come to stay, is unknown. So somebody who passes in front of a gate does not open it.
///
/// ```swift
/// var gate = ThingState("gate", holdingTime: .seconds(3))
/// let event = gate.read(labels.first, at: frame.timestamp)
/// print(gate.label ?? "unknown")
/// ```
public struct ThingState: Sendable, Hashable {
    private struct Candidate: Hashable {
        let label: String?
        let since: Duration
    }

    /// The name of the thing.
    public let name: String
    /// The time over which all readings must agree.
    public let holdingTime: Duration
    /// The state; nil while it is unknown.
    public private(set) var label: String?
    /// The last known state; nil before the first.
    public private(set) var known: String?
    private var candidate: Candidate?
    /// The time of the first reading since the last one that confirmed the state.
    private var doubt: Duration?

    /// Creates a state that is unknown.
    ///
    /// - Parameters:
    ///   - name: the name of the thing.
    ///   - holdingTime: the time over which all readings must agree; zero to follow each reading.
    ///   - known: the last known state, for example of an earlier run; nil for none.
    public init(_ name: String, holdingTime: Duration = .seconds(3), known: String? = nil) {
        (self.name, self.holdingTime, self.known) = (name, max(holdingTime, .zero), known)
    }

    /// Takes a reading.
    ///
    /// - Parameters:
    ///   - reading: the most confident label; nil if none is confident enough.
    ///   - time: the time of the picture, which increases.
    /// - Returns: the event, if the thing is now known to be in another state than it was when its state was last known.
    public mutating func read(_ reading: Label?, at time: Duration) -> StateEvent? {
        let text = reading?.text
        guard text != label else {
            (candidate, doubt) = (nil, nil)
            return nil
        }
        let since = candidate.flatMap { $0.label == text ? $0.since : nil } ?? time
        candidate = Candidate(label: text, since: since)
        let doubtful = doubt ?? time
        doubt = doubtful
        if time - since >= holdingTime {
            (label, candidate, doubt) = (text, nil, nil)
            guard let reading, let text, text != known else { return nil }
            defer { known = text }
            return StateEvent(
                thing: name,
                label: text,
                earlier: known,
                confidence: reading.confidence,
                time: since
            )
        }
        // The candidate may still become the state.
        if label != nil, time - doubtful >= holdingTime * 2 { label = nil }
        return nil
    }

    /// Forgets the state, because the thing is no longer seen. The last known state stays, so that the same one makes no event.
    public mutating func lose() { (label, candidate, doubt) = (nil, nil, nil) }
}
