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

    /// What a long run does when it is asked to stop; nil where the process simply ends.
    private static let stop = Mutex<(@Sendable () -> Void)?>(nil)
    /// The signal that asked to stop.
    private static let received = Atomic<Int32>(0)

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
        self.stop.withLock { $0 = stop }
        defer { self.stop.withLock { $0 = nil } }
        return try await body()
    }

    /// From now on Ctrl-C and SIGTERM first let a file that is being written be finished, and a closed pipe is no signal but
    /// an error of the write.
    ///
    /// To be called before there is a second thread, so that all threads inherit the blocked signals and one alone takes
    /// them.
    static func handleSignals() {
        signal(SIGPIPE, SIG_IGN)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        Thread.detachNewThread { [signals] in
            var (signals, taken) = (signals, Int32(0))
            while true {
                sigwait(&signals, &taken)
                let isFirst = received.exchange(taken, ordering: .relaxed) == 0
                if isFirst, let stop = stop.withLock({ $0 }) {
                    stop()
                    continue
                }
                writing.withLock { _ in
                    if StandardError.isTerminal { StandardError.write("\r\u{1B}[K") }
                    // Ends the process as the signal itself would, so that a calling shell sees it.
                    raise(taken)
                    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
                }
            }
        }
    }
}
