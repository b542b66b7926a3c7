import ArgumentParser
import Foundation

/// Runs code and turns an error into a line on standard error.
///
/// - Parameter status: the exit code in case of an error.
/// - Throws: `ExitCode` after the line is printed. An `ExitCode` that the code throws passes without a line.
package func reporting<Value>(as status: ExitStatus = .failure, _ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch {
        throw reported(error, as: status)
    }
}

/// Runs code and turns an error into a line on standard error.
///
/// - Parameter status: the exit code in case of an error.
/// - Throws: `ExitCode` after the line is printed. An `ExitCode` that the code throws passes without a line.
package func reporting<Value>(
    as status: ExitStatus = .failure,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> sending Value
) async throws -> sending Value {
    do {
        return try await body()
    } catch {
        throw reported(error, as: status)
    }
}

private func reported(_ error: any Error, as status: ExitStatus) -> ExitCode {
    if let code = error as? ExitCode { return code }
    StandardError.report(sentence(for: error))
    return status.code
}

/// An error as one sentence for people.
package func sentence(for error: any Error) -> String {
    (error as? any LocalizedError)?.errorDescription ?? "\(error)"
}
