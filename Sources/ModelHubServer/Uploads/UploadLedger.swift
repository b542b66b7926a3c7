import Synchronization

/// The bytes that this process is receiving and that are not in the records yet, by project.
///
/// They count toward the project's quota from the moment of their arrival. The ledger knows the quota and the usage in
/// the records, which contain the stored bytes of uploads in several requests, as of the last update. Every upload
/// updates them at its beginning and after it is stored.
final class UploadLedger: Sendable {
    private struct Account {
        /// The bytes that are not in the records.
        var pending = 0
        /// The usage in the records; nil if the project has no quota.
        var usage: ProjectUsage?
    }

    private let accounts = Mutex<[String: Account]>([:])

    /// Updates the usage of a project in the records; nil if the project has no quota.
    func note(_ usage: ProjectUsage?, of project: String) {
        accounts.withLock { $0[project, default: Account()].usage = usage }
    }

    /// Checks whether a project's quota has room for announced bytes.
    ///
    /// - Throws: `.resourceExhausted` if there is no room.
    func check(_ count: Int, of project: String) throws(HubError) {
        try accounts.withLock { (accounts) throws(HubError) in
            try Self.check(count, accounts[project], of: project)
        }
    }

    /// Creates an entry for a new upload.
    func entry(of project: String) -> Entry { Entry(ledger: self, project: project) }

    private static func check(_ count: Int, _ account: Account?, of project: String) throws(HubError) {
        guard let account, let usage = account.usage else { return }
        let (sum, overflows) = account.pending.addingReportingOverflow(count)
        try usage.check(adding: overflows ? .max : sum, of: project)
    }

    private func add(_ count: Int, to project: String) throws(HubError) {
        try accounts.withLock { (accounts) throws(HubError) in
            try Self.check(count, accounts[project], of: project)
            accounts[project, default: Account()].pending += count
        }
    }

    private func change(by count: Int, of project: String) {
        accounts.withLock { $0[project, default: Account()].pending += count }
    }

    private func remove(_ count: Int, of project: String, noting usage: ProjectUsage?) {
        accounts.withLock { accounts in
            accounts[project, default: Account()].pending -= count
            accounts[project, default: Account()].usage = usage
        }
    }

    /// The bytes of an upload. They count until the entry is released or deallocated.
    final class Entry: Sendable {
        private let ledger: UploadLedger
        private let project: String
        private let byteCount = Mutex(0)

        fileprivate init(ledger: UploadLedger, project: String) {
            self.ledger = ledger
            self.project = project
        }

        deinit { clear() }

        /// Adds bytes that are about to be written.
        ///
        /// - Throws: `.resourceExhausted` if the quota has no room for them; then they are not added.
        func add(_ count: Int) throws(HubError) {
            try byteCount.withLock { (byteCount) throws(HubError) in
                try ledger.add(count, to: project)
                byteCount += count
            }
        }

        /// Removes bytes that were added but could not be written.
        func remove(_ count: Int) {
            byteCount.withLock { byteCount in
                ledger.change(by: -count, of: project)
                byteCount -= count
            }
        }

        /// Removes all bytes, because they were deleted.
        func clear() {
            byteCount.withLock { byteCount in
                ledger.change(by: -byteCount, of: project)
                byteCount = 0
            }
        }

        /// Removes the bytes from the ledger, because the records now contain them.
        func release(noting usage: ProjectUsage?) {
            byteCount.withLock { byteCount in
                ledger.remove(byteCount, of: project, noting: usage)
                byteCount = 0
            }
        }
    }
}
