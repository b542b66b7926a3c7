import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia

/// Where the results of a stream go: rows of a table or one of the export formats, to standard output or a file.
struct TrackOutput {
    private enum Destination {
        case table((String) throws -> Void)
        case export(StreamExporter)
    }

    private var destination: Destination
    private(set) var report: TrackReport
    /// Whether standard output has no results for programs, so that the summary may go there.
    private let leavesStandardOutput: Bool

    /// - Parameter memory: after how long an object that is not seen does not come back.
    init(_ arguments: TrackCommand, memory: Duration) throws {
        report = TrackReport(memory: memory)
        let url = arguments.output.map { URL(filePath: $0) }
        leavesStandardOutput = url != nil || arguments.outputFormat == .table
        switch (arguments.outputFormat.export, url) {
        case (let format?, let url?): destination = .export(try StreamExporter(format, to: url))
        case (let format?, nil):
            destination = .export(try StreamExporter(format) { StandardOutput.writeAfterClearingProgress($0) })
        case (nil, let url?):
            let file = try ExportFile(url)
            destination = .table { try file.write($0) }
        case (nil, nil): destination = .table { StandardOutput.writeAfterClearingProgress($0) }
        }
    }

    /// Writes what was found in a frame.
    mutating func append(_ result: StreamResult) throws {
        let rows = report.rows(after: result)
        switch destination {
        case .table(let write): try writeRows(rows, with: write)
        case .export(var exporter):
            defer { destination = .export(exporter) }
            try exporter.append(result)
        }
    }

    /// Writes what comes after the last frame.
    mutating func finish() throws {
        let rows = report.finalRows()
        switch destination {
        case .table(let write): try writeRows(rows, with: write)
        case .export(var exporter): try exporter.finish()
        }
    }

    private var hasHeading = false

    private mutating func writeRows(_ rows: String, with write: (String) throws -> Void) throws {
        guard !rows.isEmpty else { return }
        try write(hasHeading ? rows : TrackReport.heading + rows)
        hasHeading = true
    }

    /// Says how the run went: on standard output where that has no results for programs, otherwise on standard error.
    func writeSummary(_ lines: [String]) {
        let text = lines.map { $0 + "\n" }.joined()
        if leavesStandardOutput {
            StandardOutput.write(hasHeading ? "\n" + text : text)
        } else {
            StandardError.write(text)
        }
    }
}
