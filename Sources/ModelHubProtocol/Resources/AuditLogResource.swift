import DurableFiles
import Foundation

/// A page of the audit log.
package struct AuditLogResource: Codable, Sendable {
    /// A change. Each entry of a project contains the hash of the entry before, so that a copy of the log shows later changes of
    /// earlier entries.
    package struct Entry: Codable, Sendable, Hashable {
        /// The number of the entry in its project, from 1.
        package var number: Int
        package var time, project, actor, action, target, detail: String
        /// The event of which webhooks notify, such as `model.staged`; nil for none.
        package var event: String?
        /// The hash of the entry before; 64 zeros for the first.
        package var previous: String
        /// The hash of this entry.
        package var hash: String

        /// Creates the entry that follows another one.
        ///
        /// - Parameter last: The number and the hash of the entry before; nil for the first entry.
        package init(
            after last: (number: Int, hash: String)?,
            time: String,
            project: String,
            actor: String,
            action: String,
            target: String,
            detail: String,
            event: String? = nil
        ) {
            (number, previous) = ((last?.number ?? 0) + 1, last?.hash ?? Self.noHash)
            (self.time, self.project, self.actor) = (time, project, actor)
            (self.action, self.target, self.detail, self.event) = (action, target, detail, event)
            hash = ""
            hash = contentHash
        }

        /// Creates an entry as it is stored.
        package init(
            number: Int,
            time: String,
            project: String,
            actor: String,
            action: String,
            target: String,
            detail: String,
            event: String?,
            previous: String,
            hash: String
        ) {
            (self.number, self.time, self.project, self.actor) = (number, time, project, actor)
            (self.action, self.target, self.detail, self.event) = (action, target, detail, event)
            (self.previous, self.hash) = (previous, hash)
        }

        /// The action of the entry with which the log of a hub that was restored from a backup continues.
        package static let restoration = "audit.restore"

        /// The place of a hash before the first entry.
        package static let noHash = String(repeating: "0", count: 64)

        /// The hash that the entry must have: the SHA-256, in 64 lowercase hexadecimal digits, of the netstrings (D. J. Bernstein, 1997) of
        /// the previous hash, the number, the time, the project, the actor, the action, the target, the detail and, if there is one, the event.
        package var contentHash: String {
            var bytes = Data()
            for text in [previous, "\(number)", time, project, actor, action, target, detail]
                + (event.map { [$0] } ?? [])
            {
                bytes.append(contentsOf: "\(text.utf8.count):\(text),".utf8)
            }
            return SHA256.hexadecimalDigest(of: bytes)
        }
    }

    /// The entries: newest first, or oldest first after a number.
    package var entries: [Entry]

    /// Creates a page.
    package init(entries: [Entry]) { self.entries = entries }
}
