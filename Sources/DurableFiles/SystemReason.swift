import Foundation

/// The reason that the system gave for a failure.
package enum SystemReason {
    /// The system's sentence about an error, without a period. Errors of Foundation keep the number of the system inside, and their own
    /// sentences do not name it.
    package static func of(_ error: any Error) -> String {
        if let error = error as? DurableFileError { return error.reason }
        var next: (any Error)? = error
        while let each = next {
            let described = each as NSError
            if described.domain == NSPOSIXErrorDomain {
                return String(cString: strerror(Int32(truncatingIfNeeded: described.code)))
            }
            next = described.userInfo[NSUnderlyingErrorKey] as? any Error
        }
        return error.localizedDescription
    }
}
