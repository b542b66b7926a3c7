import Foundation
import HTTPServing

/// The result of a clean-up.
package struct CleanUp: Sendable, Hashable {
    /// The number of removed uploads that no model used.
    package var objects: Int
    /// The number of removed files that nothing referred to.
    package var blobs: Int
}

extension Hub {
    /// Cleans up as ``cleanUp()`` does, unless the clock was set in the last days. A clock that is wrong by a year makes everything seem old, and what
    /// was removed does not come back with the right time.
    ///
    /// - Parameter instant: The present moment by the monotonic clock.
    /// - Returns: The result; nil if the clock is not trusted.
    package func cleanUpIfClockIsTrusted(instant: ContinuousClock.Instant = .now) async throws -> CleanUp? {
        let time = now()
        let wasSet = housekeepingClock.wasSet(time, at: instant)
        return try await records.trustsClock(at: time, wasSet: wasSet) ? try await cleanUp() : nil
    }

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
        try await duties.perform("installations of comparisons") {
            let moment = time.advanced(by: .zero - Self.shadowLifetime)
            while try await records.forgetInstallationsOfShadows(lastReportedBefore: moment) {}
        }
        try await duties.perform("downloads by day") {
            try await records.forgetDays(before: time.day - ModelDay.count + 1)
        }
        try await duties.perform("confidences by week") {
            try await records.forgetConfidences(before: time.week - ConfidenceWeek.kept + 1)
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

    /// The time for which a comparison of versions waits for reports of the same installations.
    private static let shadowLifetime = Duration.seconds(90 * 24 * 3600)
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
}
