import CommandLineSupport
import Foundation
import ModelHubProtocol

/// A copy of an audit log, as lines of JSON.
struct AuditCopy {
    let name: String
    let entries: [AuditLogResource.Entry]

    /// Reads a file.
    ///
    /// - Throws: `CommandError` if it cannot be read, or a line is not an entry.
    init(file name: String) throws(CommandError) {
        guard let data = FileManager.default.contents(atPath: name) else {
            throw CommandError("\(name) cannot be read; name a file that `sightline hub audit --since 0` wrote.")
        }
        var entries: [AuditLogResource.Entry] = []
        for (index, line) in data.split(separator: UInt8(ascii: "\n")).enumerated() {
            guard let entry = try? JSONDecoder().decode(AuditLogResource.Entry.self, from: line) else {
                throw CommandError("\(name), line \(index + 1), is not an entry of an audit log; remove it.")
            }
            entries.append(entry)
        }
        (self.name, self.entries) = (name, entries)
    }

    /// A line of the file.
    static func line(_ entry: AuditLogResource.Entry) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(entry)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// The check of its entries.
    var chain: AuditChain {
        var chain = AuditChain()
        for entry in entries { chain.add(entry) }
        return chain
    }
}
