/// Counts of a stream by period, for example by hour: the objects that crossed each line, and that entered each zone, left it and were
/// inside; and the time that things were in each of their states.
///
/// ```swift
/// var counts = PeriodCounts(of: history, period: .seconds(3600))
/// for try await analyzed in detector.results(in: video.frames()) {
///     for row in counts.add(history.update(analyzed.result), until: analyzed.result.timestamp) { print(row) }
/// }
/// for row in counts.finish() { print(row) }
/// ```
public struct PeriodCounts: Sendable {
    /// The counts of a period at a line or zone, for a label; or of a thing, for a state.
    public struct Row: Sendable, Hashable {
        /// When the period begins.
        public var start: Duration
        /// When the period ends. The last one ends with the stream.
        public var end: Duration
        /// The name of the line, the zone or the thing.
        public var place: String
        /// The label, or the state; empty in the row of a place where nothing happened.
        public var label: String
        /// The number of objects that crossed the line inward, or entered the zone. Each identity counts once in the whole stream. Of a thing, the number
        /// of its changes to the state.
        public var entered: Int
        /// The number of objects that crossed the line outward, or left the zone; or of the thing's changes from the state.
        public var left: Int
        /// The mean number of objects inside the zone over the period, or the share of the period in which the thing was in the state; nil for a
        /// line.
        public var meanInside: Double?
    }

    private struct Key: Hashable {
        let place: Int
        let label: String
    }

    private struct Count {
        var entered = 0
        var left = 0
        /// The time that objects spent inside in this period, together.
        var inside = Duration.zero
    }

    private struct ZoneStay {
        let label: String
        /// When the stay began.
        let since: Duration
    }

    /// Nil if the caller ends the periods.
    private let period: Duration?
    /// The time at which the present period ends without an event.
    private var end: Duration?
    private let lines: [String]
    private let zones: [String]
    private let things: [String]
    private var start = Duration.zero
    private var last = Duration.zero
    private var counts: [Key: Count] = [:]
    /// The objects that are inside a zone, by the zone's place and the object's identity. The state of a thing has the identity 0.
    private var stays: [Int: [Int: ZoneStay]] = [:]

    /// Creates counts for the lines and zones of a history, from the beginning of its stream.
    ///
    /// - Parameters:
    ///   - history: the history, before its first frame.
    ///   - period: the length of a period, at least a second; nil for periods that end with ``endPeriod(at:)`` only, for example with the
    ///     hours of a clock.
    ///   - things: the names of things whose states are shown.
    public init(of history: StreamHistory, period: Duration? = nil, things: [String] = []) {
        self.things = things
        self.period = period.map { max($0, .seconds(1)) }
        end = self.period
        lines = history.lines.map(\.name)
        zones = history.zones.map(\.name)
    }

    /// Adds the events of a frame.
    ///
    /// An event counts in the period of its frame, even if its own time lies a little before that. After a gap of more than 10,000
    /// periods, the empty ones between have no rows.
    ///
    /// - Parameters:
    ///   - events: the events of a frame, in the order of the frames.
    ///   - time: the time of the frame.
    /// - Returns: the rows of the periods that ended before the frame.
    public mutating func add(_ events: [StreamEvent], until time: Duration) -> [Row] {
        var rows: [Row] = []
        var ended = 0
        while let end, let period, time >= end {
            rows += endPeriod(at: end)
            ended += 1
            if ended > Self.mostPeriods { (start, self.end) = (time, time + period) }
        }
        last = max(last, time)
        for event in events { count(event) }
        return rows
    }

    /// Sets the state of a thing from a time on.
    ///
    /// - Parameters:
    ///   - state: the state, for example `unknown`.
    ///   - thing: the name of the thing.
    ///   - time: the time of a frame, whose events were added.
    public mutating func show(_ state: String, of thing: String, at time: Duration) {
        guard let place = things.firstIndex(of: thing).map({ lines.count + zones.count + $0 }) else { return }
        let stay = stays[place]?[0]
        guard stay?.label != state else { return }
        if let stay { add(stay, until: time, at: place) }
        stays[place] = [0: ZoneStay(label: state, since: time)]
    }

    /// Ends the stream.
    ///
    /// - Returns: the rows of the last period.
    public mutating func finish() -> [Row] {
        guard last > start || !counts.isEmpty else { return [] }
        return endPeriod(at: last)
    }

    /// The number of periods that may end at once.
    private static let mostPeriods = 10_000

    private mutating func count(_ event: StreamEvent) {
        switch event {
        case .line(let event):
            guard let place = lines.firstIndex(of: event.line), !event.isRepeated else { return }
            let key = Key(place: place, label: event.label)
            switch event.direction {
            case .inward: counts[key, default: Count()].entered += 1
            case .outward: counts[key, default: Count()].left += 1
            }
        case .zone(let event):
            guard let place = zones.firstIndex(of: event.zone) else { return }
            count(event, at: lines.count + place)
        case .state(let event):
            guard let earlier = event.earlier, let index = things.firstIndex(of: event.thing) else { return }
            let place = lines.count + zones.count + index
            counts[Key(place: place, label: event.label), default: Count()].entered += 1
            counts[Key(place: place, label: earlier), default: Count()].left += 1
        case .object: break
        }
    }

    private mutating func count(_ event: ZoneEvent, at place: Int) {
        let key = Key(place: place, label: event.label)
        switch event.kind {
        case .entered, .beganInside:
            stays[place, default: [:]][event.id] = ZoneStay(label: event.label, since: event.time)
            if event.kind == .entered, !event.isRepeated { counts[key, default: Count()].entered += 1 }
        case .left, .endedInside:
            if let stay = stays[place]?.removeValue(forKey: event.id) { add(stay, until: event.time, at: place) }
            if event.kind == .left, !event.isRepeated { counts[key, default: Count()].left += 1 }
        case .dwellPassed: break
        }
    }

    /// Adds the part of a stay that lies in the present period.
    private mutating func add(_ stay: ZoneStay, until time: Duration, at place: Int) {
        let key = Key(place: place, label: stay.label)
        counts[key, default: Count()].inside += max(time.since(max(stay.since, start)), .zero)
    }

    /// Ends the present period, and begins the next one.
    ///
    /// - Parameter time: the time of its end; the beginning of the period if that is later.
    /// - Returns: the rows of the period.
    public mutating func endPeriod(at time: Duration) -> [Row] {
        let end = max(time, start)
        for (place, objects) in stays {
            for stay in objects.values { add(stay, until: end, at: place) }
        }
        let length = end.since(start).inSeconds
        let names = lines + zones + things
        let rows = names.indices.flatMap { place -> [Row] in
            var found = counts.filter { $0.key.place == place }.sorted { $0.key.label < $1.key.label }
            if found.isEmpty { found = [(Key(place: place, label: ""), Count())] }
            return found.map { key, count in
                Row(
                    start: start,
                    end: end,
                    place: names[place],
                    label: key.label,
                    entered: count.entered,
                    left: count.left,
                    meanInside: place < lines.count ? nil : length > 0 ? count.inside.inSeconds / length : 0
                )
            }
        }
        (start, last, counts) = (end, max(last, end), [:])
        self.end = period.map { end + $0 }
        return rows
    }
}
