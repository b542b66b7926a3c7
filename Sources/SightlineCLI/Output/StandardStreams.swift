import Foundation
import Synchronization

/// Standard output, written through at once, picture by picture.
enum StandardOutput {
    /// Writes all of the text. Where nobody reads any more, for example after `| head`, the process ends quietly.
    static func write(_ text: String) {
        guard Descriptor.write(text, to: STDOUT_FILENO) else { Termination.end(with: EXIT_SUCCESS) }
    }
}

/// Standard error: messages and the progress bar.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// One line that says what is wrong.
    static func report(_ message: String) {
        write("sightline: \(message)\n")
    }

    static func write(_ text: String) {
        _ = Descriptor.write(text, to: STDERR_FILENO)
    }

    /// Runs code with standard error going nowhere.
    ///
    /// The runtime library greets each process with a line about its kernels and has no setting against it; what goes
    /// wrong there comes back as an error. To be called while nothing else writes to standard error.
    static func silenced<Value>(_ body: () throws -> Value) rethrows -> Value {
        let original = dup(STDERR_FILENO)
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        if original >= 0, nowhere >= 0 { dup2(nowhere, STDERR_FILENO) }
        defer {
            if original >= 0 {
                dup2(original, STDERR_FILENO)
                close(original)
            }
            if nowhere >= 0 { close(nowhere) }
        }
        return try body()
    }
}

private enum Descriptor {
    /// Whether all of the text could be written.
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
}

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
