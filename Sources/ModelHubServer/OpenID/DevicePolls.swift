import HTTPServing
import Synchronization

/// Limits the requests of devices that ask whether a person has allowed them. Each leads to a request to the provider.
final class DevicePolls: Sendable {
    private let last = Mutex(RecentValues<Int, ContinuousClock.Instant>(limit: 2048))

    /// The shortest time between two questions of a device.
    private static let interval = Duration.seconds(1)

    /// Whether a device may ask now.
    func mayAsk(_ code: String) -> Bool {
        // Swift's own hash is sufficient to recognize a code, which a stranger may make as long as a form.
        let code = code.hashValue
        return last.withLock { last in
            if let time = last[code], time.advanced(by: Self.interval) > .now { return false }
            last[code] = .now
            return true
        }
    }
}
