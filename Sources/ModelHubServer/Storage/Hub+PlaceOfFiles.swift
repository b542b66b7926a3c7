extension Hub {
    /// Checks that the files of this hub's records lie where this hub looks for them, and records the place for a new
    /// hub.
    ///
    /// - Throws: `.failedPrecondition` if they are elsewhere: downloads would fail, and uploads would go to another place.
    func checkPlaceOfFiles() async throws {
        if let recorded = try await records.placeOfFiles() {
            guard recorded == placeOfFiles else { throw recorded.isNotUsed }
            return
        }
        try await records.setPlaceOfFiles(placeOfFiles)
    }
}

extension HubFiles.Place {
    /// The error for a hub whose files lie here, and that was opened with another place.
    fileprivate var isNotUsed: HubError {
        switch self {
        case .folder:
            HubError(
                .failedPrecondition,
                "The files of this hub are in its folder, but a bucket was named; leave out --blobs and SIGHTLINE_HUB_BLOBS, or copy the hub into the bucket with `sightline hub migrate`."
            )
        case .bucket:
            HubError(
                .failedPrecondition,
                "The files of this hub are in a bucket, but no bucket was named; name it with --blobs s3://BUCKET/PREFIX or in SIGHTLINE_HUB_BLOBS."
            )
        }
    }
}
