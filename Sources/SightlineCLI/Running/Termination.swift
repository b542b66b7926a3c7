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

    /// From now on Ctrl-C first lets a file that is being written be finished, and a closed pipe is no signal but an
    /// error of the write.
    ///
    /// To be called before there is a second thread, so that all threads inherit the blocked signal and one alone takes it.
    static func handleSignals() {
        signal(SIGPIPE, SIG_IGN)
        var interruption = sigset_t()
        sigemptyset(&interruption)
        sigaddset(&interruption, SIGINT)
        pthread_sigmask(SIG_BLOCK, &interruption, nil)
        Thread.detachNewThread { [interruption] in
            var (interruption, received) = (interruption, Int32(0))
            sigwait(&interruption, &received)
            writing.withLock { _ in
                if StandardError.isTerminal { StandardError.write("\r\u{1B}[K") }
                // Ends the process as the signal itself would, so that a calling shell sees it.
                raise(SIGINT)
                pthread_sigmask(SIG_UNBLOCK, &interruption, nil)
            }
        }
    }
}
