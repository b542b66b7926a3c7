extension Hub {
    /// Checks that the files of this hub's records lie where this hub looks for them, and records the place for a hub
    /// whose records do not tell it yet.
    ///
    /// - Throws: `.failedPrecondition` if they lie elsewhere: downloads would fail, and uploads would go to another place.
    func checkPlaceOfFiles() async throws {
        if let recorded = try await metadata.placeOfFiles() {
            guard recorded == placeOfFiles else { throw recorded.isNotUsed }
            return
        }
        // The records of an earlier hub do not tell the place, but any of its files does.
        let known = try await metadata.referencedBlobs().keys
        var isHere = known.isEmpty
        for hash in known.prefix(8) where !isHere { isHere = try await blobs.contains(hash) }
        guard isHere else { throw placeOfFiles.lacksFiles }
        try await metadata.setPlaceOfFiles(placeOfFiles)
    }
}

extension HubFiles.Place {
    /// The error for a hub whose files lie here, and that was opened with another place.
    fileprivate var isNotUsed: HubError {
        switch self {
        case .folder:
            HubError(
                .failedPrecondition,
                "The files of this hub lie in its folder, but a bucket was named; leave out --blobs and SIGHTLINE_HUB_BLOBS, or copy the hub into the bucket with `sightline hub migrate`."
            )
        case .bucket:
            HubError(
                .failedPrecondition,
                "The files of this hub lie in a bucket, but no bucket was named; name it with --blobs s3://BUCKET/PREFIX or in SIGHTLINE_HUB_BLOBS."
            )
        }
    }

    /// The error for records of files that do not lie here.
    fileprivate var lacksFiles: HubError {
        HubError(
            .failedPrecondition,
            "The files that the hub's records name are not in \(self == .folder ? "its folder" : "this bucket"); name their place with --data or --blobs, or restore a backup."
        )
    }
}
