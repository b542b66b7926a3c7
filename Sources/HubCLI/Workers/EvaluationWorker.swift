import ArgumentParser
import Foundation
import HTTPServing
import ModelHubServer
import ProcessSandbox
import Sightline
import SightlineEvaluation
import TensorFlowLite

/// The commands, one for each kind of evaluation, that evaluate a model on an archive of pictures in a separate process,
/// because neither can be trusted.
///
///     sightline-hub evaluate-labels MODEL PICTURES [--served MODEL] [--labels FILE] [--name NAME] [--processor-seconds N]
///         [--memory BYTES]
///
/// MODEL is a `.tflite` or `.onnx` file. PICTURES is a zip archive or a folder, depending on the command. Standard output has
/// lines of JSON in UTF-8, each written at once:
///
/// ```
/// {"progress":{"done":12,"skipped":0,"total":120}}    at most five a second, and after the last picture
/// {"report":{…}}                                      the report of the kind of evaluation
/// {"error":"One sentence."}                           or this, as the last line
/// ```
///
/// With `--served`, the process then compares the model with the served version. If `ModelOptimizer` can rewrite the model,
/// the process also compares both forms. After each comparison, the report is repeated:
///
/// ```
/// {"comparing":"served","progress":{…}}               at most five a second, and after the last picture
/// {"report":{…},"served":{…}}                         the same report, and a comparison
/// {"comparing":"rewritten","progress":{…}}
/// {"report":{…},"rewritten":{…},"served":{…}}
/// ```
///
/// So the report is complete even if the process ends during a comparison.
///
/// Exit codes: 0 after a report, 2 after an error, 64 for a wrong command line. Any other end (a signal, or a missing last
/// line) means that the model or a picture crashed the process, or that the process exceeded its time or memory. The process ends if
/// the reader closes the pipe, and on SIGTERM. It writes no files.
struct EvaluationWorker<Kind: ModelEvaluator>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Kind.workerCommand,
            abstract: "Evaluate a model on pictures with known \(Kind.name) in a sandbox and report in JSON."
        )
    }

    @OptionGroup var arguments: EvaluationWorkerArguments
}

struct EvaluationWorkerArguments: ParsableArguments {
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
    fileprivate static let maximumWorkers = 4

    func validate() throws {
        guard processorSeconds > 0 else { throw ValidationError("--processor-seconds must be more than 0.") }
        guard memory >= Self.minimumMemory else {
            throw ValidationError("--memory must be at least \(Self.minimumMemory).")
        }
    }

    /// The files that the process reads.
    fileprivate var files: [String] { [model, pictures] + [served, labels].compactMap(\.self) }
}

extension EvaluationWorker {
    func run() throws {
        // The runtime libraries are loaded first. If one is missing, the evaluation reports that.
        for file in [arguments.model] + [arguments.served].compactMap(\.self) {
            try? ModelFormat.loadRuntime(forModelAt: URL(filePath: file))
        }
        var sandbox = ProcessSandbox(reading: arguments.files)
        sandbox.processorSeconds = arguments.processorSeconds
        sandbox.addressSpace = arguments.memory
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
            let url = URL(filePath: arguments.model)
            let evaluator = try Self.evaluator(
                LocalModel(url: url, labels: arguments.labels.map { URL(filePath: $0) })
            )
            let pictures = try Kind.Pictures(at: URL(filePath: arguments.pictures))
            var progress = ProgressOutput()
            var report = try await evaluator.evaluate(pictures) { progress.write(EvaluationStep($0)) }
            if let name = arguments.name { report.nameModel(name) }
            var output = EvaluationOutput<Kind>(report)
            OutputLine.write(output)
            if let served = arguments.served {
                // A comparison may fail, for example if the served version has another task.
                let comparison = try? await evaluator.compare(
                    withEarlier: Self.evaluator(LocalModel(url: URL(filePath: served))),
                    on: pictures
                ) { progress.write(EvaluationStep($0, comparing: .served)) }
                if let comparison, comparison.pictureCount > 0 {
                    output.served = comparison
                    OutputLine.write(output)
                }
            }
            if let rewritten = try? ModelOptimizer().optimized(try Model(contentsOf: url)) {
                let comparison = try? await evaluator.compare(with: rewritten, on: pictures) {
                    progress.write(EvaluationStep($0, comparing: .rewritten))
                }
                if let comparison, comparison.pictureCount > 0 {
                    output.rewritten = comparison
                    OutputLine.write(output)
                }
            }
            return 0
        } catch {
            OutputLine.write(EvaluationFailure("\(error)"))
            return 2
        }
    }

    private static func evaluator(_ model: LocalModel) throws -> Kind {
        let workers = min(ProcessInfo.processInfo.activeProcessorCount, EvaluationWorkerArguments.maximumWorkers)
        return try Kind(model: model, workers: workers)
    }
}

/// Writes lines of the output.
private enum OutputLine {
    /// Writes a line. Ends the process if the reader has closed the pipe.
    static func write(_ line: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            try FileHandle.standardOutput.write(contentsOf: encoder.encode(line) + Data("\n".utf8))
        } catch {
            Foundation.exit(2)
        }
    }
}

/// Writes at most five lines of progress a second, and the last.
private struct ProgressOutput {
    private var written: ContinuousClock.Instant?

    mutating func write(_ step: EvaluationStep) {
        let now = ContinuousClock.now
        let isLast = step.progress.done >= step.progress.total
        if let written, now - written < .milliseconds(200), !isLast { return }
        written = now
        OutputLine.write(step)
    }
}
