import CommandLineSupport
import Synchronization

/// Standard output as records: each is written whole, and the text is always one that can be read to its end.
final class RecordOutput: Sendable {
    private enum Phase { case before, open, over }

    private struct State {
        var printer: RecordPrinter
        var phase = Phase.before
    }

    private let state: Mutex<State>

    init(_ printer: RecordPrinter) {
        state = Mutex(State(printer: printer))
    }

    /// Writes what comes before the first record.
    func begin(_ kind: FindingsKind) {
        state.withLock { state in
            guard state.phase == .before else { return }
            state.phase = .open
            StandardOutput.write(state.printer.start(kind))
        }
    }

    /// Writes a record, unless the output is over.
    func write(_ record: PictureRecord) {
        state.withLock { state in
            if state.phase == .open { StandardOutput.write(state.printer.text(record)) }
        }
    }

    /// Writes what comes after the last record, if anything was begun. May be called again, from any thread.
    func close() {
        state.withLock { state in
            let isOpen = state.phase == .open
            state.phase = .over
            if isOpen { StandardOutput.write(state.printer.end()) }
        }
    }
}
