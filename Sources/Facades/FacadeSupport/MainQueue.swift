import Dispatch
import Foundation

/// The main queue, which runs callbacks and must never wait.
public enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the caller is on the main thread or serves the main queue.
    ///
    /// On Linux these may differ: in a program whose main function is asynchronous the first thread ends, and other
    /// threads serve the main queue.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread }

    /// Calls back on the main queue, in the order of the calls.
    ///
    /// The callback is an operation of `OperationQueue.main`, not a block of `DispatchQueue.main`. A block that posts a
    /// notification to an observer on `queue: .main` waits for that observer. On Linux, where a thread other than the
    /// main thread may serve the main queue, Foundation recognizes the main queue only inside an operation. Inside a
    /// block it would wait forever for the queue that it runs on.
    public static func async(_ callback: @escaping @MainActor @Sendable () -> Void) {
        OperationQueue.main.addOperation { MainActor.assumeIsolated(callback) }
    }
}
