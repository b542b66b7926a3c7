import ArgumentParser

/// The exit codes of both commands.
package enum ExitStatus: Int32 {
    /// The command did everything.
    case success = 0
    /// The command ran, but part of its input failed, or its answer is negative: files differ, or a model is unusable.
    case incomplete = 1
    /// The command could not do its work.
    case failure = 2
    /// The command line is wrong.
    case usage = 64

    /// The status as an error that ends a command without a message.
    package var code: ExitCode { ExitCode(rawValue) }

    /// The status of a command that a signal stopped.
    package static func stopped(bySignal number: Int32) -> ExitCode { ExitCode(128 + number) }

    /// A sentence for a command's help, for example `Exit codes: 0 done; 2 it could not be done; 64 the command line is wrong.`
    package static func help(
        success: String = "the command succeeded",
        incomplete: String? = nil,
        failure: String = "it failed",
        signals: String? = nil
    ) -> String {
        var meanings = ["\(Self.success.rawValue) \(success)"]
        if let incomplete { meanings.append("\(Self.incomplete.rawValue) \(incomplete)") }
        meanings.append("\(Self.failure.rawValue) \(failure)")
        meanings.append("\(Self.usage.rawValue) the command line is wrong")
        if let signals { meanings.append(signals) }
        return "Exit codes: \(meanings.joined(separator: "; "))."
    }
}
