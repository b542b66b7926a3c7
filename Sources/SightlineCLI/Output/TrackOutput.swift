import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia
import TextFormatting

/// The results of a stream: records in a format, events, and the summary.
struct TrackOutput {
    private var sink: any ResultSink
    private let eventFile: EventFile?
    private var hasBegun = false
    /// Whether standard output has a table above the summary.
    private let printsTable: Bool
    /// Whether standard output has no results for programs, so that the summary may go there.
    private let printsSummary: Bool

    /// - Parameters:
    ///   - output: the format and the place of results.
    ///   - format: the format.
    ///   - options: the settings of the sink.
    ///   - events: the path of a file for events alone.
    ///   - isLive: whether the stream cannot be read again, so that its events follow those of earlier runs.
    init(
        _ output: OutputArguments<FrameResults>,
        _ format: ResultFormat,
        _ options: ResultSinkOptions,
        events: String?,
        isLive: Bool = false
    ) throws {
        eventFile = try events.map { try EventFile(URL(filePath: $0), continues: isLive) }
        sink = try output.sink(format, options)
        printsTable = output.output == nil && format == .table
        printsSummary = output.printsSummary(format)
    }

    /// Writes the results for a frame, and its events.
    mutating func append(_ result: StreamResult, _ events: [StreamEvent]) throws {
        try begin()
        try write(events)
        try sink.append(result, events: events)
    }

    /// Writes the events of the end, and the text after the last frame.
    mutating func finish(_ events: [StreamEvent]) throws {
        try begin()
        try write(events)
        try sink.finish()
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
    ///
    /// - Parameter hasObjects: whether there were objects.
    func writeSummary(_ lines: [String], hasObjects: Bool) {
        let text = lines.map { $0 + "\n" }.joined()
        if printsSummary {
            StandardOutput.write(printsTable && hasObjects ? "\n" + text : text)
        } else {
            StandardError.write(text)
        }
    }
}
