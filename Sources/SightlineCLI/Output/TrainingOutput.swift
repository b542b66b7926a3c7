import ArgumentParser
import CommandLineSupport
import SightlineTraining
import TextFormatting

/// The output of a command that trains.
enum TrainingFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Text for people.
    case table
    /// The card as one JSON document.
    case json
    /// A line of JSON for each step, at most ten in a second, and one with the card (JSON Lines).
    case jsonl
}

/// Shows the progress and the result of a training: to people on the terminal, to programs as lines.
struct TrainingOutput {
    private let format: TrainingFormat
    private var pictures = PictureProgress()
    private var line = ProgressLine()
    private var last: (stage: String, time: ContinuousClock.Instant)?

    init(_ format: TrainingFormat) { self.format = format }

    private struct Step: Encodable {
        let stage: String
        let done: Int
        let total: Int
        var skipped: Int?
    }

    /// Shows the progress.
    mutating func show(_ progress: BoxTrainingProgress) {
        switch progress {
        case .reading(let done, let skipped, let total):
            if format == .jsonl {
                write(Step(stage: "reading", done: done, total: total, skipped: skipped))
            } else {
                pictures.show(done: done, of: total, failed: skipped)
            }
        case .covered(let coverage):
            clear()
            StandardError.report(coverage.sentence)
            if format == .jsonl {
                write(Step(stage: "proposing", done: coverage.coveredCount, total: coverage.boxCount))
            }
        case .fitting(let done, let total):
            if format == .jsonl {
                write(Step(stage: "fitting", done: done, total: total))
            } else {
                line.show(isFinal: done == 0) { "\(ProgressLine.bar(Double(done) / Double(max(total, 1)))) fitting" }
            }
        }
    }

    /// Writes a step, unless one of the same stage was written in the last tenth of a second; the first and the last are always written.
    private mutating func write(_ step: Step) {
        let now = ContinuousClock.now
        if let last, last.stage == step.stage, now - last.time < .milliseconds(100), step.done < step.total { return }
        last = (step.stage, now)
        if let text = try? JSONOutput.line(step) { StandardOutput.writeExactly(text) }
    }

    /// Removes the progress from the terminal.
    mutating func clear() {
        pictures.clear()
        line.clear()
    }

    /// Prints the result.
    func print(_ card: some Encodable, table: () -> String) throws {
        switch format {
        case .table: StandardOutput.write(table())
        case .json: StandardOutput.writeExactly(try JSONOutput.document(card))
        case .jsonl: StandardOutput.writeExactly(try JSONOutput.line(["card": card]))
        }
    }

    /// The place to which another program writes its text for people.
    var textOutput: OtherProgram.Output { format == .table ? .standardOutput : .standardError }
}
