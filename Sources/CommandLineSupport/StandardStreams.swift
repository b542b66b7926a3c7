import Foundation

/// Standard output, without a buffer: each text reaches the reader at once.
package enum StandardOutput {
    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Writes text in the middle of a run, after removing a progress line from the same terminal.
    package static func writeAfterClearingProgress(_ text: String) {
        if isTerminal, StandardError.isTerminal { StandardError.write("\r\u{1B}[K") }
        write(text)
    }

    /// Writes the text and a line feed, as ``write(_:)`` does.
    package static func writeLine(_ text: String) { write(text + "\n") }

    /// Writes all of the text, or ends the process.
    ///
    /// The process ends quietly if the reader has closed the pipe, as `| head` does. It ends with a message if the text cannot be
    /// stored, for example on a full disk.
    package static func write(_ text: String) {
        switch Descriptor.write(text, to: STDOUT_FILENO) {
        case 0:
            return
        case EPIPE:
            Termination.end(with: .success)
        case let code:
            let reason = String(cString: strerror(code))
            StandardError.report(
                "The results cannot be written (\(reason)); check the disk or file that receives them."
            )
            Termination.end(with: .failure)
        }
    }
}

/// Standard error: messages and progress lines.
package enum StandardError {
    /// Whether standard error is a terminal, which can show a progress line.
    package static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Writes one line with a message.
    package static func report(_ message: String) {
        write("sightline: \(message)\n")
    }

    /// Writes text and ignores errors.
    package static func write(_ text: String) {
        _ = Descriptor.write(text, to: STDERR_FILENO)
    }
}

private enum Descriptor {
    /// Writes all of the text. Returns 0, or the system's error number.
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
