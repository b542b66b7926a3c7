import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubProtocol
import TextFormatting

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show the audit log, export it, or check a copy of it.",
        discussion: """
            Without options, a table shows the newest changes first. With --since, the changes after a number are lines of JSON, oldest first. \
            Each has the hash of the one before, so that --verify shows whether a copy is complete, and whether the hub still has the \
            same changes: a person who alters the hub's log cannot alter a copy elsewhere. The hub keeps a number of changes \
            that depends on the quota of the project. When it removes the oldest, its log says so; any other missing change is a problem.

            Examples:
              sightline hub audit --limit 20
              sightline hub audit --hub-wide
              sightline hub audit --since 0 > audit.jsonl
              sightline hub audit --since 120 --follow >> audit.jsonl
              sightline hub audit --verify audit.jsonl

            \(ExitStatus.help(
                success: "done; with --verify, the copy is complete and agrees with the hub",
                incomplete: "with --verify, the copy or the hub lacks changes, was changed, or contradicts the other",
                failure: "the hub or the copy cannot be read",
                signals: "130 or 143 Ctrl-C or SIGTERM stopped --follow"
            ))
            """
    )
    @OptionGroup var location: HubLocation
    @Flag(help: "Show the changes that concern no single project, such as those of administrators.")
    var hubWide = false
    @Option(help: "The number of changes to show, up to 1000.")
    var limit = 50
    @Option(
        help: ArgumentHelp(
            "Write all changes after the one with this number as lines of JSON; 0 for all.",
            valueName: "number"
        )
    )
    var since: Int?
    @Flag(help: "With --since: continue with new changes until Ctrl-C, also after a restart of the hub.")
    var follow = false
    @Option(
        help: ArgumentHelp("Check a file of --since, and compare it with the hub.", valueName: "file"),
        completion: .file()
    )
    var verify: String?
    @OptionGroup var list: ListOptions

    func validate() throws {
        if follow, since == nil {
            throw ValidationError("--follow continues after a number; also give --since, 0 for all.")
        }
        if let since, since < 0 {
            throw ValidationError("--since is \(since); it must be the number of a change, or 0.")
        }
        if verify != nil, since != nil { throw ValidationError("--verify reads a file; leave out --since.") }
    }

    func run() async throws {
        let copy = try reporting { try verify.map { try AuditCopy(file: $0) } }
        let source = try await reporting {
            let connection = hubWide ? try await location.connectToHub() : try await location.connect()
            return AuditSource(
                connection: connection,
                path: hubWide ? connection.ofHub("audit") : connection.extensions("audit")
            )
        }
        if let copy { return try await check(copy, source) }
        if let since { return try await write(source, after: since) }
        let entries = try await reporting { try await source.newest(limit) }
        try list.format.print(entries) {
            TextTable(
                columns: [.text("TIME"), .text("WHO"), .text("DID"), .text("TO"), .text("DETAIL")],
                rows: entries.map { [$0.time, $0.actor, $0.action, $0.target, $0.detail] }
            ).text
        }
    }

    /// The time between two requests for new changes.
    private static let interval = Duration.seconds(2)

    /// The pauses after failed requests, until the hub answers again.
    private static let pauses = RetryPolicy(tries: .max, base: .seconds(1), maximum: .seconds(30))

    private func write(_ source: AuditSource, after number: Int) async throws {
        var number = number
        var failures: Int?
        while true {
            let entries: [AuditLogResource.Entry]
            do {
                entries = try await source.entries(after: number)
                failures = 0
            } catch let error as CommandError where follow && failures != nil && error.isTransient {
                let count = (failures ?? 0) + 1
                // One line for each time that the hub is away, which may only be a restart.
                if count == 1 { StandardError.report("\(error) The command continues when the hub answers.") }
                failures = count
                try await Task.sleep(for: Self.pauses.pause(after: count) ?? .seconds(30))
                continue
            } catch {
                try reporting { throw error }
                return
            }
            for entry in entries { StandardOutput.writeLine(AuditCopy.line(entry)) }
            number = entries.last?.number ?? number
            guard entries.isEmpty else { continue }
            guard follow else { return }
            try await Task.sleep(for: Self.interval)
        }
    }

    private func check(_ copy: AuditCopy, _ source: AuditSource) async throws {
        guard let first = copy.entries.first, let last = copy.entries.last else {
            StandardOutput.writeLine("\(TerminalText.printable(copy.name)) has no changes.")
            return
        }
        var comparison = AuditComparison(copy)
        while true {
            let entries = try await reporting { try await source.entries(after: comparison.hub.last?.number ?? 0) }
            guard !entries.isEmpty else { break }
            for entry in entries { comparison.add(entry) }
        }
        let name = TerminalText.printable(copy.name)
        let problems = comparison.problems
        guard problems.isEmpty else {
            for problem in problems.prefix(10) { StandardError.report("\(name): \(problem).") }
            throw ExitStatus.incomplete.code
        }
        var line = "\(name): \(NumberText.count(copy.entries.count, "change")), \(first.number) to \(last.number), "
        line += "complete and the same as in the hub"
        let gone = comparison.missing.count
        if gone > 0 { line += ", which keeps \(copy.entries.count - gone) of them" }
        let gaps = comparison.copy.gaps.map(AuditChain.text)
        if !gaps.isEmpty { line += ". Neither has \(gaps.joined(separator: ", ")), as the log says" }
        StandardOutput.writeLine(line + ".")
    }
}

/// The audit log of a project or of a hub.
private struct AuditSource {
    let connection: HubConnection
    let path: String

    func newest(_ limit: Int) async throws -> [AuditLogResource.Entry] {
        try await connection.resource(AuditLogResource.self, .get, "\(path)?pageSize=\(limit)").entries
    }

    /// Up to 1,000 entries, oldest first.
    func entries(after number: Int) async throws -> [AuditLogResource.Entry] {
        try await connection.resource(AuditLogResource.self, .get, "\(path)?since=\(number)&pageSize=1000").entries
    }
}
