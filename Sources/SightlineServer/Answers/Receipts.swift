import Synchronization

/// The receipts of answers whose scores a hub compares. A score needs the receipt of an answer, and each receipt is good for scores once,
/// so that no client scores more answers than the server gave.
final class Receipts: Sendable {
    /// An unpredictable random number.
    private struct Number: Hashable, Sendable {
        let high: UInt64
        let low: UInt64

        /// Creates a new number from the system's source of secrets.
        init() {
            var source = SystemRandomNumberGenerator()
            (high, low) = (source.next(), source.next())
        }

        /// Reads a number; nil unless the text has 32 hexadecimal digits.
        init?(_ text: String) {
            guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
                let low = UInt64(text.suffix(16), radix: 16)
            else { return nil }
            (self.high, self.low) = (high, low)
        }

        var text: String {
            [high, low].map { part in
                let digits = String(part, radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined()
        }
    }

    private struct State {
        var reports: [Number: OutcomeReport] = [:]
        /// The numbers in the order in which they were issued; beyond the limit, the next one takes the place of the oldest.
        var order: [Number] = []
        var next = 0
    }

    /// The number of latest answers whose receipts are known. Each takes some 60 bytes.
    static let usualLimit = 500_000

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the number of latest answers whose receipts are known.
    init(limit: Int = usualLimit) { self.limit = limit }

    /// A receipt for an answer.
    ///
    /// - Parameter report: where the scores of the answer go.
    func issue(_ report: OutcomeReport) -> String {
        let number = Number()
        state.withLock { state in
            if state.order.count < limit {
                state.order.append(number)
            } else {
                state.reports[state.order[state.next]] = nil
                state.order[state.next] = number
                state.next = (state.next + 1) % limit
            }
            state.reports[number] = report
        }
        return number.text
    }

    /// Uses a receipt up.
    ///
    /// - Returns: where the scores of the answer go; nil if the receipt is unknown or was used before.
    func use(_ text: String) -> OutcomeReport? {
        guard let number = Number(text) else { return nil }
        return state.withLock { $0.reports.removeValue(forKey: number) }
    }
}
