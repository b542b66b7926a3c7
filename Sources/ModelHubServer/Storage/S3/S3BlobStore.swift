import Foundation

/// A store with an object for each file: `blobs/` and the hash.
///
/// An object that was overwritten has the same bytes as before, because its key is their hash.
struct S3BlobStore: BlobStore {
    private let client: S3Client

    init(_ client: S3Client) { self.client = client }

    private static let folder = "blobs/"

    func store(fileAt url: URL, as hash: BlobHash) async throws {
        let file = try await DiskThreads.run { try LocalFile(url) }
        try await client.put(file, as: Self.folder + hash.text, hash: hash)
        try await DiskThreads.run { _ = unlink(url.path) }
    }

    func open(_ hash: BlobHash) async throws -> StoredFile {
        let key = Self.folder + hash.text
        guard let byteCount = try await client.byteCount(of: key) else {
            throw HubError(
                .dataLoss,
                "The bucket \(client.location.bucket) has lost a model's file; `sightline hub verify` shows its hash."
            )
        }
        return S3Reader.file(key, byteCount: byteCount, client)
    }

    /// One short attempt: after the lease of the removal another hub may store the file again, and a late removal would take
    /// that file away.
    func remove(_ hash: BlobHash) async throws {
        try await briefly(.seconds(4)).delete(Self.folder + hash.text)
    }

    func contents() async throws -> [StoredBlob] {
        try await client.objects(below: Self.folder).compactMap { object in
            BlobHash(object.key.dropFirst(Self.folder.count)).map { StoredBlob(hash: $0, byteCount: object.byteCount) }
        }
    }

    func contains(_ hash: BlobHash) async throws -> Bool {
        try await client.byteCount(of: Self.folder + hash.text) != nil
    }

    /// One short attempt, because callers try again.
    func check() async throws { try await briefly(.seconds(3)).check() }

    /// A client that tries once.
    private func briefly(_ time: Duration) -> S3Client {
        var client = client
        (client.limits.retries.tries, client.limits.attempt) = (1, time)
        return client
    }
}
