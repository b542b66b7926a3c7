import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia
import TextFormatting

/// The results of a stream: records in a format, and counts for the summary.
struct TrackOutput {
    private var sink: any ResultSink
    private let eventFile: EventFile?
    private var countFile: CountFile?
    private var hasBegun = false
    /// The account of the stream, from which all numbers come.
    private(set) var history: StreamHistory
    /// Whether standard output has a table above the summary.
    private let printsTable: Bool
    /// Whether standard output has no results for programs, so that the summary may go there.
    private let printsSummary: Bool

    /// - Parameters:
    ///   - output: the format and the place of results.
    ///   - format: the format.
    ///   - options: the settings of the sink.
    ///   - history: the lines and zones.
    ///   - events: the path of a file for events alone.
    ///   - counts: a file for the counts by period.
    init(
        _ output: OutputArguments<FrameResults>,
        _ format: ResultFormat,
        _ options: ResultSinkOptions,
        history: StreamHistory,
        events: String?,
        counts: CountFile? = nil
    ) throws {
        eventFile = try events.map { try EventFile(URL(filePath: $0)) }
        countFile = counts
        sink = try output.sink(format, options)
        self.history = history
        printsTable = output.output == nil && format == .table
        printsSummary = output.printsSummary(format)
    }

    /// Writes the results for a frame.
    ///
    /// - Returns: the events of the frame.
    @discardableResult
    mutating func append(_ result: StreamResult) throws -> [StreamEvent] {
        try begin()
        let events = history.update(result)
        try write(events)
        try countFile?.append(events, until: result.timestamp)
        try sink.append(.frame(result, events: events))
        return events
    }

    /// Writes the text after the last frame.
    ///
    /// - Returns: the events of the end.
    @discardableResult
    mutating func finish() throws -> [StreamEvent] {
        try begin()
        let events = history.finish()
        try write(events)
        try countFile?.finish()
        try sink.finish()
        return events
    }

    private mutating func write(_ events: [StreamEvent]) throws {
        for event in events {
            try eventFile?.append(event)
            if case .object(let event) = event, event.kind == .lost { try sink.append(event.object) }
        }
    }

    private mutating func begin() throws {
        guard !hasBegun else { return }
        hasBegun = true
        try sink.begin()
    }

    /// Prints the summary: on standard output unless that has results for programs, otherwise on standard error.
    func writeSummary(_ lines: [String]) {
        let text = lines.map { $0 + "\n" }.joined()
        if printsSummary {
            StandardOutput.write(printsTable && history.objectCount > 0 ? "\n" + text : text)
        } else {
            StandardError.write(text)
        }
    }

    /// The number of objects, for example `3 objects: 2 person, 1 dog`.
    var countText: String {
        guard history.objectCount > 0 else { return "no objects" }
        let classes = history.labelCounts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
            .map { "\($0.value) \(TerminalText.printable($0.key))" }
        return NumberText.count(history.objectCount, "object") + ": " + classes.joined(separator: ", ")
    }
}
