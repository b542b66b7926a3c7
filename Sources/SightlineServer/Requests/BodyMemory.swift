import Synchronization

/// The memory that bodies of requests take together. A request takes memory as its bytes arrive and gives it back at its end, so a
/// client that sends nothing takes none.
package final class BodyMemory: Sendable {
    private struct State {
        var total = 0
        var byOwner: [String: Int] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the number of bytes of all bodies; those of one owner may take half of it.
    init(limit: Int) { self.limit = limit }

    /// The bytes in use.
    var bytes: Int { state.withLock { $0.total } }

    /// The share of one body, given back when nothing refers to it any more.
    package final class Share: Sendable {
        private let memory: BodyMemory
        private let owner: String
        private let count = Mutex(0)

        fileprivate init(_ memory: BodyMemory, _ owner: String) { (self.memory, self.owner) = (memory, owner) }

        /// Takes memory for further bytes.
        ///
        /// - Throws: ``AnswerError/busy``.
        func take(_ bytes: Int) throws(AnswerError) {
            guard memory.take(bytes, for: owner) else { throw .busy }
            count.withLock { $0 += bytes }
        }

        deinit { memory.giveBack(count.withLock { $0 }, of: owner) }
    }

    /// A share without bytes.
    func share(of owner: String) -> Share { Share(self, owner) }

    private func take(_ bytes: Int, for owner: String) -> Bool {
        state.withLock { state in
            let own = state.byOwner[owner, default: 0] + bytes
            guard state.total + bytes <= limit, own <= limit / 2 else { return false }
            state.total += bytes
            state.byOwner[owner] = own
            return true
        }
    }

    private func giveBack(_ bytes: Int, of owner: String) {
        guard bytes > 0 else { return }
        state.withLock { state in
            state.total -= bytes
            let own = state.byOwner[owner, default: bytes] - bytes
            state.byOwner[owner] = own > 0 ? own : nil
        }
    }
}
