import Foundation

/// A reason why a file or folder could not be read or written.
package struct DurableFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The failed operation.
    package enum Operation: Sendable, Hashable {
        case read
        case write
    }

    /// The path of the file or folder.
    package let path: String
    /// The number of the system's error.
    package let code: Int32
    /// The failed operation.
    package let operation: Operation

    /// Creates an error from the number that a system call left in `errno`.
    package init(path: String, code: Int32, operation: Operation = .write) {
        (self.path, self.code, self.operation) = (path, code, operation)
    }

    /// The system's sentence about the error, without a period.
    package var reason: String { String(cString: strerror(code)) }

    /// Whether the disk, or the user's share of it, is full, or the file system holds no file of this size.
    package var isForSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }

    /// Whether the user may not use the file or folder.
    package var isForPermissions: Bool { [EACCES, EPERM, EROFS].contains(code) }

    /// The failure and its reason.
    package var description: String {
        "\(path) cannot be \(operation == .read ? "read" : "written"): \(reason)."
    }
}
