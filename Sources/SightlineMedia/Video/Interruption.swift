import CFFmpeg
import Foundation

/// Ends a call that waits, from another thread or after a time.
///
/// Sendable: the handle is constant, and the functions that are called with it work on atomic values; the last owner frees it.
final class Interruption: @unchecked Sendable {
    let handle: OpaquePointer?

    init() { handle = cff_interrupt_create() }

    deinit { cff_interrupt_destroy(handle) }

    var isCancelled: Bool { handle.map { cff_interrupt_is_cancelled($0) } ?? false }

    func cancel() { if let handle { cff_interrupt_cancel(handle) } }

    /// Limits FFmpeg's waiting time from now on; nil for no limit.
    func limit(_ time: Duration?) {
        guard let handle else { return }
        cff_interrupt_limit(handle, time.map { max($0 / .seconds(1), 0) } ?? -1)
    }

    /// Sleeps unless cancelled. Returns whether the time passed.
    func sleep(_ time: Duration) -> Bool {
        let clock = ContinuousClock()
        let end = clock.now + time
        while !isCancelled {
            let left = end - clock.now
            if left <= .zero { return true }
            Thread.sleep(forTimeInterval: min(left / .seconds(1), 0.02))
        }
        return false
    }
}
