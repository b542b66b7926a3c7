import Foundation
import TextFormatting

/// Standard output, without a buffer: each text reaches the reader at once.
///
/// Names of files, labels of models and answers of servers may contain characters that act on a terminal. Text for people never has
/// them; text for programs has them unless it goes to a terminal. JSON has them as escapes (``TextFormatting/JSONText``).
package enum StandardOutput {
    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Writes text for programs in the middle of a run, after removing a progress line from the same terminal.
    package static func writeAfterClearingProgress(_ text: String) {
        if isTerminal { StandardError.clearLine() }
        writeExactly(text)
    }

    /// Writes a line for people. A line break in the text becomes a space.
    package static func writeLine(_ text: String) { writeAll(TerminalText.printable(text) + "\n") }

    /// Writes lines for people.
    package static func write(_ text: String) { writeAll(TerminalText.printableLines(text)) }

    /// Writes text for programs, such as CSV or a path.
    package static func writeExactly(_ text: String) { writeAll(isTerminal ? TerminalText.printableLines(text) : text) }

    /// Writes bytes for programs.
    package static func writeExactly(_ data: Data) { end(unless: Descriptor.write(data, to: STDOUT_FILENO)) }

    private static func writeAll(_ text: String) { end(unless: Descriptor.write(text, to: STDOUT_FILENO)) }

    /// Ends the process if a write failed.
    ///
    /// The process ends quietly if the reader has closed the pipe, as `| head` does. It ends with a message if the text cannot be
    /// stored, for example on a full disk.
    private static func end(unless code: Int32) {
        switch code {
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

    /// The messages that a thread collects in place of writing them.
    private final class Collection {
        var messages: [String] = []
    }

    // A task-local value would be simpler, but the optimizer of Swift 6.3 makes a crash of its synchronous `withValue`.
    private static let collectionKey = "sightline.messages"

    /// Runs a function and returns the messages that it reports, which are not written: for callers that put them into an order or leave
    /// out repetitions. Messages of other threads are written.
    package static func collectingMessages<Value>(
        _ body: () throws -> Value
    ) -> (result: Result<Value, any Error>, messages: [String]) {
        let thread = Thread.current.threadDictionary
        let (outer, own) = (thread[collectionKey], Collection())
        thread[collectionKey] = own
        defer { thread[collectionKey] = outer }
        return (Result(catching: body), own.messages)
    }

    /// Writes one line with a message. A line break in the message becomes a space.
    package static func report(_ message: String) {
        if let collection = Thread.current.threadDictionary[collectionKey] as? Collection {
            collection.messages.append(message)
            return
        }
        write("sightline: \(TerminalText.printable(message))\n")
    }

    /// Writes lines for people, as `StandardOutput.write` does, and ignores errors.
    package static func write(_ text: String) {
        _ = Descriptor.write(TerminalText.printableLines(text), to: STDERR_FILENO)
    }

    /// On a terminal, writes text in place of the last line, which has no line break yet.
    package static func replaceLine(with text: String) {
        guard isTerminal else { return }
        _ = Descriptor.write("\r\u{1B}[K" + TerminalText.printable(text), to: STDERR_FILENO)
    }

    /// On a terminal, removes the last line, which has no line break yet.
    package static func clearLine() { replaceLine(with: "") }
}

private enum Descriptor {
    /// Writes all of the text. Returns 0, or the system's error number.
    static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    /// Writes all of the bytes. Returns 0, or the system's error number.
    static func write(_ data: Data, to descriptor: Int32) -> Int32 {
        data.withUnsafeBytes { write($0, to: descriptor) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return 0
    }
}
