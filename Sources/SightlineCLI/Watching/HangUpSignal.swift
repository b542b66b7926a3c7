import Dispatch
import Foundation
import Synchronization

/// Notes SIGHUP, by which people ask a service to read its settings again.
final class HangUpSignal: Sendable {
    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    private let flag = Flag()
    private let source: Mutex<any DispatchSourceSignal>

    /// Takes the signal from now on.
    init() {
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP)
        source.setEventHandler { [flag] in flag.isSet.store(true, ordering: .relaxed) }
        source.resume()
        self.source = Mutex(source)
    }

    deinit { source.withLock { $0.cancel() } }

    /// Whether the signal came since the last call.
    func take() -> Bool { flag.isSet.exchange(false, ordering: .relaxed) }
}
