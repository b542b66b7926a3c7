import Logging
import NIOCore
import Synchronization

/// Limits the simultaneous connections of each client.
final class ConnectionLimit: Sendable {
    private struct State {
        var counts: [ClientNetwork: Int] = [:]
        var notices = NoticeCounter<ClientNetwork>()
    }

    struct Exceeded: Error {}

    private let maximum: Int
    private let state = Mutex(State())

    init(maximum: Int) { self.maximum = maximum }

    /// Counts a connection until it closes.
    ///
    /// - Throws: ``Exceeded`` if its client has the maximum number of connections. The connection is then closed.
    func admit(_ channel: any Channel, logger: Logger) throws(Exceeded) {
        let client = ClientAddress(channel.remoteAddress)
        let (isAdmitted, notice) = state.withLock { state -> (Bool, Int?) in
            let count = state.counts[client.network, default: 0]
            guard count < maximum else { return (false, state.notices.count(client.network)) }
            state.counts[client.network] = count + 1
            return (true, nil)
        }
        guard isAdmitted else {
            if let notice {
                logger.notice("too many connections", metadata: ["peer": "\(client)", "refused": "\(notice)"])
            }
            channel.close(promise: nil)
            throw Exceeded()
        }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { state in
                guard let count = state.counts[client.network] else { return }
                state.counts[client.network] = count > 1 ? count - 1 : nil
            }
        }
    }
}
