import ArgumentParser
import CommandLineSupport
import DurableFiles
import Foundation
import ModelHubServer
import Sightline
import SightlineEvaluation

struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Measure a version of a model on known pictures, and store a threshold with it.",
        discussion: """
            The command downloads the model as clients do. It measures a labeler as `sightline evaluate labels` does, and a detector \
            as `sightline evaluate boxes` does. With --store-threshold it stores a threshold with the measured version: the value of --threshold, otherwise the lowest threshold \
            with the precision of --precision, otherwise the threshold with the best F1. Clients receive it with their next \
            check for updates.

            Examples:
              sightline hub evaluate plants flowers/
              sightline hub evaluate plants flowers.zip --html report.html
              sightline hub evaluate plants flowers/ --precision 0.95 --store-threshold
              sightline hub evaluate plants flowers/ --alias staging --store-threshold
              sightline hub evaluate cars street.zip

            \(HubCommand.exitCodes)
            """
    )

    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name.")
    var name: String
    @Argument(
        help:
            "For a labeler, a folder or zip archive with a folder of pictures for each label. For a detector, a zip archive with pictures and COCO annotations, or annotations beside the folder images.",
        completion: .file()
    )
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
        let (connection, measured) = try await reporting {
            let connection = try await location.connect()
            return (connection, try await measure(connection))
        }
        let report = measured.report
        let chosen = threshold ?? precision.flatMap { report.overall.lowest(precision: $0)?.threshold }
        var choice = ThresholdChoice(threshold: chosen)
        if let precision { choice.precision = precision }
        try reporting {
            if let html { try ReportFile.write(report.html(pictures: measured.pictures, choice), to: html) }
        }
        switch format {
        case .table: StandardOutput.write(report.text(choice))
        case .json: StandardOutput.writeExactly(try JSONOutput.document(report))
        case .csv: StandardOutput.writeExactly(report.csv(choice))
        }
        if storeThreshold {
            let value = precision == nil ? chosen ?? report.overall.best?.threshold : chosen
            try await reporting { try await store(value, measured, connection) }
        }
    }

    /// A measured version.
    private struct Measured {
        var report: any EvaluationReport
        var pictures: PictureFiles
        /// The SHA-256 of the file.
        var hash: String
    }

    /// Downloads the version and measures it.
    private func measure(_ connection: HubConnection) async throws -> Measured {
        // The hub answers with the served version where nothing is staged, but its threshold must not change silently.
        if version.alias != .production, try await connection.details(of: name).aliases[version.alias] == nil {
            throw CommandError(
                version.alias == .staging
                    ? "No version of \(name) is staged; stage one with `sightline hub publish \(name) FILE --stage`, or evaluate the served version without --alias."
                    : "\(name) has no alias \(version.alias); `sightline hub show \(name)` lists its aliases."
            )
        }
        return try await PrivateFolder.with { folder in
            let (file, hash) = try await connection.downloadModel(name, alias: version.alias) { format in
                folder.appending(path: "model.\(format.fileExtension)")
            }
            let model = LocalModel(url: file)
            let task = try withStandardErrorSilenced { try ModelInspection(of: model).task }
            guard let kind = EvaluationKinds.measuring(task) else {
                throw CommandError(
                    "\(name) neither labels pictures nor finds objects in them, and so cannot be measured; see `sightline hub show \(name)`."
                )
            }
            let (report, pictures) = try await measure(model, as: kind)
            return Measured(report: report, pictures: pictures, hash: hash)
        }
    }

    private func measure<Kind: ModelEvaluator>(
        _ model: LocalModel,
        as kind: Kind.Type
    ) async throws -> (any EvaluationReport, PictureFiles) {
        let known = try Kind.Pictures(at: URL(filePath: pictures))
        let evaluator = try withStandardErrorSilenced { try Kind(model: model, workers: nil) }
        var line = PictureProgress()
        var report = try await evaluator.evaluate(known) { line.show(done: $0.done, of: $0.total, failed: $0.skipped) }
        line.clear()
        report.nameModel(name)
        return (report, known.files)
    }

    /// A threshold from fewer pictures or objects is hardly better than a guess: one of them more or less moves a precision by
    /// more than a percentage point.
    private static let fewestMeasured = 100

    private func store(_ chosen: Double?, _ measured: Measured, _ connection: HubConnection) async throws {
        guard let value = chosen else {
            if let precision {
                throw CommandError(
                    "No threshold gives \(name) a precision of \(precision), so no threshold was stored; ask for a lower precision, or train a better model."
                )
            }
            throw CommandError(
                "\(name) gave no right answer, so no threshold was stored; check that the pictures have the model's labels."
            )
        }
        // The alias may have moved since the download.
        let details = try await connection.details(of: name)
        let numbers = details.versions.filter { $0.modelHash == measured.hash }.map(\.version)
        guard let number = numbers.first(where: { $0 == details.aliases[version.alias] }) ?? numbers.first else {
            throw CommandError("\(name) has no version with the measured file any more; evaluate it again.")
        }
        try await connection.setConfidenceThreshold(value, ofVersion: number, of: name)
        let (count, unit) = (measured.report.overall.wanted, type(of: measured.report).unit)
        let message = "\(name): confidence threshold \(value) of version \(number)\n"
        defer {
            if threshold == nil, count < Self.fewestMeasured {
                let effect = value == 0 ? " At threshold 0 clients keep every answer." : ""
                StandardError.report(
                    "warning: The threshold rests on \(count) \(unit) only; measure at least \(Self.fewestMeasured), or give one with --threshold.\(effect)"
                )
            }
        }
        if format == .table {
            StandardOutput.write("\n" + message)
        } else {
            StandardError.write(message)
        }
    }
}
