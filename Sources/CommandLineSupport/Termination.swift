import Foundation
import Synchronization

/// Ends the process without leaving half-written files behind.
package enum Termination {
    /// Held while a file is written.
    private static let writing = Mutex(())

    /// Writes a file. Until `body` returns, neither ``end(with:)`` nor Ctrl-C ends the process.
    package static func whileWriting<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        let result: Result<Void, Failure> = writing.withLock { _ in
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Ends the process at once. Other threads may still use libraries, which `exit` would unload; nothing here has a buffer.
    package static func end(with status: ExitStatus) -> Never {
        writing.withLock { _ in _exit(status.rawValue) }
    }

    /// The response to the first Ctrl-C or SIGTERM.
    private struct Response: Sendable {
        let body: @Sendable () -> Void
        /// Whether the process ends after `body`. Otherwise `body` makes the run end soon.
        let endsProcess: Bool
    }

    /// Nil if a signal ends the process at once.
    private static let response = Mutex<Response?>(nil)
    /// The first signal.
    private static let received = Atomic<Int32>(0)

    /// Signals that follow each other faster count as one: a shell and a program between may both pass on one Ctrl-C.
    private static let repeatInterval = Duration.milliseconds(500)

    /// The signal that asked the run to stop; nil if there was no signal since ``stopping(by:while:)`` began.
    package static var stopSignal: Int32? {
        let signal = received.load(ordering: .relaxed)
        return signal == 0 ? nil : signal
    }

    /// Runs code that can be asked to stop.
    ///
    /// The first Ctrl-C or SIGTERM only calls `stop`, so that the run can finish its files. A second signal ends the process.
    package static func stopping<Value>(
        by stop: @escaping @Sendable () -> Void,
        while body: () async throws -> Value
    ) async rethrows -> Value {
        try await responding(with: Response(body: stop, endsProcess: false), while: body)
    }

    /// Runs code whose output has a fixed ending.
    ///
    /// The first Ctrl-C or SIGTERM calls `close`, which writes the ending, and then ends the process. A second signal ends the
    /// process at once, for example if the output has no reader.
    package static func closing<Value>(
        by close: @escaping @Sendable () -> Void,
        while body: () async throws -> Value
    ) async rethrows -> Value {
        try await responding(with: Response(body: close, endsProcess: true), while: body)
    }

    private static func responding<Value>(
        with response: Response,
        while body: () async throws -> Value
    ) async rethrows -> Value {
        self.response.withLock { $0 = response }
        defer { self.response.withLock { $0 = nil } }
        return try await body()
    }

    /// The byte in the pipe that reports the end of a closing response. Other bytes are signal numbers.
    private static let responseIsOver: UInt8 = 0

    /// The ends of a pipe into which the signal handler writes. The pipe is made before the handler.
    private static let signalPipe: (reading: Int32, writing: Int32) = {
        var ends: [Int32] = [-1, -1]
        return pipe(&ends) == 0 ? (ends[0], ends[1]) : (-1, -1)
    }()

    /// Installs the handlers of Ctrl-C and SIGTERM, and turns a closed pipe from a signal into an error of the write.
    ///
    /// The handler only writes a byte, which POSIX allows in a handler; a thread does the rest. A thread that waits for blocked
    /// signals would not work, because a thread of libdispatch unblocks all of them.
    package static func handleSignals() {
        signal(SIGPIPE, SIG_IGN)
        guard signalPipe.reading >= 0 else { return }
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Termination.signalPipe.writing, &byte, 1)
            }
        }
        Thread.detachNewThread {
            var byte: UInt8 = 0
            var first: ContinuousClock.Instant?
            while true {
                guard read(signalPipe.reading, &byte, 1) == 1 else { continue }
                if byte == responseIsOver { end(bySignal: received.load(ordering: .relaxed)) }
                if let response = response.withLock({ $0 }) {
                    if let first, ContinuousClock.now - first < repeatInterval { continue }
                    if first == nil {
                        first = .now
                        received.store(Int32(byte), ordering: .relaxed)
                        start(response)
                        continue
                    }
                }
                end(bySignal: Int32(byte))
            }
        }
    }

    private static func start(_ response: Response) {
        guard response.endsProcess else { return response.body() }
        // A separate thread, because the write may wait for the reader.
        Thread.detachNewThread {
            response.body()
            var byte = responseIsOver
            _ = write(signalPipe.writing, &byte, 1)
        }
    }

    /// Ends the process by the signal's default action, so that the calling shell sees the signal.
    private static func end(bySignal number: Int32) {
        writing.withLock { _ in
            StandardError.clearLine()
            signal(number, SIG_DFL)
            // The thread that made this one may have blocked signals.
            var taken = sigset_t()
            sigemptyset(&taken)
            sigaddset(&taken, number)
            pthread_sigmask(SIG_UNBLOCK, &taken, nil)
            raise(number)
        }
    }
}
