import CommandLineSupport
import SightlineMedia
import Synchronization

/// A sink that several threads may use. Each record is written as a whole, and the output can be read to its end even if a signal stops
/// the run.
final class RecordOutput: Sendable {
    private enum Phase { case before, open, over }

    private struct State {
        var sink: any ResultSink
        var phase = Phase.before
    }

    private let state: Mutex<State>

    init(_ sink: any ResultSink) {
        state = Mutex(State(sink: sink))
    }

    /// Writes the text before the first record.
    func begin() {
        perform { state in
            guard state.phase == .before else { return }
            state.phase = .open
            try state.sink.begin()
        }
    }

    /// Writes a result with a method of the sink, unless the output is over.
    func write(_ append: (inout any ResultSink) throws -> Void) {
        perform { state in
            if state.phase == .open { try append(&state.sink) }
        }
    }

    /// Writes the text after the last record, if the output has begun. Any thread may call this, also repeatedly.
    func close() {
        perform { state in
            let isOpen = state.phase == .open
            state.phase = .over
            if isOpen { try state.sink.finish() }
        }
    }

    /// Changes the state. Ends the process with a message if the results cannot be written.
    private func perform(_ body: (inout State) throws -> Void) {
        do {
            try state.withLock { try body(&$0) }
        } catch {
            StandardError.report(sentence(for: error))
            Termination.end(with: .failure)
        }
    }
}
