extension Hub {
    /// Claims a file that is about to be stored. If it is being removed, this waits until it is gone.
    ///
    /// - Throws: `.aborted` if the removal takes too long.
    func claim(_ blob: StoredBlob) async throws {
        let start = ContinuousClock.now
        while try await !metadata.claim(blob, at: now()) {
            guard ContinuousClock.now - start < BlobRemoval.lease * 2 else {
                throw HubError(.aborted, "The hub is removing an earlier copy of this file; upload the file again.")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Removes those of the files that nothing needs and that a condition permits to remove; returns their number.
    func remove(_ hashes: [BlobHash], if condition: BlobRemoval) async throws -> Int {
        var count = 0
        // In small groups, so that writers do not wait long and each removal ends within its lease.
        for start in stride(from: 0, to: hashes.count, by: 16) {
            let group = Array(hashes[start..<min(start + 16, hashes.count)])
            let deadline = ContinuousClock.now + BlobRemoval.lease / 2
            var removed: [BlobHash] = []
            for hash in try await metadata.beginRemoval(of: group, if: condition, at: now()) {
                // The next clean-up continues.
                guard ContinuousClock.now < deadline else { break }
                try await blobs.remove(hash)
                removed.append(hash)
            }
            try await metadata.endRemoval(of: removed)
            count += removed.count
        }
        return count
    }
}
