import Foundation

/// The stores for the files of a hub, all in the same place.
package struct HubFiles: Sendable {
    let blobs: any BlobStore
    let evaluationFiles: any EvaluationFileStore
    let pieces: any UploadPieceStore
    /// A folder of this machine for files that are being received.
    let uploads: URL
    /// The kind of place of the files, except those that are being received.
    var place = Place.folder

    /// A kind of place for the files of a hub.
    package enum Place: String, Sendable, Hashable {
        /// A folder of this machine.
        case folder
        /// A bucket of S3-compatible storage.
        case bucket
    }

    /// Opens the stores in the data folder of a hub: `blobs/`, `evaluations/` and `uploads/`.
    package static func folder(_ data: URL) throws -> HubFiles {
        let uploads = data.appending(path: "uploads")
        try SystemCalls.makeFolder(uploads)
        return HubFiles(
            blobs: try FileBlobStore(folder: data.appending(path: "blobs")),
            evaluationFiles: FolderEvaluationFileStore(
                folder: data.appending(path: FolderEvaluationFileStore.folderName)
            ),
            pieces: FolderPieceStore(folder: uploads),
            uploads: uploads
        )
    }

    /// Opens the stores in S3-compatible storage.
    ///
    /// - Parameters:
    ///   - location: The bucket, and the beginning of all keys in it.
    ///   - credentials: The key pair, with the rights to list the bucket, and to read, write and delete objects.
    ///   - data: The hub's data folder on this machine, for files that are being received.
    ///   - cache: Copies of files on this machine; nil to read the files where they lie.
    /// - Throws: `.unavailable` if the bucket cannot be listed, and `.failedPrecondition` if another process uses the
    ///   folder of the cache.
    package static func s3(
        _ location: S3Location,
        credentials: S3Credentials,
        data: URL,
        cache: Cache? = nil
    ) async throws -> HubFiles {
        try await s3(S3Client(location, credentials), data: data, cache: cache)
    }

    static func s3(_ client: S3Client, data: URL, cache: Cache?) async throws -> HubFiles {
        try await client.check()
        let uploads = data.appending(path: "uploads")
        try SystemCalls.makeFolder(uploads)
        let copies: FileCache? =
            if let cache { try await FileCache.open(cache.folder, byteLimit: cache.byteLimit) } else { nil }
        let blobs = S3BlobStore(client)
        return HubFiles(
            blobs: copies.map { CachingBlobStore(blobs, cache: $0) } ?? blobs,
            evaluationFiles: S3EvaluationFileStore(client, cache: copies),
            pieces: S3PieceStore(client, folder: uploads),
            uploads: uploads,
            place: .bucket
        )
    }

    /// Where copies of files are kept.
    package struct Cache: Sendable, Hashable {
        /// The folder, which belongs to one process.
        package var folder: URL
        /// The largest size of all copies in bytes.
        package var byteLimit: Int

        /// Describes a cache.
        package init(folder: URL, byteLimit: Int) {
            self.folder = folder
            self.byteLimit = byteLimit
        }
    }
}
