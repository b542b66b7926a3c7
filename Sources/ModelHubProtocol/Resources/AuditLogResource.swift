import DurableFiles
import Foundation

/// A page of the audit log.
package struct AuditLogResource: Codable, Sendable {
    /// A change. Each entry of a project contains the hash of the entry before, so that a copy of the log shows whether somebody changed
    /// earlier entries.
    package struct Entry: Codable, Sendable, Hashable {
        /// The number of the entry in its project, from 1.
        package var number: Int
        package var time, project, actor, action, target, detail: String
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
            detail: String
        ) {
            (number, previous) = ((last?.number ?? 0) + 1, last?.hash ?? Self.noHash)
            (self.time, self.project, self.actor) = (time, project, actor)
            (self.action, self.target, self.detail) = (action, target, detail)
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
            previous: String,
            hash: String
        ) {
            (self.number, self.time, self.project, self.actor) = (number, time, project, actor)
            (self.action, self.target, self.detail) = (action, target, detail)
            (self.previous, self.hash) = (previous, hash)
        }

        /// The place of a hash before the first entry.
        package static let noHash = String(repeating: "0", count: 64)

        /// The hash that the entry must have: the SHA-256, in 64 lowercase hexadecimal digits, of the netstrings (D. J. Bernstein, 1997) of
        /// the previous hash, the number, the time, the project, the actor, the action, the target and the detail.
        package var contentHash: String {
            var bytes = Data()
            for text in [previous, "\(number)", time, project, actor, action, target, detail] {
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
