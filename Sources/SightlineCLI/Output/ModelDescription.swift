import CommandOutput
import Foundation
import ModelCatalog

/// What is known of a model of the catalogue or an installed one, for people and programs.
struct ModelDescription: Encodable {
    private var name: String
    private var task: CatalogEntry.Purpose?
    private var summary: String?
    private var publisher: String?
    private var licence: String?
    private var address: String?
    private var byteCount: Int?
    private var sha256: String?
    private var labelCount: Int?
    private var labels: [String]?
    private var path: String?
    private var installedFrom: String?
    private var isInstalledFileVerified: Bool?

    /// A model of the catalogue.
    init(_ entry: CatalogEntry, installed: InstalledModel?) {
        name = entry.name
        task = entry.task
        summary = entry.summary
        publisher = entry.publisher
        licence = entry.licence
        address = entry.address
        byteCount = entry.byteCount
        sha256 = entry.sha256
        labelCount = entry.labels?.count
        labels = entry.labels?.names
        add(installed)
    }

    /// An installed model that is not in the catalogue.
    init(_ installed: InstalledModel) {
        name = installed.name
        byteCount = installed.record?.byteCount
        sha256 = installed.record?.sha256
        add(installed)
    }

    private mutating func add(_ installed: InstalledModel?) {
        path = installed?.model.path
        installedFrom = installed?.record?.source
        isInstalledFileVerified = installed?.record?.isVerified
    }

    /// Headings at the left, what belongs to them beside them.
    var text: String {
        var text = line("Name", name)
        text += line("What", summary)
        text += line("Use", task.map { "sightline \($0.command) --model \(name)" })
        text += line("Publisher", publisher)
        text += line("Licence", licence)
        text += line("Address", address)
        text += line("Size", byteCount.map { "\($0) bytes" } ?? "not verified")
        text += line("SHA-256", sha256 ?? "not verified; installing needs --sha256 or --accept-unverified")
        text += line("Labels", labelCount.map { "\($0)\(labels == nil ? ", inside the model" : "")" } ?? "none")
        text += line("Installed", path ?? "no")
        text += line("From", installedFrom)
        if isInstalledFileVerified == false { text += line("", "not verified") }
        return text
    }

    private func line(_ heading: String, _ content: String?) -> String {
        guard let content else { return "" }
        return heading.padding(toLength: 12, withPad: " ", startingAt: 0) + TerminalText.printable(content) + "\n"
    }

    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}

extension CatalogEntry.Purpose {
    /// The command that uses such models.
    var command: String { self == .detection ? "detect" : "label" }
}

/// A number of bytes for people.
enum ByteCount {
    /// For example `4.2 MB`; "?" if it is not known.
    static func text(_ count: Int?) -> String {
        guard let count else { return "?" }
        let megabytes = Double(count) / 1_000_000
        return count < 1_000_000 ? "\(count / 1000) kB" : "\((megabytes * 10).rounded() / 10) MB"
    }
}
