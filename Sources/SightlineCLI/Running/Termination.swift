import Foundation
import Synchronization

/// Ends the process without leaving half-written files behind.
enum Termination {
    /// Held while a file is written.
    private static let writing = Mutex(())

    /// Writes a file; the process is not ended by ``end(with:)`` or Ctrl-C meanwhile.
    static func whileWriting<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        let result: Result<Void, Failure> = writing.withLock { _ in
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    static func end(with status: Int32) -> Never {
        writing.withLock { _ in exit(status) }
    }

    /// What the first Ctrl-C or SIGTERM does.
    private struct Answer: Sendable {
        let body: @Sendable () -> Void
        /// Whether the process ends then; otherwise the run does, soon.
        let endsProcess: Bool
    }

    /// Nil where the process simply ends.
    private static let answer = Mutex<Answer?>(nil)
    /// The signal that asked to stop.
    private static let received = Atomic<Int32>(0)

    /// Signals in so short a time are one wish: a shell and a program in between may both pass on what the user typed.
    private static let sameWish = Duration.milliseconds(500)

    /// The signal that asked to stop, since ``stopping(by:while:)`` began; nil if none did.
    static var stopSignal: Int32? {
        let signal = received.load(ordering: .relaxed)
        return signal == 0 ? nil : signal
    }

    /// Runs something that can be asked to stop: the first Ctrl-C or SIGTERM meanwhile only calls `stop`, so that files can
    /// be finished; another one ends the process.
    static func stopping<Value>(
        by stop: @escaping @Sendable () -> Void,
        while body: () async throws -> Value
    ) async rethrows -> Value {
        try await answering(Answer(body: stop, endsProcess: false), while: body)
    }

    /// Runs something whose output has an end: the first Ctrl-C or SIGTERM meanwhile calls `farewell`, which writes it, and
    /// then ends the process; another one ends it at once, for example when nobody reads the output.
    static func sayingFarewell<Value>(
        by farewell: @escaping @Sendable () -> Void,
        while body: () async throws -> Value
    ) async rethrows -> Value {
        try await answering(Answer(body: farewell, endsProcess: true), while: body)
    }

    private static func answering<Value>(
        _ answer: Answer,
        while body: () async throws -> Value
    ) async rethrows -> Value {
        self.answer.withLock { $0 = answer }
        defer { self.answer.withLock { $0 = nil } }
        return try await body()
    }

    /// In the mailbox: the farewell is said.
    private static let farewellIsOver: UInt8 = 0

    /// The ends of a pipe on which the signal handler says what came; made before the handler.
    private static let mailbox: (reading: Int32, writing: Int32) = {
        var ends: [Int32] = [-1, -1]
        return pipe(&ends) == 0 ? (ends[0], ends[1]) : (-1, -1)
    }()

    /// From now on Ctrl-C and SIGTERM first let a file that is being written be finished, and a closed pipe is no signal but
    /// an error of the write.
    ///
    /// The handler does nothing but write a byte, which a handler may do; a thread does the rest. (A thread that waits for
    /// blocked signals would not do: libdispatch has one that unblocks them all.)
    static func handleSignals() {
        signal(SIGPIPE, SIG_IGN)
        guard mailbox.reading >= 0 else { return }
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                var letter = UInt8(truncatingIfNeeded: number)
                _ = write(Termination.mailbox.writing, &letter, 1)
            }
        }
        Thread.detachNewThread {
            var letter: UInt8 = 0
            var asked: ContinuousClock.Instant?
            while true {
                guard read(mailbox.reading, &letter, 1) == 1 else { continue }
                if letter == farewellIsOver { end(bySignal: received.load(ordering: .relaxed)) }
                if let answer = answer.withLock({ $0 }) {
                    if let asked, ContinuousClock.now - asked < sameWish { continue }
                    if asked == nil {
                        asked = .now
                        received.store(Int32(letter), ordering: .relaxed)
                        give(answer)
                        continue
                    }
                }
                end(bySignal: Int32(letter))
            }
        }
    }

    private static func give(_ answer: Answer) {
        guard answer.endsProcess else { return answer.body() }
        // On a thread of its own, since writing may wait for whoever reads.
        Thread.detachNewThread {
            answer.body()
            var letter = farewellIsOver
            _ = write(mailbox.writing, &letter, 1)
        }
    }

    /// Ends the process as a signal does, so that a calling shell sees it.
    private static func end(bySignal number: Int32) {
        writing.withLock { _ in
            if StandardError.isTerminal { StandardError.write("\r\u{1B}[K") }
            signal(number, SIG_DFL)
            // This thread may have been made by one that blocks signals.
            var taken = sigset_t()
            sigemptyset(&taken)
            sigaddset(&taken, number)
            pthread_sigmask(SIG_UNBLOCK, &taken, nil)
            raise(number)
        }
    }
}
