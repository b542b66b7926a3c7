/// The records of the files in a ``BlobStore``: which are stored, which are needed, and which are being removed.
///
/// A caller claims a file before it stores its bytes, and the claim ends with the transaction that records their use.
/// Until then the file cannot be removed. A removal is recorded before the bytes go, and ends when they are gone.
/// Transactions therefore never wait for the store of the bytes.
public protocol BlobIndex: Sendable {
    /// Claims a file that the caller is about to store; false if it is being removed at this moment.
    ///
    /// A removal that did not end within ``BlobRemoval/lease`` ended with its process, and does not prevent a claim.
    func claim(_ blob: StoredBlob, at time: Timestamp) async throws -> Bool
    /// Ends a claim without a use of the file.
    func abandonClaim(of hash: BlobHash) async throws
    /// Adds files that were found in the store and have no record, as if they were stored now.
    func adopt(_ blobs: [StoredBlob], at time: Timestamp) async throws

    /// The states of all recorded files.
    func blobStates() async throws -> [BlobHash: BlobState]
    /// All files that a version or an object needs, and their sizes.
    func referencedBlobs() async throws -> [BlobHash: Int]

    /// The files that may be removed because of their age, and those whose removal did not end.
    func removableBlobs(unusedSince moment: Timestamp, at time: Timestamp) async throws -> [BlobHash]
    /// Marks those of the files that nothing needs and that a condition permits to remove; returns them. Nothing can
    /// refer to a marked file, and it cannot be claimed.
    func beginRemoval(of hashes: [BlobHash], if condition: BlobRemoval, at time: Timestamp) async throws -> [BlobHash]
    /// Forgets files that were removed from the store.
    func endRemoval(of hashes: [BlobHash]) async throws
}

/// The state of a file in a ``BlobIndex``.
public enum BlobState: String, Sendable, Hashable {
    /// It was claimed, and may be in the store in whole or not at all.
    case storing
    /// It is in the store.
    case stored
    /// It is being removed from the store.
    case removing
}

/// The condition for removing a file that nothing needs.
public enum BlobRemoval: Sendable, Hashable {
    /// No model ever had it, so that no address leads to it, and there are no claims.
    case neverServed
    /// It was neither claimed nor needed since a moment.
    case unusedSince(Timestamp)

    /// The time after which a removal has ended in any case, also one whose process ended.
    ///
    /// It is much longer than a hub waits for its storage, which may remove a file after that, and would take away a file
    /// that was stored again.
    public static let lease = Duration.seconds(90)
}
