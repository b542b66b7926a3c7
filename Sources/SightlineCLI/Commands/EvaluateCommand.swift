import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation

struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Measure a model on pictures with known labels or boxes.",
        discussion: """
            Examples:
              sightline evaluate labels flowers/ --model flowers.tflite
              sightline evaluate labels flowers.zip --model flowers.tflite \\
                --html report.html
              sightline evaluate boxes annotations.json --images photos/ \\
                --model coco-ssd-mobilenet-v1
            """,
        subcommands: [EvaluateLabelsCommand.self, EvaluateBoxesCommand.self]
    )
}

/// The arguments that `evaluate labels` and `evaluate boxes` share.
struct EvaluationArguments: ParsableArguments, Sendable {
    static let exitCodes = ExitStatus.help(
        success: "the report is complete",
        incomplete: "some pictures were skipped",
        failure: "there is no report"
    )

    @OptionGroup var model: ModelArguments

    @Option(parsing: .unconditional, help: "Pictures that are processed at the same time (default: one per core).")
    var workers: Int?

    @Option(help: "How to print the report: json has everything, csv has a row for each label.")
    var format = ReportFormat.table

    @Option(
        help: "Also write the report as one HTML file, with curves and the pictures with mistakes.",
        completion: .file()
    )
    var html: String?

    func validate() throws {
        try model.check()
        if let workers { try check(workers, isIn: 1...256, name: "workers") }
    }

    /// Measures a model, and shows the progress.
    func report<Kind: ModelEvaluator>(of evaluator: Kind, on pictures: Kind.Pictures) async throws -> Kind.Report {
        var line = PictureProgress()
        var report = try await evaluator.evaluate(pictures) {
            line.show(done: $0.done, of: $0.total, failed: $0.skipped)
        }
        line.clear()
        // Many installed models have a file of the same name.
        if let name = model.name, !FileManager.default.fileExists(atPath: name) { report.nameModel(name) }
        return report
    }

    /// Prints a report and writes its HTML file.
    ///
    /// - Throws: exit code 1 after that if pictures were skipped.
    func print(_ report: some EvaluationReport, of pictures: PictureFiles, _ choice: ThresholdChoice) throws {
        if let html {
            let text = report.html(pictures: pictures, choice)
            try reporting {
                try Termination.whileWriting { () throws(EvaluationError) in try ReportFile.write(text, to: html) }
            }
        }
        switch format {
        case .table: StandardOutput.write(report.text(choice))
        case .json: StandardOutput.writeExactly(try JSONOutput.document(report))
        case .csv: StandardOutput.writeExactly(report.csv(choice))
        }
        if report.skipped.count > 0 { throw ExitStatus.incomplete.code }
    }
}
