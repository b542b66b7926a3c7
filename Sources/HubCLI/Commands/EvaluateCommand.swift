import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubServer
import Sightline
import SightlineEvaluation

struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Measure a version of a model on labeled pictures, and store a threshold with it.",
        discussion: """
            The command downloads the model as clients do and measures it as `sightline evaluate labels` does. With \
            --store-threshold it stores a threshold with the measured version: the value of --threshold, otherwise the lowest threshold \
            with the precision of --precision, otherwise the threshold with the best F1. Clients receive it with their next \
            check for updates.

            Examples:
              sightline hub evaluate plants flowers/
              sightline hub evaluate plants flowers.zip --html report.html
              sightline hub evaluate plants flowers/ --precision 0.95 --store-threshold
              sightline hub evaluate plants flowers/ --alias staging --store-threshold

            \(HubCommand.exitCodes)
            """
    )

    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name.")
    var name: String
    @Argument(help: "A folder or zip archive with a folder of pictures for each label.", completion: .file())
    var pictures: String
    @OptionGroup var version: AliasOption
    @Option(help: "The threshold for the table of labels and for --store-threshold, 0 to 1.")
    var threshold: Double?
    @Option(help: "Choose the lowest threshold with at least this precision, 0 to 1.")
    var precision: Double?
    @Flag(help: "Store the threshold with the measured version.")
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
        let (connection, known, report, hash) = try await reporting {
            let connection = try await location.connect()
            let known = try LabeledPictures(contentsOf: URL(filePath: pictures))
            let (report, hash) = try await measure(known, connection)
            return (connection, known, report, hash)
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
        if storeThreshold { try await reporting { try await store(chosen, report, hash, connection) } }
    }

    /// Downloads the version and measures it.
    ///
    /// - Returns: The report, and the SHA-256 of the file.
    private func measure(_ known: LabeledPictures, _ connection: HubConnection) async throws -> (LabelReport, String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sightline-evaluate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "model.tflite")
        let hash = try await connection.downloadModel(name, alias: version.alias, to: file)
        let evaluator = try withStandardErrorSilenced {
            try LabelEvaluator(options: LabelEvaluatorOptions(model: LocalModel(url: file)))
        }
        var line = PictureProgress()
        var report = try await evaluator.evaluate(known) {
            line.show(done: $0.done, of: $0.total, failed: $0.skipped)
        }
        line.clear()
        report.model.name = name
        return (report, hash)
    }

    private func store(
        _ chosen: Double?,
        _ report: LabelReport,
        _ hash: String,
        _ connection: HubConnection
    ) async throws {
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
        // The alias may have moved since the download.
        let details = try await connection.details(of: name)
        let measured = details.versions.filter { $0.modelHash == hash }.map(\.version)
        guard let number = measured.first(where: { $0 == details.aliases[version.alias] }) ?? measured.first else {
            throw CommandError("\(name) has no version with the measured file any more; evaluate it again.")
        }
        try await connection.setConfidenceThreshold(value, ofVersion: number, of: name)
        let message = "\(name): confidence threshold \(value) of version \(number)\n"
        if format == .table {
            StandardOutput.write("\n" + message)
        } else {
            StandardError.write(message)
        }
    }
}
