import ArgumentParser
import Foundation
import ModelHubServer
import ProcessSandbox
import Sightline
import SightlineEvaluation
import TensorFlowLite

/// Evaluates a model on a zip archive of labeled pictures, in a process of its own, because neither can be trusted.
///
///     sightline-hub evaluate-labels MODEL PICTURES [--labels FILE] [--name NAME] [--processor-seconds N] [--memory BYTES]
///
/// MODEL is a `.tflite` file. PICTURES is a zip archive or a folder as `LabeledPictures` describes it. Standard output has
/// lines of JSON in UTF-8, each written at once:
///
/// ```
/// {"progress":{"done":12,"skipped":0,"total":120}}    at most five a second, and after the last picture
/// {"report":{…}}                                      the last line: a `LabelReport`
/// {"error":"One sentence."}                           or this, as the last line
/// ```
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
        var sandbox = ProcessSandbox(reading: [model, pictures] + [labels].compactMap(\.self))
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
            let labels = labels.map { URL(filePath: $0) }
            var options = LabelEvaluatorOptions(model: LocalModel(url: URL(filePath: model), labels: labels))
            options.workers = min(options.workers, Self.maximumWorkers)
            let evaluator = try LabelEvaluator(options: options)
            var written: ContinuousClock.Instant?
            var report = try await evaluator.evaluate(LabeledPictures(contentsOf: URL(filePath: pictures))) {
                progress in
                let now = ContinuousClock.now
                if let written, now - written < .milliseconds(200), progress.done < progress.total { return }
                written = now
                Self.write(Line(progress: progress))
            }
            if let name { report.model.name = name }
            Self.write(Line(report: report))
            return 0
        } catch {
            Self.write(Line(error: "\(error)"))
            return 2
        }
    }

    private struct Line: Encodable {
        var progress: EvaluationProgress?
        var report: LabelReport?
        var error: String?
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
