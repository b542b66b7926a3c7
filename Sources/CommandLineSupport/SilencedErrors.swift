import Foundation

/// Runs code with standard error connected to `/dev/null`.
///
/// The runtime library prints a line about its kernels to each process and has no setting to turn it off. It reports problems
/// as errors, so nothing is lost. Call this function only while no other code writes to standard error.
package func withStandardErrorSilenced<Value>(_ body: () throws -> Value) rethrows -> Value {
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
