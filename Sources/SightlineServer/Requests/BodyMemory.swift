import Synchronization

/// The memory that bodies of requests take together. A request takes memory as its bytes arrive and gives it back at its end, so a
/// client that sends nothing takes none.
package final class BodyMemory: Sendable {
    private struct State {
        var total = 0
        var byOwner: [String: Int] = [:]
    }

    /// The number of bytes of all bodies; those of one owner may take half of it.
    let limit: Int
    private let refusal: AnswerError
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: the number of bytes of all bodies; those of one owner may take half of it.
    ///   - refusal: the error for further bytes.
    init(limit: Int, refusal: AnswerError = .busy) { (self.limit, self.refusal) = (limit, refusal) }

    /// The bytes in use.
    var bytes: Int { state.withLock { $0.total } }

    /// The share of one body, given back when nothing refers to it.
    package final class Share: Sendable {
        private struct Held: Sendable {
            var memory: BodyMemory
            var bytes = 0
        }

        private let owner: String
        private let held: Mutex<Held>

        fileprivate init(_ memory: BodyMemory, _ owner: String) {
            self.owner = owner
            held = Mutex(Held(memory: memory))
        }

        /// Takes memory for further bytes.
        ///
        /// - Throws: the refusal of the memory, usually ``AnswerError/busy``.
        func take(_ bytes: Int) throws(AnswerError) {
            try held.withLock { (held) throws(AnswerError) in
                guard held.memory.take(bytes, for: owner) else { throw held.memory.refusal }
                held.bytes += bytes
            }
        }

        /// Moves the bytes to another memory.
        ///
        /// - Throws: the refusal of the other memory.
        func move(to other: BodyMemory) throws(AnswerError) {
            try held.withLock { (held) throws(AnswerError) in
                guard other.take(held.bytes, for: owner) else { throw other.refusal }
                held.memory.giveBack(held.bytes, of: owner)
                held.memory = other
            }
        }

        deinit { held.withLock { $0.memory.giveBack($0.bytes, of: owner) } }
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
