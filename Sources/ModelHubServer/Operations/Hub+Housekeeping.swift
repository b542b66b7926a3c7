import Foundation

/// The result of a clean-up.
public struct CleanUp: Sendable, Hashable {
    /// The number of removed uploads that no model used.
    public var objects: Int
    /// The number of removed files that nothing referred to.
    public var blobs: Int
}

/// The result of a check of all files and records.
public struct Verification: Sendable, Hashable, Codable {
    /// The number of intact files.
    public var intactFiles: Int
    /// The number of unreferenced files. The hub removes them by itself.
    public var unreferencedFiles: Int
    /// The problems, one sentence each; empty if there are none.
    public var problems: [String]
}

extension Hub {
    /// Removes uploads that were unused for a long time, and files that were unreferenced since the beginning of the
    /// grace period.
    public func cleanUp() async throws -> CleanUp {
        let time = now()
        removeStagedFiles()
        let objects = try await metadata.dropUnusedObjects(
            before: time.advanced(by: .zero - options.unusedUploadLifetime),
            now: time
        )
        try await metadata.forgetOutcomeBatches(before: time.advanced(by: .zero - Self.batchLifetime))
        let moment = time.advanced(by: .zero - options.gracePeriod)
        let referenced = try await metadata.referencedBlobs()
        let candidates = try blobs.contents().filter { $0.storeTime < moment && referenced[$0.hash] == nil }.map(\.hash)
        var removed = 0
        // In small groups, so that writers do not wait long.
        for start in stride(from: 0, to: candidates.count, by: 64) {
            let group = Array(candidates[start..<min(start + 64, candidates.count)])
            removed += try await metadata.removeUnreferenced(group, since: moment) { try blobs.remove($0) }
        }
        return CleanUp(objects: objects, blobs: removed)
    }

    /// Reads every file and compares it with its hash, and checks the records against each other and against the files.
    public func verify() async throws -> Verification {
        var verification = Verification(
            intactFiles: 0,
            unreferencedFiles: 0,
            problems: try await metadata.integrityProblems()
        )
        let referenced = try await metadata.referencedBlobs()
        let stored = Set(try blobs.contents().map(\.hash))
        var missing = Set(referenced.keys).subtracting(stored)
        for hash in stored {
            // Files of deleted uploads disappear at once.
            guard blobs.contains(hash) else {
                missing.insert(hash)
                continue
            }
            if referenced[hash] == nil { verification.unreferencedFiles += 1 }
            let found = try FileHash.read(try blobs.file(for: hash).path)
            if found.hash != hash {
                verification.problems.append(
                    "The file \(hash) has the SHA-256 \(found.hash); restore it from a backup."
                )
            } else if let byteCount = referenced[hash], byteCount != found.byteCount {
                verification.problems.append(
                    "The file \(hash) has \(found.byteCount) bytes, but its record states \(byteCount)."
                )
            } else {
                verification.intactFiles += 1
            }
        }
        // Files that were deleted meanwhile are not missing.
        let needed = missing.isEmpty ? [:] : try await metadata.referencedBlobs()
        for hash in missing.sorted(by: { $0.text < $1.text }) {
            guard let byteCount = needed[hash], !blobs.contains(hash) else { continue }
            verification.problems.append("The file \(hash) of \(byteCount) bytes is missing; restore it from a backup.")
        }
        return verification
    }
}
