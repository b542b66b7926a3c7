import Foundation

extension HubRecords {
    /// Claims a file that the caller is about to store; false if it is being removed at this moment.
    ///
    /// A removal that did not end within ``BlobRemoval/lease`` ended with its process, and does not prevent a claim.
    func claim(_ blob: StoredBlob, at time: Timestamp) async throws -> Bool {
        try await database.write { db in
            let row: Columns = [
                "hash": blob.hash.text,
                "size": blob.byteCount,
                "time": time.milliseconds,
                "state": BlobState.storing.rawValue,
                "claims": 1,
            ]
            // A removal that lapsed removed the file or not.
            let count = try db.change(
                """
                INSERT INTO blob (hash, size, time, state, claims) VALUES (:hash, :size, :time, :state, :claims)
                ON CONFLICT (hash) DO UPDATE SET size = excluded.size, time = excluded.time,
                    state = CASE blob.state WHEN 'stored' THEN 'stored' ELSE 'storing' END,
                    claims = CASE blob.state WHEN 'removing' THEN 1 ELSE blob.claims + 1 END
                WHERE blob.state <> 'removing' OR blob.time < :lapsed
                """,
                row.merging(["lapsed": Self.lapse(at: time)])
            )
            return count == 1
        }
    }

    /// Ends a claim without a use of the file.
    func abandonClaim(of hash: BlobHash) async throws {
        try await database.write { db in
            _ = try db.change(
                "UPDATE blob SET claims = claims - 1 WHERE hash = :hash AND claims > 0",
                ["hash": hash.text]
            )
        }
    }

    /// Ends a claim: the file is stored, and this transaction records its use.
    static func endClaim(of hash: BlobHash, _ db: any SQLTransaction) throws {
        let count = try db.change(
            """
            UPDATE blob SET claims = claims - 1, state = 'stored'
            WHERE hash = :hash AND claims > 0 AND state <> 'removing'
            """,
            ["hash": hash.text]
        )
        guard count == 1 else {
            throw HubError(.aborted, "The file was removed meanwhile; upload it again.")
        }
    }

    /// Throws an error if a file is not stored, or is being removed.
    static func requireStored(_ hash: BlobHash, _ db: any SQLTransaction) throws {
        let isStored = try db.value(
            Bool.self,
            "SELECT EXISTS (SELECT 1 FROM blob WHERE hash = :hash AND state = 'stored')",
            ["hash": hash.text]
        )
        guard isStored == true else {
            throw HubError(.aborted, "The model's file was removed meanwhile; upload it again.")
        }
    }

    /// Records the time at which the hashes of a query lost a reference.
    ///
    /// - Parameters:
    ///   - time: The time.
    ///   - query: A query with a column of hashes.
    ///   - key: The parameters of the query.
    static func release(_ db: any SQLTransaction, at time: Timestamp, _ query: String, _ key: Columns) throws {
        try db.update("blob", set: ["releaseTime": time.milliseconds], where: "hash IN (\(query))", key)
    }

    /// Adds files that were found in the store and have no record, as if they were stored now.
    func adopt(_ blobs: [StoredBlob], at time: Timestamp) async throws {
        guard !blobs.isEmpty else { return }
        try await database.write { db in
            for blob in blobs {
                try db.insert(
                    [
                        "hash": blob.hash.text,
                        "size": blob.byteCount,
                        "time": time.milliseconds,
                        "state": BlobState.stored.rawValue,
                        "claims": 0,
                    ],
                    into: "blob",
                    "ON CONFLICT (hash) DO NOTHING"
                )
            }
        }
    }

    /// The states of all recorded files.
    func blobStates() async throws -> [BlobHash: BlobState] {
        try await database.read { db in
            try Dictionary(
                db.rows("SELECT hash, state FROM blob").compactMap { row in
                    guard let hash = BlobHash(try row["hash"] as String),
                        let state = BlobState(rawValue: try row["state"])
                    else { return nil }
                    return (hash, state)
                },
                uniquingKeysWith: { $1 }
            )
        }
    }

    /// All files that a version, an object or a photo needs, and their sizes.
    func referencedBlobs() async throws -> [BlobHash: Int] {
        try await database.read { db in
            try Dictionary(
                db.rows(
                    "SELECT hash, size FROM version UNION SELECT hash, size FROM object UNION SELECT hash, size FROM photo"
                ).compactMap { row in
                    try BlobHash(row["hash"] as String).map { try ($0, row["size"]) }
                },
                uniquingKeysWith: { $1 }
            )
        }
    }

    /// The files that may be removed because of their age, and those whose removal did not end.
    func removableBlobs(unusedSince moment: Timestamp, at time: Timestamp) async throws -> [BlobHash] {
        try await database.read { db in
            try db.rows(
                "SELECT hash FROM blob WHERE \(Self.unneeded) AND \(Self.unused)",
                ["moment": moment.milliseconds, "lapsed": Self.lapse(at: time)]
            ).compactMap { BlobHash(try $0["hash"] as String) }
        }
    }

    /// Marks those of the files that nothing needs and that a condition permits to remove; returns them. Nothing can
    /// refer to a marked file, and it cannot be claimed.
    func beginRemoval(
        of hashes: [BlobHash],
        if condition: BlobRemoval,
        at time: Timestamp
    ) async throws -> [BlobHash] {
        let permission: String
        var key: Columns = [:]
        switch condition {
        case .neverServed:
            permission = "blob.state <> 'removing' AND blob.claims = 0 AND blob.releaseTime IS NULL"
        case .unusedSince(let moment):
            permission = Self.unused
            key = ["moment": moment.milliseconds, "lapsed": Self.lapse(at: time)]
        }
        return try await database.write { [key] db in
            try hashes.filter { hash in
                try db.update(
                    "blob",
                    set: ["state": BlobState.removing.rawValue, "time": time.milliseconds],
                    where: "hash = :hash AND \(Self.unneeded) AND \(permission)",
                    key.merging(["hash": hash.text])
                ) == 1
            }
        }
    }

    /// Forgets files that were removed from the store.
    func endRemoval(of hashes: [BlobHash]) async throws {
        guard !hashes.isEmpty else { return }
        try await database.write { db in
            for hash in hashes {
                try db.change("DELETE FROM blob WHERE hash = :hash AND state = 'removing'", ["hash": hash.text])
            }
        }
    }

    /// Removes claims, and the records of files that nothing needs, from a copy of the records: a backup has neither
    /// callers nor such files.
    func forgetUnneededBlobs() async throws {
        try await database.write { db in
            try db.change("DELETE FROM blob WHERE \(Self.unneeded)")
            try db.change("UPDATE blob SET claims = 0")
        }
    }

    private static let unneeded = """
        NOT EXISTS (SELECT 1 FROM version WHERE version.hash = blob.hash)
            AND NOT EXISTS (SELECT 1 FROM object WHERE object.hash = blob.hash)
            AND NOT EXISTS (SELECT 1 FROM photo WHERE photo.hash = blob.hash)
        """

    /// Unused since `:moment`, or in a removal that lapsed.
    private static let unused = """
        (CASE blob.state WHEN 'removing' THEN blob.time < :lapsed ELSE blob.time < :moment END)
            AND (blob.releaseTime IS NULL OR blob.releaseTime < :moment)
        """

    /// The time since which a removal ended with its process.
    private static func lapse(at time: Timestamp) -> Int64 {
        time.advanced(by: .zero - BlobRemoval.lease).milliseconds
    }
}
