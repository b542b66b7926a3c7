import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation
import TextFormatting

struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare the speed and the answers of two models.",
        discussion: """
            Both models run on all pictures in turn. For detectors, an object that both find has the same label and \
            boxes that overlap by an IoU of at least 0.5. For classifiers, only the best label of a picture counts. With \
            --annotations, the table also has the average precision of each detector.

            Examples:
              sightline compare --model built-in --model yolox-nano-ti-lite photos/
              sightline compare --model old.tflite --model new.tflite photos/ --format json
              sightline compare --model best.onnx --model best.tflite photos/
              sightline compare --model a.tflite --model b.tflite images/ \\
                --annotations annotations.json

            In JSON, each model is {"model", "answers", "shared", "milliseconds", "ap", "ap50"}. "shared" is the number of its \
            answers that the other model also gives.

            \(ExitStatus.help(incomplete: "some pictures failed"))
            """
    )

    @Argument(help: "A folder of pictures.", completion: .directory)
    var folder: String

    @Option(
        name: .shortAndLong,
        parsing: .unconditionalSingleValue,
        help: "A model, as for detect and label. Give it twice.",
        completion: .modelOrFile
    )
    var model: [String] = []

    @OptionGroup var hub: HubArguments

    @Option(help: "COCO annotations of the pictures, for detectors.", completion: .file())
    var annotations: String?

    @Option(
        parsing: .unconditional,
        help: "Drop answers below this confidence, 0 to 1 (default: each model's threshold)."
    )
    var threshold: Float?

    @Option(help: "How to print the comparison.")
    var format = OutputFormat.table

    func validate() throws {
        guard model.count == 2 else {
            throw ValidationError("Name two models: --model FIRST --model SECOND.")
        }
        if let threshold { try check(threshold, isIn: 0...1, name: "threshold") }
    }

    func run() async throws {
        let models = try model.map { try ModelArgument.resolve($0, labels: nil, hub: hub.hub) }
        let tasks = try loading { try models.map { try ModelInspection(of: $0).task } }
        guard let task = tasks[0], task == tasks[1] else {
            StandardError.report(
                "\(model[0]) and \(model[1]) have different purposes; `sightline inspect` shows what each is for."
            )
            throw ExitStatus.failure.code
        }
        if annotations != nil, task == .labeling {
            StandardError.report("--annotations are boxes, but these models label pictures; leave them out.")
            throw ExitStatus.usage.code
        }
        let pictures = try reporting { try PictureFolder.files(in: folder) }
        let comparer = try loading { try PairComparer(models, task: task, threshold: threshold) }
        let (agreement, failed) = try await reporting { try await comparer.compare(pictures) }
        let precisions = try await averagePrecisions(of: models)
        let rows = (0...1).map { index in
            ComparedModel(
                model: model[index],
                answers: agreement.findings[index],
                shared: agreement.shared,
                milliseconds: agreement.milliseconds(of: index),
                ap: precisions?[index].ap,
                ap50: precisions?[index].ap50
            )
        }
        try format.print(rows) { ComparedModel.table(rows, pictures: agreement.pictures, of: task) }
        if failed > 0 { throw (agreement.pictures > 0 ? ExitStatus.incomplete : .failure).code }
    }

    /// The average precision of both detectors; nil without annotations.
    private func averagePrecisions(of models: [LocalModel]) async throws -> [BoxReport.BoxSummary]? {
        guard let annotations else { return nil }
        let pictures = URL(filePath: folder, directoryHint: .isDirectory)
        let known = try reporting {
            try AnnotatedPictures(contentsOf: URL(filePath: annotations), pictures: pictures)
        }
        var summaries: [BoxReport.BoxSummary] = []
        for local in models {
            var options = BoxEvaluatorOptions()
            options.model = local
            let evaluator = try loading { try BoxEvaluator(options: options) }
            let report = try await reporting { try await evaluator.evaluate(known) }
            summaries.append(report.summary ?? report.classAgnostic)
        }
        return summaries
    }
}

/// A row of the comparison.
private struct ComparedModel: Encodable {
    let model: String
    /// The number of objects, or of pictures with a label.
    let answers: Int
    /// The number of answers that the other model also gives.
    let shared: Int
    /// The mean processing time of a picture.
    let milliseconds: Double
    let ap: Double?
    let ap50: Double?

    static func table(_ rows: [ComparedModel], pictures: Int, of task: ModelInspection.Purpose) -> String {
        let answers = task == .detection ? "OBJECTS" : "LABELED"
        var columns: [TextTable.Column] = [
            .text("MODEL"), .number(answers), .number("SHARED"), .number("MS A PICTURE"),
        ]
        let hasPrecision = rows.contains { $0.ap != nil }
        if hasPrecision { columns += [.number("AP"), .number("AP50")] }
        let names = rows.map { URL(filePath: $0.model).lastPathComponent }
        let cells = zip(rows, names).map { row, name in
            let share = row.answers > 0 ? NumberText.percentage(Float(row.shared) / Float(row.answers)) : "–"
            let values = [name, "\(row.answers)", share, String(format: "%.1f", row.milliseconds)]
            guard hasPrecision else { return values }
            return values + [row.ap, row.ap50].map { $0.map { String(format: "%.3f", $0) } ?? "–" }
        }
        return TextTable(columns: columns, rows: cells).text + "\n\(NumberText.count(pictures, "picture"))\n"
    }
}
