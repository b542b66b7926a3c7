import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineMedia
import Synchronization

/// Opens, analyzes, annotates and prints the pictures of one command.
struct PictureRun: Sendable {
    /// The analysis of one picture.
    typealias Analysis = @Sendable (VisionImage) async throws -> PictureResult.Outcome

    /// The exit codes of the commands that read pictures, for their help.
    static let exitCodes = ExitStatus.help(
        success: "all pictures are done, or with --keep-going have a result or an error",
        incomplete: "some pictures failed, or a folder has pictures in an unsupported format",
        failure:
            "nothing is done, because the model or every picture is missing or unusable; or the frames on standard input end early"
    )

    let arguments: PictureArguments
    let workers: Int
    let format: ResultFormat
    let outputs: PictureOutputs
    /// Whether another run can continue in the file of results.
    var canResume = false
    /// A sentence for a person whose objects have no labels.
    var namelessAdvice: String?
    /// The default limit of objects in a picture; nil if the command line has a limit.
    var unchosenLimit: Int?
    /// Takes the objects whose confidence is too low to report them; nil if there are none.
    var sheet: CheckSheet?
    let analyze: Analysis

    /// A picture's record, and the reason why its annotated picture is missing.
    private struct Result: Sendable {
        let record: PictureResult
        /// The input's name in messages.
        let name: String
        let outputFailure: (any Error)?

        /// Whether further pictures cannot be written either.
        var diskIsFull: Bool {
            switch outputFailure {
            case ImageError.diskFull?: true
            case let error as DurableFileError: error.isForSpace
            default: false
            }
        }

        var isFailure: Bool {
            if case .failure = record.outcome { true } else { outputFailure != nil }
        }

        /// The record to write. A picture is done when all that belongs to it is written, so one without its new picture has failed.
        func written(in format: ResultFormat) -> PictureResult {
            guard let outputFailure, format.holdsFailures else { return record }
            var failed = record
            failed.outcome = .failure(sentence(for: outputFailure))
            return failed
        }
    }

    /// Analyzes all pictures and writes the results.
    ///
    /// - Parameters:
    ///   - sink: takes the results.
    ///   - earlier: the names of pictures that an earlier run has done.
    ///   - printsSummary: whether a summary may go to standard output; otherwise it goes to the terminal only.
    /// - Throws: `ExitCode` 1 if some pictures failed or were skipped, 2 if all failed, unless the run keeps going; also 2 if standard
    ///   input ended early.
    func run(writingTo sink: any ResultSink, skipping earlier: Set<String>, printsSummary: Bool) async throws {
        let output = RecordOutput(sink)
        var progress = PictureProgress()
        let source = source
        let inputs = source as? InputReader
        let doneBefore = Shared(0)
        var tally = PictureTally()
        let diskIsFull = Shared(false)
        let next = next(of: source, until: diskIsFull) { input in
            guard earlier.contains(name(of: input)) else { return false }
            doneBefore.update { $0 += 1 }
            return true
        }
        await Termination.closing(by: {
            output.close()
            if canResume { StandardError.report("Stopped; the same command with --resume continues here.") }
        }) {
            output.begin()
            await OrderedWork.run(workers: workers, next: next, work: result) { result in
                progress.clear()
                output.write { try $0.append(result.written(in: format)) }
                report(result)
                if result.diskIsFull { diskIsFull.update { $0 = true } }
                tally.count(result.record.outcome, isFailure: result.isFailure)
                if let inputs {
                    let (total, isFinal) = inputs.knownCount
                    let done = tally.done + doneBefore.value
                    progress.show(done: done, of: total, isTotalFinal: isFinal, failed: tally.failed)
                }
            }
            progress.clear()
            output.close()
        }
        let skipped = inputs?.skipped ?? SkippedFiles()
        if !skipped.isEmpty { StandardError.report(skipped.sentence) }
        if let sentence = unchosenLimit.flatMap(tally.cutSentence) { StandardError.report(sentence) }
        if let sentence = tally.unnamedSentence { StandardError.report(sentence) }
        if let sentence = tally.namelessSentence { StandardError.report(sentence) }
        // A table shows it for each picture.
        if format != .table, let sentence = tally.guessSentence { StandardError.report(sentence) }
        let places = outputs.summary.map { $0 + "\n" } ?? ""
        if !arguments.isSingle, tally.done + doneBefore.value > 1 || !places.isEmpty {
            let summary = tally.summary(earlier: doneBefore.value) + "\n" + places
            if printsSummary {
                StandardOutput.write(format == .table ? "\n" + summary : summary)
            } else if StandardError.isTerminal {
                StandardError.write(summary)
            }
        }
        // Printed last, where people look next.
        if let namelessAdvice, tally.areMostlyNameless, StandardError.isTerminal {
            StandardError.report(namelessAdvice)
        }
        if let failure = source.failure {
            StandardError.report(sentence(for: failure))
            throw ExitStatus.failure.code
        }
        if diskIsFull.value {
            StandardError.report("The run ends here, because no further picture could be written.")
            throw ExitStatus.failure.code
        }
        if arguments.keepGoing { return }
        if tally.failed > 0 { throw (tally.succeeded > 0 ? ExitStatus.incomplete : .failure).code }
        if skipped.hasPictures { throw ExitStatus.incomplete.code }
    }

