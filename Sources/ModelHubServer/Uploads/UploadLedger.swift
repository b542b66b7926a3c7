import Synchronization

/// The bytes of uploads that are on the disk but not kept yet, by project.
///
/// They count in the project's quota from the moment at which they are received. The ledger knows the quota, and what the records
/// use of it, as of the last look. Every upload takes such a look when it begins and after it was kept.
final class UploadLedger: Sendable {
    private struct Account {
        /// Bytes of uploads that are not kept yet.
        var pending = 0
        /// What the records use; nil if the project has no quota.
        var usage: ProjectUsage?
    }

    private let accounts = Mutex<[String: Account]>([:])

    /// Notes what the records of a project use; nil if the project has no quota.
    func note(_ usage: ProjectUsage?, of project: String) {
        accounts.withLock { $0[project, default: Account()].usage = usage }
    }

    /// Finds out whether a project's quota has room for bytes that are announced.
    ///
    /// - Throws: `.resourceExhausted` if it has none.
    func check(_ count: Int, of project: String) throws(HubError) {
        try accounts.withLock { (accounts) throws(HubError) in
            try Self.check(count, accounts[project], of: project)
        }
    }

    /// An entry for a new upload.
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

    /// The bytes of one upload. They count until it is released or goes away.
    final class Entry: Sendable {
        private let ledger: UploadLedger
        private let project: String
        private let byteCount = Mutex(0)

        fileprivate init(ledger: UploadLedger, project: String) {
            self.ledger = ledger
            self.project = project
        }

        deinit { set(0) }

        /// Adds bytes that are about to be written.
        ///
        /// - Throws: `.resourceExhausted` if the quota has no room for them; then they are not added.
        func add(_ count: Int) throws(HubError) {
            try byteCount.withLock { (byteCount) throws(HubError) in
                try ledger.add(count, to: project)
                byteCount += count
            }
        }

        /// Sets how many bytes the upload has on the disk.
        func set(_ count: Int) {
            byteCount.withLock { byteCount in
                ledger.change(by: count - byteCount, of: project)
                byteCount = count
            }
        }

        /// Takes the bytes out of the ledger, since the records have them now.
        func release(noting usage: ProjectUsage?) {
            byteCount.withLock { byteCount in
                ledger.remove(byteCount, of: project, noting: usage)
                byteCount = 0
            }
        }
    }
}
