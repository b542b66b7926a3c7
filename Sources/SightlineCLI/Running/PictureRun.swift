import ArgumentParser
import Foundation
import Sightline

/// The way of all pictures of one command: open, analyse, annotate, print.
struct PictureRun: Sendable {
    /// What the command does with one picture.
    typealias Analysis = @Sendable (VisionImage) async throws -> (PictureRecord.Findings, StageTimings)

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
        var progress =
            arguments.readsPathsFromStandardInput
            ? nil : ProgressBar(total: namedInputs.reduce(0) { count, _ in count + 1 })
        let inputs = arguments.readsPathsFromStandardInput ? nil : InputReader(namedInputs)
        var tally = Tally()
        await Termination.sayingFarewell(by: { output.close() }) {
            output.begin(kind)
            await OrderedWork.run(workers: arguments.workers, next: next(inputs), work: result) { result in
                progress?.clear()
                output.write(result.record)
                report(result)
                tally.count(result)
                progress?.advance(failed: result.isFailure)
            }
            progress?.clear()
            output.close()
        }
        let skipped = await inputs?.skipped ?? SkippedFiles()
        if !skipped.isEmpty { StandardError.report(skipped.sentence) }
        if let unchosenLimit, tally.cut > 0 { StandardError.report(tally.cutSentence(limit: unchosenLimit)) }
        if tally.failed > 0 {
            throw tally.succeeded > 0 ? ExitStatus.notEverythingDone : ExitStatus.nothingDone
        }
        if skipped.hasPictures { throw ExitStatus.notEverythingDone }
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
        if let named { return { await named.next() } }
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

/// Takes inputs from the arguments one at a time.
private actor InputReader {
    private var sequence: InputSequence

    init(_ sequence: InputSequence) {
        self.sequence = sequence
    }

    func next() -> Input? { sequence.next() }

    /// What was skipped so far.
    var skipped: SkippedFiles { sequence.skipped }
}

/// The exit codes, as the commands' help lists them.
enum ExitStatus {
    static let notEverythingDone = ExitCode(1)
    static let nothingDone = ExitCode(2)
    /// A model can be read but not used.
    static let unusableModel = ExitCode(1)

    static let help = """
        Exit codes: 0 everything was done; 1 some pictures failed, or folders hold pictures of kinds that are not read; \
        2 nothing could be done, since the model or every picture is missing or unusable; 64 the command line is wrong.
        """
}

/// An error as one sentence for people.
func sentence(for error: any Error) -> String {
    (error as? any LocalizedError)?.errorDescription ?? "\(error)"
}
