import Foundation
import Subprocess
import Synchronization
import Testing

/// A program that runs beside a test. It is killed when the last reference to it goes away.
public final class RunningProgram: Sendable {
    /// The number of its process.
    public let processIdentifier: pid_t
    private let words: String
    private let controls: Controls
    private let transcript: Transcript
    private let work: Task<TerminationStatus, any Error>

    /// The text that it has written so far to standard output, if it writes to ``Program/Output/text``.
    public var output: String { transcript.text(of: .output) }
    /// The text that it has written so far to standard error.
    public var errors: String { transcript.text(of: .errors) }
    /// Whether it has neither ended nor closed its outputs.
    public var isRunning: Bool { transcript.isOpen }

    private init(
        _ words: String,
        _ controls: Controls,
        _ transcript: Transcript,
        _ work: Task<TerminationStatus, any Error>
    ) {
        processIdentifier = controls.processIdentifier
        (self.words, self.controls, self.transcript, self.work) = (words, controls, transcript, work)
    }

    deinit { work.cancel() }

    /// Writes text to its standard input.
    public func send(_ text: String) async throws { try await send(Data(text.utf8)) }

    /// Writes bytes to its standard input.
    public func send(_ data: Data) async throws { try await controls.write(Array(data)) }

    /// Ends its standard input.
    public func closeInput() async { await controls.closeInput() }

    /// Sends it a signal; does nothing if it has ended.
    public func send(signal: Int32) { transcript.whileOpen { controls.signal(signal) } }

    /// Waits until the text on standard output satisfies a condition.
    ///
    /// - Throws: ``ProgramError/ended(_:output:errors:)`` if the program ends before, and
    ///   ``ProgramError/tooSlow(_:output:errors:)`` if it writes nothing of the kind.
    public func waitForOutput(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ isEnough: (String) -> Bool
    ) async throws {
        try await waitForText(in: .output, sourceLocation, isEnough)
    }

    /// Waits until the text on standard error satisfies a condition.
    ///
    /// - Throws: ``ProgramError/ended(_:output:errors:)`` if the program ends before, and
    ///   ``ProgramError/tooSlow(_:output:errors:)`` if it writes nothing of the kind.
    public func waitForErrors(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ isEnough: (String) -> Bool
    ) async throws {
        try await waitForText(in: .errors, sourceLocation, isEnough)
    }

    private func waitForText(
        in stream: Transcript.Stream,
        _ sourceLocation: SourceLocation,
        _ isEnough: (String) -> Bool
    ) async throws {
        do {
            try await wait(while: { try isMissing(isEnough, in: stream) }, sourceLocation: sourceLocation)
        } catch is StillWaiting {
            throw ProgramError.tooSlow(words, output: output, errors: errors)
        }
    }

    private func isMissing(_ isEnough: (String) -> Bool, in stream: Transcript.Stream) throws -> Bool {
        // In this order: a program may write its last message after a look at the text.
        let isOpen = transcript.isOpen
        if isEnough(transcript.text(of: stream)) { return false }
        guard isOpen else { throw ProgramError.ended(words, output: output, errors: errors) }
        return true
    }

    /// Waits for its end, for five minutes at most.
    ///
    /// - Throws: ``ProgramError/tooSlow(_:output:errors:)`` once the time is over; the program is killed then.
    public func result() async throws -> Program.Result {
        let isOverdue = Mutex(false)
        let killer = Task { [work] in
            try await Task.sleep(for: .seconds(300))
            isOverdue.withLock { $0 = true }
            work.cancel()
        }
        defer { killer.cancel() }
        let ending = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            work.cancel()
        }
        if isOverdue.withLock({ $0 }) { throw ProgramError.tooSlow(words, output: output, errors: errors) }
        try Task.checkCancellation()
        return Program.Result(ending: try ending.get(), output: output, errors: errors)
    }

    /// Sends it a signal and waits for its end.
    public func stop(_ signal: Int32 = SIGTERM) async throws -> TerminationStatus {
        send(signal: signal)
        return try await result().ending
    }
}

extension RunningProgram {
    /// Actions on a process, independent of its outputs.
    private struct Controls: Sendable {
        let processIdentifier: pid_t
        let signal: @Sendable (Int32) -> Void
        let write: @Sendable ([UInt8]) async throws -> Void
        let closeInput: @Sendable () async -> Void

        init<Output: OutputProtocol>(_ process: Execution<CustomWriteInput, Output, SequenceOutput>) {
            processIdentifier = process.processIdentifier.value
            signal = { try? process.send(signal: Signal(rawValue: $0)) }
            write = { _ = try await process.standardInputWriter.write($0) }
            closeInput = { try? await process.standardInputWriter.finish() }
        }
    }

    /// Starts a process and reads along until it ends.
    ///
    /// - Parameter text: The output to keep, if it is not written elsewhere.
    static func start<Output: OutputProtocol>(
        _ configuration: Configuration,
        words: String,
        output: Output,
        text: @escaping @Sendable (Execution<CustomWriteInput, Output, SequenceOutput>) -> SubprocessOutputSequence?
    ) async throws -> RunningProgram {
        // Writing to a program that has ended is then an error of the write, and no signal. Programs start without this setting.
        signal(SIGPIPE, SIG_IGN)
        let transcript = Transcript()
        let (starts, start) = AsyncStream<Controls>.makeStream()
        let work = Task {
            defer {
                transcript.close()
                start.finish()
            }
            return try await Subprocess.run(
                configuration,
                input: .inputWriter,
                output: output,
                error: .sequence
            ) { process in
                // A signal sent after this scope could meet another process with the same number.
                defer { transcript.close() }
                start.yield(Controls(process))
                async let errors: Void = transcript.keep(process.standardError, as: .errors)
                if let output = text(process) { try await transcript.keep(output, as: .output) }
                try await errors
            }.terminationStatus
        }
        for await controls in starts { return RunningProgram(words, controls, transcript, work) }
        throw ProgramError.notStarted(words, reason: await String(describing: work.result))
    }
}

/// The text that a program has written so far.
private final class Transcript: Sendable {
    enum Stream { case output, errors }

    private struct State {
        var texts: [Stream: Data] = [:]
        var isOpen = true
    }

    private let state = Mutex(State())

    var isOpen: Bool { state.withLock { $0.isOpen } }

    func text(of stream: Stream) -> String {
        String(decoding: state.withLock { $0.texts[stream] } ?? Data(), as: UTF8.self)
    }

    func keep(_ pieces: SubprocessOutputSequence, as stream: Stream) async throws {
        for try await piece in pieces {
            state.withLock { $0.texts[stream, default: Data()] += Data(buffer: piece) }
        }
    }

    func close() { state.withLock { $0.isOpen = false } }

    /// Calls `body` unless the program has ended, which it does not do meanwhile.
    func whileOpen(_ body: () -> Void) { state.withLock { if $0.isOpen { body() } } }
}
