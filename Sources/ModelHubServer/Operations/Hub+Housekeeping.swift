import Foundation

/// What a clean-up removed.
public struct CleanUp: Sendable, Hashable {
    /// Uploads that no model used.
    public var objects: Int
    /// Files that nothing referred to.
    public var blobs: Int
}

/// What a check of all files and records found.
public struct Verification: Sendable, Hashable, Codable {
    /// How many files were read and found whole.
    public var intactFiles: Int
    /// Files that nothing refers to; they go away by themselves.
    public var unreferencedFiles: Int
    /// What is wrong, one sentence each; empty if nothing is.
    public var problems: [String]
}

extension Hub {
    /// Removes uploads that no model used for long, and files that nothing has referred to since the grace period began.
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

    /// Reads every file and compares it with its hash, and the records with each other and with the files.
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
            // Files of uploads go away at once when they are deleted.
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
                    "The file \(hash) has \(found.byteCount) bytes, its record says \(byteCount)."
                )
            } else {
                verification.intactFiles += 1
            }
        }
        // What was deleted meanwhile is not missing.
        let needed = missing.isEmpty ? [:] : try await metadata.referencedBlobs()
        for hash in missing.sorted(by: { $0.text < $1.text }) {
            guard let byteCount = needed[hash], !blobs.contains(hash) else { continue }
            verification.problems.append("The file \(hash) of \(byteCount) bytes is missing; restore it from a backup.")
        }
        return verification
    }
}
