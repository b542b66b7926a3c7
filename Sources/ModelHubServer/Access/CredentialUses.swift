import HTTPServing
import Synchronization

/// The part of a credential that decides about its use.
package struct CredentialState: Sendable, Hashable {
    /// The public id of the credential.
    package var id: String
    /// The end of its validity; nil for no end.
    package var expiry: Timestamp?
    /// The recorded time of its last use; nil if it was never used.
    package var useTime: Timestamp?
}

extension CredentialState {
    init(_ credential: Credential) {
        self.init(id: credential.id, expiry: credential.expiry, useTime: credential.useTime)
    }
}

/// Uses of credentials that are not in the records yet.
///
/// A use is noted at most once an hour for each credential, and stored with the counts of downloads, so that no request
/// waits for it. A hub that is killed loses the last few.
final class CredentialUses: Sendable {
    /// The accuracy of the last use.
    static let granularity = Duration.seconds(3600)

    private struct State {
        var pending: [String: Timestamp] = [:]
        /// Uses that were noted lately, because the caller's record may be older.
        var noted = RecentValues<String, Timestamp>(limit: 8192)
    }

    private let state = Mutex(State())

    /// Notes the use of a credential unless another use was noted within the last hour.
    func note(_ credential: CredentialState, at time: Timestamp) {
        // One that is much later was noted before the clock was set back.
        let isRecent = { (other: Timestamp?) in
            other.map { time < $0.advanced(by: Self.granularity) && $0 <= time.advanced(by: Self.granularity) } ?? false
        }
        guard !isRecent(credential.useTime) else { return }
        state.withLock { state in
            guard !isRecent(state.noted[credential.id]) else { return }
            state.noted[credential.id] = time
            state.pending[credential.id] = time
        }
    }

    /// Stores the noted uses; uses that cannot be stored are kept for later.
    func store(in records: HubRecords) async throws {
        let uses = state.withLock { state in
            defer { state.pending = [:] }
            return state.pending
        }
        guard !uses.isEmpty else { return }
        do {
            try await records.noteUses(of: uses)
        } catch {
            state.withLock { $0.pending.merge(uses) { newer, _ in newer } }
            throw error
        }
    }
}
