import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubServer
import Sightline
import SightlineEvaluation

struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Measure a published model on labeled pictures, and store a threshold with it.",
        discussion: """
            The command downloads the model as clients do and measures it as `sightline evaluate labels` does. With \
            --store-threshold it stores a threshold with the model: the value of --threshold, otherwise the lowest threshold \
            with the precision of --precision, otherwise the threshold with the best F1. Clients receive it with their next \
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
    @Option(help: "The threshold for the table of labels and for --store-threshold, 0 to 1.")
    var threshold: Double?
    @Option(help: "Choose the lowest threshold with at least this precision, 0 to 1.")
    var precision: Double?
    @Flag(help: "Store the threshold with the model.")
    var storeThreshold = false
    @Option(help: "Write the report as one HTML file.", completion: .file())
    var html: String?
    @Option(help: "How to print the report: json has everything, csv has a row for each label.")
    var format = ReportFormat.table

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
        let (connection, known, report) = try await reporting {
            let connection = try await location.connect()
            let known = try LabeledPictures(contentsOf: URL(filePath: pictures))
            return (connection, known, try await measure(known, connection))
        }
        let chosen = threshold ?? precision.flatMap { report.overall.lowest(precision: $0)?.threshold }
        try reporting {
            if let html { try ReportFile.write(report.html(pictures: known, threshold: chosen), to: html) }
        }
        var options = LabelReport.TextOptions()
        options.threshold = chosen
        if let precision { options.wantedPrecision = precision }
        switch format {
        case .table: StandardOutput.write(report.text(options))
        case .json: StandardOutput.write(try JSONOutput.document(report))
        case .csv: StandardOutput.write(report.csv(options))
        }
        if storeThreshold { try await reporting { try await store(chosen, report, connection) } }
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
        var line = PictureProgress()
        var report = try await evaluator.evaluate(known) {
            line.show(done: $0.done, of: $0.total, failed: $0.skipped)
        }
        line.clear()
        report.model.name = name
        return report
    }

    private func store(_ chosen: Double?, _ report: LabelReport, _ connection: HubConnection) async throws {
        if let precision, chosen == nil {
            throw CommandError(
                "No threshold gives \(name) a precision of \(precision), so no threshold was stored; ask for a lower precision, or train a better model."
            )
        }
        guard let value = chosen ?? report.bestThreshold else {
            throw CommandError(
                "\(name) gave no right answer, so no threshold was stored; check that the folders have the model's labels."
            )
        }
        try await connection.setConfidenceThreshold(value, try await connection.requireModel(name))
        let message = "\(name): confidence threshold \(value)\n"
        if format == .table {
            StandardOutput.write("\n" + message)
        } else {
            StandardError.write(message)
        }
    }
}
