import ArgumentParser
import Foundation
import ModelHubServer
import ProcessSandbox
import Sightline
import SightlineEvaluation
import TensorFlowLite

/// Evaluates a model on a zip archive of labeled pictures, in a process of its own, because neither can be trusted.
///
///     sightline-hub evaluate-labels MODEL PICTURES [--served MODEL] [--labels FILE] [--name NAME] [--processor-seconds N]
///         [--memory BYTES]
///
/// MODEL is a `.tflite` file. PICTURES is a zip archive or a folder as `LabeledPictures` describes it. Standard output has
/// lines of JSON in UTF-8, each written at once:
///
/// ```
/// {"progress":{"done":12,"skipped":0,"total":120}}    at most five a second, and after the last picture
/// {"report":{…}}                                      a `LabelReport`
/// {"error":"One sentence."}                           or this, as the last line
/// ```
///
/// With `--served`, the process then compares the model with the served version. If `ModelOptimizer` can rewrite the model,
/// the process also compares both forms. After each comparison the report comes once more:
///
/// ```
/// {"comparing":"served","progress":{…}}               at most five a second, and after the last picture
/// {"report":{…},"served":{…}}                         the same `LabelReport`, and a `LabelComparison`
/// {"comparing":"rewritten","progress":{…}}
/// {"report":{…},"rewritten":{…},"served":{…}}
/// ```
///
/// So the report is complete even if the process ends during a comparison.
///
/// Exit codes: 0 after a report, 2 after an error, 64 for a wrong command line. Any other end (a signal, or a missing last
/// line) means that the model or a picture crashed the process, or that the process exceeded its time or memory. The process ends if
/// the reader closes the pipe, and on SIGTERM. It writes no files.
struct EvaluateLabelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate-labels",
        abstract: "Evaluate a model on labeled pictures in a sandbox and report in JSON."
    )

    @Argument(help: "The model's file.")
    var model: String

    @Argument(help: "The zip archive or folder of pictures.")
    var pictures: String

    @Option(help: "The file of the served version, with which the model is compared.")
    var served: String?

    @Option(help: "A text file with one label on each line.")
    var labels: String?

    @Option(help: "The model's name in the report (default: the file's name).")
    var name: String?

    @Option(help: "The processor time in seconds after which the process ends.")
    var processorSeconds = 1800

    @Option(help: "Address space in bytes.")
    var memory = 6 << 30

    /// With less memory, Dispatch waits forever for the memory of its threads.
    private static let minimumMemory = 1 << 30

    /// The largest number of pictures that are evaluated at the same time.
    private static let maximumWorkers = 4

    func validate() throws {
        guard processorSeconds > 0 else { throw ValidationError("--processor-seconds must be more than 0.") }
        guard memory >= Self.minimumMemory else {
            throw ValidationError("--memory must be at least \(Self.minimumMemory).")
        }
    }

    func run() throws {
        // The runtime library is loaded first. If it is missing, the evaluation reports that.
        try? Runtime.load()
        var sandbox = ProcessSandbox(reading: [model, pictures] + [served, labels].compactMap(\.self))
        sandbox.processorSeconds = processorSeconds
        sandbox.addressSpace = memory
        sandbox.enter()
        // Not on Dispatch's threads: Dispatch reads their state from /proc, which the sandbox forbids.
        Task(executorPreference: BlockingExecutor.shared) { Foundation.exit(await evaluate()) }
        while true { pause() }
    }

    /// Evaluates the model.
    ///
    /// - Returns: the exit code.
    private func evaluate() async -> Int32 {
        do {
            let evaluator = try Self.evaluator(
                of: LocalModel(url: URL(filePath: model), labels: labels.map { URL(filePath: $0) })
            )
            let pictures = try LabeledPictures(contentsOf: URL(filePath: pictures))
            var output = ProgressOutput()
            var report = try await evaluator.evaluate(pictures) { output.write(Line(progress: $0)) }
            if let name { report.model.name = name }
            var line = Line(report: report)
            Self.write(line)
            if let comparison = try? await comparisonWithServed(of: evaluator, on: pictures) {
                line.served = comparison
                Self.write(line)
            }
            if let comparison = try? await comparison(of: evaluator, on: pictures) {
                line.rewritten = comparison
                Self.write(line)
            }
            return 0
        } catch {
            Self.write(Line(error: "\(error)"))
            return 2
        }
    }

    private static func evaluator(of model: LocalModel) throws -> LabelEvaluator {
        var options = LabelEvaluatorOptions(model: model)
        options.workers = min(options.workers, maximumWorkers)
        return try LabelEvaluator(options: options)
    }

    /// The comparison with the served version; nil if there is none, or if no picture could be compared.
    ///
    /// - Throws: As the comparison, for example if the served version labels no pictures.
    private func comparisonWithServed(
        of evaluator: LabelEvaluator,
        on pictures: LabeledPictures
    ) async throws -> LabelComparison? {
        guard let served else { return nil }
        let earlier = try Self.evaluator(of: LocalModel(url: URL(filePath: served)))
        var output = ProgressOutput()
        let comparison = try await evaluator.compare(withEarlier: earlier, on: pictures) {
            output.write(Line(progress: $0, comparing: .served))
        }
        return comparison.pictureCount > 0 ? comparison : nil
    }

    /// The comparison with a rewritten form of the model; nil if no picture could be compared.
    ///
    /// - Throws: `ModelOptimizerError` if the model cannot become faster, otherwise as the comparison.
    private func comparison(of evaluator: LabelEvaluator, on pictures: LabeledPictures) async throws -> LabelComparison?
    {
        let optimized = try ModelOptimizer().optimized(try Model(contentsOf: URL(filePath: model)))
        var output = ProgressOutput()
        let comparison = try await evaluator.compare(with: optimized, on: pictures) {
            output.write(Line(progress: $0, comparing: .rewritten))
        }
        return comparison.pictureCount > 0 ? comparison : nil
    }

    /// The model with which the evaluated model is compared.
    private enum Opponent: String, Encodable {
        case served, rewritten
    }

    private struct Line: Encodable {
        var progress: EvaluationProgress?
        var comparing: Opponent?
        var report: LabelReport?
        var served: LabelComparison?
        var rewritten: LabelComparison?
        var error: String?
    }

    /// Writes at most five lines of progress a second, and the last.
    private struct ProgressOutput {
        private var written: ContinuousClock.Instant?

        mutating func write(_ line: Line) {
            let now = ContinuousClock.now
            let isLast = line.progress.map { $0.done >= $0.total } ?? true
            if let written, now - written < .milliseconds(200), !isLast { return }
            written = now
            EvaluateLabelsCommand.write(line)
        }
    }

    /// Writes a line. Ends the process if the reader has closed the pipe.
    private static func write(_ line: Line) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            try FileHandle.standardOutput.write(contentsOf: encoder.encode(line) + Data("\n".utf8))
        } catch {
            Foundation.exit(2)
        }
    }
}
