import Foundation
import TensorFlowLite

/// Runs code while the runtime library prints to a temporary file instead of standard error.
///
/// The runtime library prints a line about its kernels to each process and has no setting to turn it off. It also prints why it refuses
/// a model, and gives a program no more than a number. So an error about such a model gets the reason that was printed. Call this
/// function only while no other code writes to standard error.
package func withStandardErrorSilenced<Value>(_ body: () throws -> Value) rethrows -> Value {
    let original = dup(STDERR_FILENO)
    // The system removes the file when it is closed.
    let file = tmpfile()
    let nowhere = file.map(fileno) ?? open("/dev/null", O_WRONLY | O_CLOEXEC)
    if original >= 0, nowhere >= 0 { dup2(nowhere, STDERR_FILENO) }
    defer {
        if original >= 0 {
            dup2(original, STDERR_FILENO)
            close(original)
        }
        if let file { fclose(file) } else if nowhere >= 0 { close(nowhere) }
    }
    do {
        return try body()
    } catch let error as ModelError {
        throw error.explained(by: file == nil ? "" : text(of: nowhere))
    }
}

/// The text of a file up to a size that no list of reasons reaches.
private func text(of file: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = pread(file, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
}
