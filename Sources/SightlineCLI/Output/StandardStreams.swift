import CommandOutput
import Foundation

/// Standard output, written through at once, picture by picture.
enum StandardOutput {
    /// Writes text in the middle of a run: a progress line on the same terminal is removed before.
    static func writeAfterClearingProgress(_ text: String) {
        if isTerminal, StandardError.isTerminal { StandardError.write("\r\u{1B}[K") }
        write(text)
    }

    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Writes all of the text, or ends the process: quietly where nobody reads any more, for example after `| head`, and
    /// with a message where the text cannot be kept, for example on a full disk.
    static func write(_ text: String) {
        switch Descriptor.write(text, to: STDOUT_FILENO) {
        case 0:
            return
        case EPIPE:
            Termination.end(with: EXIT_SUCCESS)
        case let code:
            StandardError.report(
                "the results cannot be written (\(String(cString: strerror(code)))); check where they go."
            )
            Termination.end(with: ExitStatus.nothingDone.rawValue)
        }
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

    /// Runs code with standard error going nowhere, as the runtime library's greeting should.
    static func silenced<Value>(_ body: () throws -> Value) rethrows -> Value { try withStandardErrorSilenced(body) }
}

private enum Descriptor {
    /// Writes all of the text; gives 0, or the code of the error that prevented it.
    static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else { return errno }
                rest = rest.dropFirst(count)
            }
            return 0
        }
    }
}
