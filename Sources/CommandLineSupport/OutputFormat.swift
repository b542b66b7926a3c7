import ArgumentParser
import Foundation
import TextFormatting

/// The output of a command that describes one thing.
package enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Text for people.
    case table
    /// One JSON document with sorted keys.
    case json

    /// Prints a value.
    package func print(_ value: some Encodable, table: () -> String) throws {
        switch self {
        case .table: StandardOutput.write(table())
        case .json: StandardOutput.writeExactly(try JSONOutput.document(value))
        }
    }
}

/// The output of a command that lists records.
package enum ListFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// A table for people.
    case table
    /// One JSON array.
    case json
    /// A line of JSON for each record (JSON Lines).
    case jsonl

    /// Prints a list.
    package func print(_ records: [some Encodable], table: () -> String) throws {
        switch self {
        case .table: StandardOutput.write(table())
        case .json: StandardOutput.writeExactly(try JSONOutput.document(records))
        case .jsonl: StandardOutput.writeExactly(try records.map { try JSONOutput.line($0) }.joined())
        }
    }
}

/// The option of a command that prints a list.
package struct ListOptions: ParsableArguments {
    @Option(help: "How to print the list; jsonl is a line of JSON for each entry.")
    package var format = ListFormat.table

    package init() {}
}

/// The output of a command that measures a model.
package enum ReportFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Tables for people.
    case table
    /// One JSON document with the whole report.
    case json
    /// A row for each label.
    case csv
}

/// Values as JSON with sorted keys.
package enum JSONOutput {
    /// A document over several lines. Ends with a line feed.
    package static func document(_ value: some Encodable) throws -> String {
        try text(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }

    /// A document that another program wrote, with the same values. Ends with a line feed.
    package static func document(_ data: Data) -> String {
        JSONText.escapingUnprintable(String(decoding: data, as: UTF8.self)) + "\n"
    }

    /// One line. Ends with a line feed.
    package static func line(_ value: some Encodable) throws -> String {
        try text(value, [.sortedKeys, .withoutEscapingSlashes])
    }

    private static func text(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return JSONText.escapingUnprintable(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
    }
}
