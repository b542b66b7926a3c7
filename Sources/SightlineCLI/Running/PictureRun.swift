import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia
import Synchronization

/// Opens, analyzes, annotates and prints the pictures of one command.
struct PictureRun: Sendable {
    /// The analysis of one picture.
    typealias Analysis = @Sendable (VisionImage) async throws -> (PictureResult.Findings, StageTimings)

    /// The exit codes of the commands that read pictures, for their help.
    static let exitCodes = ExitStatus.help(
        success: "all pictures are done",
        incomplete: "some pictures failed, or a folder has pictures in an unsupported format",
        failure: "nothing is done, because the model or every picture is missing or unusable"
    )

    let arguments: PictureArguments
    let workers: Int
    let format: ResultFormat
    let outputs: PictureOutputs
    /// The default limit of objects in a picture; nil if the command line has a limit.
    var unchosenLimit: Int?
    let analyze: Analysis

    /// A picture's record, and the reason why its annotated picture is missing.
    private struct Result: Sendable {
        let record: PictureResult
        /// The input's name in messages.
        let name: String
        let outputFailure: String?

        var isFailure: Bool {
            if case .failure = record.outcome { true } else { outputFailure != nil }
        }
    }

    /// Analyzes all pictures and writes the results.
    ///
    /// - Throws: `ExitCode` 1 if some pictures failed or were skipped, 2 if all failed.
    func run(writingTo sink: any ResultSink) async throws {
        let output = RecordOutput(sink)
        var progress = PictureProgress()
        let inputs = arguments.readsPathsFromStandardInput ? nil : InputReader(namedInputs)
        var tally = Tally()
        await Termination.closing(by: { output.close() }) {
            output.begin()
            await OrderedWork.run(workers: workers, next: next(inputs), work: result) { result in
                progress.clear()
                output.write(.picture(result.record))
                report(result)
                tally.count(result)
                if let inputs {
                    let (total, isFinal) = inputs.knownCount
                    let done = tally.succeeded + tally.failed
                    progress.show(done: done, of: total, isTotalFinal: isFinal, failed: tally.failed)
                }
            }
            progress.clear()
            output.close()
        }
        let skipped = inputs?.skipped ?? SkippedFiles()
        if !skipped.isEmpty { StandardError.report(skipped.sentence) }
        if let unchosenLimit, tally.cut > 0 { StandardError.report(tally.cutSentence(limit: unchosenLimit)) }
        if tally.failed > 0 { throw (tally.succeeded > 0 ? ExitStatus.incomplete : .failure).code }
        if skipped.hasPictures { throw ExitStatus.incomplete.code }
    }

    /// Counts of pictures.
    private struct Tally {
        var (succeeded, failed) = (0, 0)
        /// The number of pictures with more objects than the limit, and the largest number of objects.
        var (cut, mostObjects) = (0, 0)

        mutating func count(_ result: Result) {
            if result.isFailure { failed += 1 } else { succeeded += 1 }
            if case .success(.objects(let objects, let omitted), _, _) = result.record.outcome, omitted > 0 {
                cut += 1
                mostObjects = max(mostObjects, objects.count + omitted)
            }
        }

        func cutSentence(limit: Int) -> String {
            "\(cut == 1 ? "one picture has" : "\(cut) pictures have") more than \(limit) objects, up to \(mostObjects); "
                + "--max-objects \(mostObjects) gives all."
        }
    }

    private var namedInputs: InputSequence {
        InputSequence(arguments: arguments.inputs, excludedFolders: outputs.folders)
    }

    /// Returns a function that returns one input after another: the named inputs, or those on standard input.
    private func next(_ named: InputReader?) -> @Sendable (Int) async -> Input? {
        if let named { return { _ in named.next() } }
        let paths = StandardInput.Paths()
        return { _ in await paths.next() }
    }

    @Sendable private func result(for input: Input) async -> Result {
        let name = arguments.imagePrefix + input.printedName
        func result(_ outcome: PictureResult.Outcome, outputFailure: String? = nil) -> Result {
            let record = PictureResult(name: name, path: input.relativePath, outcome: outcome)
            return Result(record: record, name: input.printedName, outputFailure: outputFailure)
        }
        do {
            let image = try await input.open()
            let (findings, timings) = try await analyze(image)
            let outcome = PictureResult.Outcome.success(findings, size: image.size, timings: timings)
            do {
                try outputs.write(findings, on: image, of: input)
                return result(outcome)
            } catch {
                return result(outcome, outputFailure: sentence(for: error))
            }
        } catch {
            return result(.failure(sentence(for: error)))
        }
    }

    /// Prints failures that the results do not hold.
    private func report(_ result: Result) {
        if case .failure(let reason) = result.record.outcome, !format.holdsFailures {
            StandardError.report("\(result.name): \(reason)")
        }
        if let failure = result.outputFailure { StandardError.report("\(result.name): \(failure)") }
    }
}

/// Takes inputs from the arguments, one at a time.
private final class InputReader: Sendable {
    private let sequence: Mutex<InputSequence>

    init(_ sequence: InputSequence) {
        self.sequence = Mutex(sequence)
    }

    func next() -> Input? { sequence.withLock { $0.next() } }

    /// The number of inputs that are known so far, and whether no further inputs can be found.
    var knownCount: (total: Int, isFinal: Bool) { sequence.withLock { ($0.knownCount, $0.isKnownCountFinal) } }

    /// The files that were skipped so far.
    var skipped: SkippedFiles { sequence.withLock { $0.skipped } }
}
