extension Hub {
    /// Claims a file that is about to be stored. If it is being removed, this waits until it is gone.
    ///
    /// - Throws: `.unavailable` if the removal takes too long.
    func claim(_ blob: StoredBlob) async throws {
        let start = ContinuousClock.now
        while try await !records.claim(blob, at: now()) {
            guard ContinuousClock.now - start < Self.claimTimeout else {
                throw HubError(
                    .unavailable,
                    "The hub is still removing an earlier copy of this file; upload the file again in a minute.",
                    retryAfter: .seconds(60)
                )
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The time that an upload waits for a removal.
    private static let claimTimeout = Duration.seconds(20)

    /// Removes those of the files that nothing needs and that a condition permits to remove; returns their number.
    func remove(_ hashes: [BlobHash], if condition: BlobRemoval) async throws -> Int {
        var count = 0
        // One after another, so that none is marked while others are removed.
        for hash in hashes {
            guard try await !records.beginRemoval(of: [hash], if: condition, at: now()).isEmpty else { continue }
            try await blobs.remove(hash)
            try await records.endRemoval(of: [hash])
            count += 1
        }
        return count
    }
}