    /// The pictures of the command line.
    private var source: any InputSource {
        switch arguments.standardInput {
        case nil: InputReader(InputSequence(arguments: arguments.inputs, excludedFolders: outputs.folders))
        case .paths: StandardInput.Paths()
        case .frames: StandardInput.Frames(maximumBytes: arguments.limits.forPictures.maximumBytes)
        }
    }

    /// Returns a function that returns one input after another.
    ///
    /// - Parameters:
    ///   - end: ends the inputs once it is true.
    ///   - isDone: whether an input is left out, because an earlier run has done it.
    private func next(
        of source: any InputSource,
        until end: Shared<Bool>,
        unless isDone: @escaping @Sendable (Input) -> Bool
    ) -> @Sendable (Int) async -> Input? {
        { _ in
            guard !end.value else { return nil }
            var input: Input?
            repeat { input = await source.next() } while input.map(isDone) ?? false
            return input
        }
    }

    /// The name of a picture in results. A prefix stands for the folder argument; in an address, the name is a part of its path.
    private func name(of input: Input) -> String {
        let prefix = arguments.imagePrefix
        guard !prefix.isEmpty else { return input.printedName }
        let path = input.relativePath
        guard Input.isAddress(prefix) else { return prefix + path }
        return prefix + (path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path)
    }

    @Sendable private func result(for input: Input) async -> Result {
        let name = name(of: input)
        func result(_ outcome: PictureResult.Outcome, outputFailure: (any Error)? = nil) -> Result {
            let record = PictureResult(name: name, path: input.relativePath, outcome: outcome)
            return Result(record: record, name: input.printedName, outputFailure: outputFailure)
        }
        do {
            let image = try await input.open(limits: arguments.limits.forPictures)
            var outcome = try await analyze(image)
            if let sheet, case .objects(let result) = outcome {
                outcome = .objects(sheet.reported(result, in: outputs.annotatedPath(for: input), named: name))
            }
            do {
                try outputs.write(outcome, on: image, of: input)
                return result(outcome)
            } catch {
                return result(outcome, outputFailure: error)
            }
        } catch {
            return result(.failure(LimitArguments.sentence(for: error) ?? sentence(for: error)))
        }
    }

    /// Prints failures, unless a program looks for them in the results.
    private func report(_ result: Result) {
        if case .failure(let reason) = result.record.outcome, !format.holdsFailures || !arguments.keepGoing {
            // Some reasons begin with the name already.
            let hasName = ["", "The file "].contains { reason.hasPrefix("\($0)\(result.name) ") }
            StandardError.report(hasName ? reason : "\(result.name): \(reason)")
        }
        if let failure = result.outputFailure { StandardError.report("\(result.name): \(sentence(for: failure))") }
    }
}

/// A value that several tasks share.
private final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock(\.self) }

    func update(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}

/// Takes inputs from the arguments, one at a time.
private final class InputReader: InputSource {
    private let sequence: Mutex<InputSequence>

    init(_ sequence: InputSequence) {
        self.sequence = Mutex(sequence)
    }

    func next() async -> Input? { sequence.withLock { $0.next() } }

    /// The number of inputs that are known so far, and whether no further inputs can be found.
    var knownCount: (total: Int, isFinal: Bool) { sequence.withLock { ($0.knownCount, $0.isKnownCountFinal) } }

    /// The files that were skipped so far.
    var skipped: SkippedFiles { sequence.withLock { $0.skipped } }
}
