import Dispatch
import Foundation

/// Tells who must not be made to wait.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the caller is on the main thread or serves the main queue.
    ///
    /// On Linux these may be two things: a program whose main function is asynchronous ends its first thread, and others serve
    /// the main queue.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread }
}
