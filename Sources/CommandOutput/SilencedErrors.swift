import Foundation

/// Runs code with standard error going nowhere.
///
/// The runtime library greets each process with a line about its kernels and has no setting against it; what goes wrong there
/// comes back as an error. To be called while nothing else writes to standard error.
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
