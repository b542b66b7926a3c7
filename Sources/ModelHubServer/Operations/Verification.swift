import DurableFiles
import Foundation
import HTTPServing

/// The result of a check of all files and records.
package struct Verification: Sendable, Hashable, Codable {
    /// The number of intact files; of files with the right size, if they were not read.
    package var intactFiles: Int
    /// The number of unreferenced files. The hub removes them automatically.
    package var unreferencedFiles: Int
    /// The problems, one sentence each; empty if there are none.
    package var problems: [String]
}

extension Verification {
    /// Checks records against each other and against files.
    ///
    /// - Parameters:
    ///   - blobs: The files to which the records refer.
    ///   - known: The stored files as a caller listed them a moment ago; nil to list them.
    ///   - readsFiles: Whether to read every file and compare it with its hash. Otherwise only the sizes are compared, which
    ///     costs as much as a listing of the files.
    init(
        of records: HubRecords,
        and blobs: any BlobStore,
        known: [StoredBlob]? = nil,
        readingFiles readsFiles: Bool
    ) async throws {
        self.init(
            intactFiles: 0,
            unreferencedFiles: 0,
            problems: try await records.integrityProblems() + records.auditProblems()
        )
        let referenced = try await records.referencedBlobs()
        let stored = if let known { known } else { try await blobs.contents() }
        var missing = Set(referenced.keys).subtracting(stored.map(\.hash))
        for blob in stored {
            let hash = blob.hash
            let found: FileHash
            do {
                found =
                    readsFiles
                    ? try await FileHash.read(blobs.open(hash)) : FileHash(hash: hash, byteCount: blob.byteCount)
            } catch let error as HubError where error.code == .dataLoss {
                // Files of deleted uploads disappear at once.
                missing.insert(hash)
                continue
            }
            if referenced[hash] == nil { unreferencedFiles += 1 }
            if found.hash != hash {
                problems.append("The file \(hash) has the SHA-256 \(found.hash); restore it from a backup.")
            } else if let byteCount = referenced[hash], byteCount != found.byteCount {
                problems.append(
                    "The file \(hash) has \(found.byteCount) bytes, but its record states \(byteCount)."
                )
            } else {
                intactFiles += 1
            }
        }
        // Files that were deleted meanwhile are not missing.
        let needed = missing.isEmpty ? [:] : try await records.referencedBlobs()
        for hash in missing.sorted(by: { $0.text < $1.text }) {
            guard let byteCount = needed[hash], try await !blobs.contains(hash) else { continue }
            problems.append("The file \(hash) of \(byteCount) bytes is missing; restore it from a backup.")
        }
    }
}

extension Hub {
    /// Checks the records against each other and against the files.
    ///
    /// - Parameter readsFiles: Whether to read every file and compare it with its hash. Otherwise only the sizes are
    ///   compared, which costs as much as a listing of the files.
    package func verify(readingFiles readsFiles: Bool = true) async throws -> Verification {
        try await BlockingExecutor.run { try await Verification(of: records, and: blobs, readingFiles: readsFiles) }
    }
}
