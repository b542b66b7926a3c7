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
    /// - Throws: `ExitCode` 1 if some pictures failed, 2 if all did.
    func run() async throws {
        var printer = RecordPrinter(format: arguments.outputFormat, showsNames: !arguments.isSingle)
        var progress =
            arguments.readsPathsFromStandardInput
            ? nil : ProgressBar(total: namedInputs.reduce(0) { count, _ in count + 1 })
        var (succeeded, failed) = (0, 0)
        StandardOutput.write(printer.start(kind))
        await OrderedWork.run(workers: arguments.workers, next: inputs, work: result) { result in
            progress?.clear()
            StandardOutput.write(printer.text(result.record))
            report(result)
            if result.isFailure { failed += 1 } else { succeeded += 1 }
            progress?.advance(failed: result.isFailure)
        }
        progress?.clear()
        StandardOutput.write(printer.end())
        if failed > 0 { throw succeeded > 0 ? ExitStatus.somePicturesFailed : ExitStatus.nothingDone }
    }

    private var namedInputs: InputSequence {
        InputSequence(arguments: arguments.inputs, excludedFolder: annotation?.folder)
    }

    /// Gives one input after the other.
    private var inputs: @Sendable () async -> Input? {
        if arguments.readsPathsFromStandardInput {
            let lines = StandardInput.Lines()
            return { await lines.next() }
        }
        let sequence = InputReader(namedInputs)
        return { await sequence.next() }
    }

    @Sendable private func result(for input: Input) async -> Result {
        do {
            let image = try input.open()
            let (findings, timings) = try await analyze(image)
            let record = PictureRecord(
                image: input.name,
                outcome: .found(findings, size: image.size, timings: timings)
            )
            do {
                try annotation?.write(findings, on: image, of: input)
                return Result(record: record, annotationFailure: nil)
            } catch {
                return Result(record: record, annotationFailure: sentence(for: error))
            }
        } catch {
            let record = PictureRecord(image: input.name, outcome: .failed(sentence(for: error)))
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
}

/// The exit codes, as the commands' help lists them.
enum ExitStatus {
    static let somePicturesFailed = ExitCode(1)
    static let nothingDone = ExitCode(2)

    static let help = """
        Exit codes: 0 everything was done; 1 some pictures failed; 2 nothing could be done, since the model or every \
        picture is missing or unusable; 64 the command line is wrong.
        """
}

/// An error as one sentence for people.
func sentence(for error: any Error) -> String {
    (error as? any LocalizedError)?.errorDescription ?? "\(error)"
}
