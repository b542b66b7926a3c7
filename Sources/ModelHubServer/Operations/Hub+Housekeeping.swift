import Foundation
import HTTPServing

/// The result of a clean-up.
package struct CleanUp: Sendable, Hashable {
    /// The number of removed uploads that no model used.
    package var objects: Int
    /// The number of removed files that nothing referred to.
    package var blobs: Int
}

/// The result of a check of all files and records.
package struct Verification: Sendable, Hashable, Codable {
    /// The number of intact files; of files with the right size, if they were not read.
    package var intactFiles: Int
    /// The number of unreferenced files. The hub removes them automatically.
    package var unreferencedFiles: Int
    /// The problems, one sentence each; empty if there are none.
    package var problems: [String]
}

extension Hub {
    /// Removes uploads that were unused for a long time, and files that were unreferenced since the beginning of the
    /// grace period.
    ///
    /// - Throws: The failures of single tasks, after the others are done.
    package func cleanUp() async throws -> CleanUp {
        let time = now()
        var (duties, result) = (Duties(), CleanUp(objects: 0, blobs: 0))
        removeStagedFiles()
        try await duties.perform("uploads") { try await removeAbandonedUploads() }
        try await duties.perform("unused uploads") {
            result.objects = try await records.dropUnusedObjects(
                before: time.advanced(by: .zero - options.unusedUploadLifetime),
                now: time
            )
        }
        try await duties.perform("outcomes") {
            try await records.forgetOutcomeBatches(before: time.advanced(by: .zero - Self.batchLifetime))
        }
        try await duties.perform("devices of rollouts") {
            while try await records.forgetDevicesOfEndedRollouts() {}
        }
        try await duties.perform("devices of experiments") {
            // An hour later, so that no report is still on its way into the records.
            let reported = time.advanced(by: .zero - Self.reportGracePeriod - .seconds(3600))
            while try await records.forgetInstallationsOfExperiments(stoppedBefore: reported) {}
        }
        try await duties.perform("downloads by day") {
            try await records.forgetDays(before: time.day - ModelDay.count + 1)
        }
        try await duties.perform("people") { try await records.forgetPeople(endedBefore: time) }
        try await duties.perform("keys") {
            try await records.forgetCredentials(endedBefore: time.advanced(by: .zero - Self.endedCredentialLifetime))
        }
        try await duties.perform("manifests") {
            try await records.forgetManifests(endedBefore: time.advanced(by: .zero - Self.endedManifestLifetime))
        }
        try await duties.perform("files") {
            let moment = time.advanced(by: .zero - options.gracePeriod)
            try await adoptUnknownBlobs()
            let candidates = try await records.removableBlobs(unusedSince: moment, at: time)
            result.blobs = try await remove(candidates, if: .unusedSince(moment))
        }
        try duties.finish()
        return result
    }

    /// The time for which the list of keys shows tokens and key files that expired or were revoked.
    static let endedCredentialLifetime = Duration.seconds(90 * 24 * 3600)
    /// The time for which the hub keeps manifests that ended, so that clients learn that they ended.
    private static let endedManifestLifetime = Duration.seconds(90 * 24 * 3600)

    /// Records the stored files that have no record, for example those of a restored backup.
    private func adoptUnknownBlobs() async throws {
        let stored = try await blobs.contents()
        // Read after the files, because a file is recorded before it is stored.
        let known = try await records.blobStates()
        try await records.adopt(stored.filter { known[$0.hash] == nil }, at: now())
    }

    /// Checks the records against each other and against the files.
    ///
    /// - Parameter readsFiles: Whether to read every file and compare it with its hash. Otherwise only the sizes are
    ///   compared, which costs as much as a listing of the files.
    package func verify(readingFiles readsFiles: Bool = true) async throws -> Verification {
        try await BlockingExecutor.run { try await verify(nil, readingFiles: readsFiles) }
    }

    /// Checks the records against each other and against the files.
    ///
    /// - Parameters:
    ///   - known: The stored files as a caller listed them a moment ago; nil to list them.
    ///   - readsFiles: Whether to read every file.
    func verify(_ known: [StoredBlob]?, readingFiles readsFiles: Bool) async throws -> Verification {
        var verification = Verification(
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
            if referenced[hash] == nil { verification.unreferencedFiles += 1 }
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
        let needed = missing.isEmpty ? [:] : try await records.referencedBlobs()
        for hash in missing.sorted(by: { $0.text < $1.text }) {
            guard let byteCount = needed[hash], try await !blobs.contains(hash) else { continue }
            verification.problems.append("The file \(hash) of \(byteCount) bytes is missing; restore it from a backup.")
        }
        return verification
    }
}
