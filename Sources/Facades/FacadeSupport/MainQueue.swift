import Dispatch
import Foundation

/// The main queue, which callbacks come on and which nobody may make wait.
public enum MainQueue {
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

    /// Calls back on the main queue, in the order of the calls.
    ///
    /// The callback is an operation of `OperationQueue.main`, not a block of `DispatchQueue.main`. A block that posts a notification
    /// to an observer on `queue: .main` waits for that observer. On Linux, where another thread than the main one may serve the
    /// main queue, Foundation recognizes the main queue in an operation alone; in a block it would wait on the main queue for the
    /// main queue, forever.
    public static func async(_ callback: @escaping @MainActor @Sendable () -> Void) {
        OperationQueue.main.addOperation { MainActor.assumeIsolated(callback) }
    }
}
