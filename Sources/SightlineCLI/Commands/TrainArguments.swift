import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation
import SightlineTraining
import TextFormatting

/// The options that every command that trains has, and the way from these to a written model.
struct TrainArguments: ParsableArguments {
    @Option(help: "The folder for the model. An earlier model there is replaced.", completion: .directory)
    var output: String

    @Option(
        help: ArgumentHelp(
            "The classifier whose network is used: a model of the catalog, an installed model or a file (default: mobilenet-v2).",
            valueName: "model"
        ),
        completion: .modelOrFile
    )
    var start: String?

    @Option(help: "Another number measures with another division of the pictures.")
    var seed: UInt64 = 0

    @Option(parsing: .unconditional, help: "Pictures that are read at the same time (default: one per core).")
    var workers: Int?

    @Option(help: "How to print what was made: json has the card, jsonl also a line for each step.")
    var format = TrainingFormat.table

    func validate() throws {
        if let workers { try check(workers, isIn: 1...256, name: "workers") }
        if output.isEmpty {
            throw ValidationError("The name of the output is empty; perhaps a variable on the command line is not set.")
        }
    }

    /// The folder for the model.
    private var folder: URL { URL(filePath: output, directoryHint: .isDirectory) }

    /// The name of the model.
    var name: String { folder.standardizedFileURL.lastPathComponent }

    /// Reads what is learned from, after a look at the folder for the model, which is not to be refused minutes later.
    ///
    /// - Throws: an exit code after a message.
    func reading<Known>(_ read: () throws -> Known) throws -> Known {
        try reporting {
            try TrainedLabels.check(folder)
            return try read()
        }
    }

    /// Makes a trainer, and installs the network that it starts from where that is needed.
    ///
    /// - Throws: an exit code after a message.
    func trainer<Trainer>(_ make: (TrainerOptions) throws -> Trainer) throws -> Trainer {
        let found = try TrainingStart.find(start)
        var options = TrainerOptions(start: found.model)
        (options.startName, options.startLicense, options.seed) = (found.name, found.license, seed)
        if let workers { options.workers = workers }
        return try loading { try make(options) }
    }

    /// Trains, and shows the progress.
    ///
    /// - Throws: an exit code after a message.
    func training<Trained>(
        _ train: (_ show: (BoxTrainingProgress) -> Void) async throws -> Trained
    ) async throws -> Trained {
        try await reporting {
            var output = TrainingOutput(format)
            defer { output.clear() }
            return try await train { output.show($0) }
        }
    }

    static let exitCodes = ExitStatus.help(
        success: "the model is written",
        incomplete: "the model is written, and some pictures were skipped",
        failure: "there is no model"
    )

    /// Writes a model, prints its card, and publishes it.
    ///
    /// - Parameters:
    ///   - skipped: The pictures that were not used.
    ///   - write: Writes the model's folder.
    ///   - text: The summary for people.
    /// - Throws: an exit code after a message.
    func finish(
        _ card: some Encodable,
        skipped: SkippedPictures,
        _ publishing: PublishArguments,
        write: (URL) throws(TrainingError) -> Void,
        text: () -> String
    ) async throws {
        try reporting {
            try Termination.whileWriting { () throws(TrainingError) in try write(folder) }
        }
        if let sentence = skipped.sentence { StandardError.report(sentence) }
        let made = TrainingOutput(format)
        try made.print(card, table: text)
        try await publishing.publish(folder.appending(path: "model.tflite"), output: made.textOutput)
        if skipped.count > 0 { throw ExitStatus.incomplete.code }
    }

    /// The summary of a training for people.
    ///
    /// - Parameters:
    ///   - table: The figures of each label.
    ///   - figures: The figures of the model, as a sentence.
    ///   - remarks: Sentences about the model and the pictures.
    ///   - files: The written files, without the report and the card.
    func summary(
        _ table: TextTable,
        figures: String,
        nearDuplicates: Int,
        remarks: [String],
        files: [String]
    ) -> String {
        var lines = ["\(figures)"]
        if nearDuplicates > 0 {
            lines.append("\(NumberText.grouped(nearDuplicates, "near-duplicate")) stayed together.")
        }
        lines += remarks
        lines.append(
            "\(output): \((files + ["report.html", "card.json"]).joined(separator: ", "))"
        )
        return "\(table.text)\n" + lines.map { $0 + "\n" }.joined()
    }
}
