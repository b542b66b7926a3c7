import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import Synchronization

/// The way of all pictures of one command: open, analyse, annotate, print.
struct PictureRun: Sendable {
    /// What the command does with one picture.
    typealias Analysis = @Sendable (VisionImage) async throws -> (PictureRecord.Findings, StageTimings)

    /// The exit codes of the commands that read pictures, for their help.
    static let exitCodes = ExitStatus.help(
        success: "all pictures are done",
        incomplete: "some pictures failed, or a folder has pictures in an unsupported format",
        failure: "nothing is done, because the model or every picture is missing or unusable"
    )

    let arguments: PictureArguments
    let kind: FindingsKind
    let annotation: AnnotationTarget?
    /// How many objects a picture may have, if nobody chose that number.
    var unchosenLimit: Int?
    let analyze: Analysis

    /// A picture's record, and what went wrong after it was analysed.
    private struct Result: Sendable {
        let record: PictureRecord
        let annotationFailure: String?

        var isFailure: Bool {
            if case .failed = record.outcome { true } else { annotationFailure != nil }
        }
    }

    /// Analyses all pictures and prints what is found.
    ///
    /// - Throws: `ExitCode` 1 if some pictures failed or were skipped, 2 if all failed.
    func run() async throws {
        let output = RecordOutput(RecordPrinter(format: arguments.outputFormat, showsNames: !arguments.isSingle))
        var progress = PictureProgress()
        let inputs = arguments.readsPathsFromStandardInput ? nil : InputReader(namedInputs)
        var tally = Tally()
        await Termination.closing(by: { output.close() }) {
            output.begin(kind)
            await OrderedWork.run(workers: arguments.workers, next: next(inputs), work: result) { result in
                progress.clear()
                output.write(result.record)
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
        if tally.failed > 0 {
            throw tally.succeeded > 0 ? ExitStatus.incomplete.code : ExitStatus.failure.code
        }
        if skipped.hasPictures { throw ExitStatus.incomplete.code }
    }

    /// What became of the pictures.
    private struct Tally {
        var (succeeded, failed) = (0, 0)
        /// Pictures with more objects than were asked for, and the most objects that one has.
        var (cut, mostObjects) = (0, 0)

        mutating func count(_ result: Result) {
            if result.isFailure { failed += 1 } else { succeeded += 1 }
            if case .found(.objects(let objects, let omitted), _, _) = result.record.outcome, omitted > 0 {
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
        InputSequence(arguments: arguments.inputs, excludedFolder: annotation?.folder)
    }

    /// Gives one input after the other: those that are named, or those on standard input.
    private func next(_ named: InputReader?) -> @Sendable () async -> Input? {
        if let named { return { named.next() } }
        let paths = StandardInput.Paths()
        return { await paths.next() }
    }

    @Sendable private func result(for input: Input) async -> Result {
        do {
            let image = try await input.open()
            let (findings, timings) = try await analyze(image)
            let record = PictureRecord(
                image: input.printedName,
                outcome: .found(findings, size: image.size, timings: timings)
            )
            do {
                try annotation?.write(findings, on: image, of: input)
                return Result(record: record, annotationFailure: nil)
            } catch {
                return Result(record: record, annotationFailure: sentence(for: error))
            }
        } catch {
            let record = PictureRecord(image: input.printedName, outcome: .failed(sentence(for: error)))
            return Result(record: record, annotationFailure: nil)
        }
    }

    /// Says on standard error what went wrong, unless the output's format has a place for it.
    private func report(_ result: Result) {
        if case .failed(let reason) = result.record.outcome, !arguments.outputFormat.holdsErrors {
            StandardError.report("\(result.record.image): \(reason)")
        }
        if let failure = result.annotationFailure { StandardError.report("\(result.record.image): \(failure)") }
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
