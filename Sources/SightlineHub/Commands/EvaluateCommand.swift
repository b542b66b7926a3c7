import ArgumentParser
import CommandOutput
import Foundation
import ModelHubServer
import Sightline
import SightlineEvaluation

struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Measure a published model on labelled pictures, and store a threshold with it.",
        discussion: """
            The model is downloaded as clients download it and measured as `sightline evaluate labels` does it, whose help \
            says how. --store-threshold stores the threshold with the model: that of --threshold, otherwise the lowest at \
            which precision is at least that of --precision, otherwise the one with the best F1. Clients get it with their next \
            check for updates.

            Examples:
              sightline hub evaluate plants flowers/
              sightline hub evaluate plants flowers.zip --html report.html
              sightline hub evaluate plants flowers/ --precision 0.95 --store-threshold

            \(HubCommand.exitCodes)
            """
    )

    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name.")
    var name: String
    @Argument(help: "A folder or zip archive with a folder of pictures for each label.", completion: .file())
    var pictures: String
    @Option(help: "The threshold of the table of labels, and the one to store, 0 to 1.")
    var threshold: Double?
    @Option(help: "Choose the lowest threshold at which precision is at least this, 0 to 1.")
    var precision: Double?
    @Flag(help: "Store the threshold with the model.")
    var storeThreshold = false
    @Option(help: "Write the report as one HTML file.", completion: .file())
    var html: String?
    @Flag(help: "Print the report as JSON.")
    var json = false

    func validate() throws {
        for (name, value) in [("threshold", threshold), ("precision", precision)] {
            if let value, !(0...1).contains(value) {
                throw ValidationError("--\(name) is \(value); it must be 0 to 1.")
            }
        }
        if threshold != nil, precision != nil {
            throw ValidationError("Give either --threshold or --precision, not both.")
        }
    }

    func run() async throws {
        let (connection, known, report) = try await attempting {
            let connection = try await location.connect()
            let known = try LabeledPictures(contentsOf: URL(filePath: pictures))
            return (connection, known, try await measure(known, connection))
        }
        let chosen = threshold ?? precision.flatMap { report.overall.lowest(precision: $0)?.threshold }
        try await attempting {
            if let html { try ReportFile.write(report.html(pictures: known, threshold: chosen), to: html) }
        }
        if json {
            print(try ReportFile.json(report), terminator: "")
        } else {
            var options = LabelReport.TextOptions()
            options.threshold = chosen
            if let precision { options.wantedPrecision = precision }
            print(report.text(options), terminator: "")
        }
        if storeThreshold { try await attempting { try await store(chosen, report, connection) } }
    }

    /// Downloads the model and measures it.
    private func measure(_ known: LabeledPictures, _ connection: HubConnection) async throws -> LabelReport {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sightline-evaluate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "model.tflite")
        try await connection.downloadModel(name, to: file)
        let evaluator = try withStandardErrorSilenced {
            try LabelEvaluator(options: LabelEvaluatorOptions(model: LocalModel(url: file)))
        }
        var line = EvaluationLine()
        var report = try await evaluator.evaluate(known) { line.show($0) }
        line.clear()
        report.model.name = name
        return report
    }

    private func store(_ chosen: Double?, _ report: LabelReport, _ connection: HubConnection) async throws {
        if let precision, chosen == nil {
            throw CommandError(
                "No threshold gives \(name) a precision of \(precision), so none was stored; ask for less, or train a better model."
            )
        }
        guard let value = chosen ?? report.bestThreshold else {
            throw CommandError("\(name) gave no right answer, so no threshold was stored; are these its labels?")
        }
        try await connection.setConfidenceThreshold(value, try await connection.requireModel(name))
        let message = "\(name): confidence threshold \(value)\n"
        if json {
            try FileHandle.standardError.write(contentsOf: Data(message.utf8))
        } else {
            print("\n" + message, terminator: "")
        }
    }
}

/// A line on the terminal that says how far an evaluation is.
private struct EvaluationLine {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var lastDrawn: ContinuousClock.Instant?

    mutating func show(_ progress: EvaluationProgress) {
        let now = ContinuousClock.now
        guard isTerminal, lastDrawn.map({ now - $0 > .milliseconds(100) }) ?? true else { return }
        lastDrawn = now
        write("\r\u{1B}[K\(progress.done) of \(progress.total) pictures, \(progress.skipped) skipped")
    }

    func clear() {
        if lastDrawn != nil { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
