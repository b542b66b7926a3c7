import Foundation
import ModelHubProtocol

/// A photo whose file is stored and claimed, before its record exists.
struct NewPhoto: Sendable {
    var hash: BlobHash
    var byteCount: Int
    var name: String
    var label: String?
    var boxes: [PhotoBox]?
    var width: Int
    var height: Int
    var thumbnail: Data
}

extension HubRecords {
    /// Adds photos whose files are stored and claimed.
    ///
    /// - Parameter audit: The entry of the audit log; nil if an earlier part of the same photos has it.
    /// - Returns: The number of new photos: those that the data set already has keep their labels.
    /// - Throws: `.notFound` if the data set is gone, `.resourceExhausted` if it or the quota has no room.
    func insert(_ photos: [NewPhoto], into dataSet: DataSet, at time: Timestamp, audit: AuditEntry?) async throws -> Int
    {
        try await database.write(in: dataSet.project) { db in
            guard try db.row("SELECT id FROM dataSet WHERE id = :id", ["id": dataSet.id]) != nil else {
                throw HubError(.notFound, "The data set \"\(dataSet.name)\" was deleted meanwhile; create it again.")
            }
            var count = 0
            for photo in photos {
                try Self.endClaim(of: photo.hash, db)
                let added = try db.insert(
                    [
                        "dataSet": dataSet.id, "project": dataSet.project, "hash": photo.hash.text,
                        "size": photo.byteCount, "name": photo.name, "label": photo.label, "width": photo.width,
                        "height": photo.height, "createTime": time.milliseconds, "thumbnail": photo.thumbnail,
                        "boxRevision": photo.boxes == nil ? nil : 1,
                    ],
                    into: "photo",
                    "ON CONFLICT (dataSet, hash) DO NOTHING"
                )
                if added > 0, let boxes = photo.boxes { try Self.insert(boxes, of: photo.hash, in: dataSet, db) }
                count += added
            }
            try Self.checkLimits(of: dataSet, db)
            try Self.checkQuota(of: dataSet.project, db)
            if let audit { try Self.log(audit, db) }
            return count
        }
    }

    static func checkLimits(of dataSet: DataSet, _ db: any SQLTransaction) throws {
        let row = try db.row(
            "SELECT count(*) AS photos, count(DISTINCT label) AS labels FROM photo WHERE dataSet = :id",
            ["id": dataSet.id]
        )
        guard try row?["photos"] ?? 0 <= DataSet.maximumPhotos else { throw HubError.tooManyPhotos(dataSet.name) }
        guard try row?["labels"] ?? 0 <= DataSet.maximumLabels else {
            throw HubError(
                .resourceExhausted,
                "A data set has at most \(DataSet.maximumLabels) labels; name the label of these photos with the parameter label."
            )
        }
        let boxes = try db.row(
            "SELECT count(*) AS boxes, count(DISTINCT label) AS labels FROM photoBox WHERE dataSet = :id",
            ["id": dataSet.id]
        )
        guard try boxes?["boxes"] ?? 0 <= DataSet.maximumBoxes, try boxes?["labels"] ?? 0 <= DataSet.maximumLabels
        else {
            throw HubError(
                .resourceExhausted,
                "A data set has at most \(DataSet.maximumBoxes) boxes of at most \(DataSet.maximumLabels) labels; divide the photos among several data sets."
            )
        }
    }

    /// The number of a data set's photos, and those of some hashes that it has.
    func known(_ hashes: [BlobHash], ofDataSet id: Int64) async throws -> (count: Int, hashes: Set<BlobHash>) {
        try await database.read { db in
            let count = try db.value(Int.self, "SELECT count(*) FROM photo WHERE dataSet = :id", ["id": id])
            var known: Set<BlobHash> = []
            for start in stride(from: 0, to: hashes.count, by: Self.hashesAtOnce) {
                let part = hashes[start..<min(start + Self.hashesAtOnce, hashes.count)]
                for row in try db.rows(Self.knownStatement(part), ["id": id], isReused: false) {
                    if let hash = BlobHash(try row["hash"] as String) { known.insert(hash) }
                }
            }
            return (count ?? 0, known)
        }
    }

    private static let hashesAtOnce = 500

    /// The statement that finds some hashes. Its text has hexadecimal digits alone, and others each time.
    static func knownStatement(_ hashes: ArraySlice<BlobHash>) -> String {
        let list = hashes.map { "'\($0.text)'" }.joined(separator: ", ")
        return "SELECT hash FROM photo WHERE dataSet = :id AND hash IN (\(list))"
    }

    /// The only hash of a data set's photos that begins with a text of at least eight characters; nil if there are none or several.
    func photoHash(beginning text: String, ofDataSet id: Int64) async throws -> BlobHash? {
        guard (8..<64).contains(text.utf8.count) else { return nil }
        return try await database.read { db in
            let found = try db.rows(
                "SELECT hash FROM photo WHERE dataSet = :id AND substr(hash, 1, :length) = :text LIMIT 2",
                ["id": id, "length": text.utf8.count, "text": text.lowercased()]
            )
            return found.count == 1 ? try found.first.flatMap { BlobHash(try $0["hash"] as String) } : nil
        }
    }

    private static let columns =
        "id, hash, size, name, label, width, height, createTime, doubt, answer, confidence, boxRevision, proposals"

    /// The photos of a data set after one of them, in the order of their arrival. The doubtful ones come by doubt, and from the first on.
    func photos(ofDataSet id: Int64, _ filter: PhotoFilter, after last: Int64, limit: Int) async throws -> [Photo] {
        var key: Columns = ["id": id, "last": last, "limit": limit]
        if case .label(let label) = filter { key["label"] = label }
        return try await database.read { [key] db in
            let photos = try db.rows(Self.pageStatement(filter), key).compactMap(Self.photo)
            return try Self.addBoxes(to: photos, db)
        }
    }

    /// The statement that reads a page of photos, for which each order has an index.
    static func pageStatement(_ filter: PhotoFilter) -> String {
        let condition =
            switch filter {
            case .all: "id > :last"
            case .unlabeled: "id > :last AND label IS NULL AND boxRevision IS NULL"
            case .undrawn: "id > :last AND boxRevision IS NULL"
            case .doubtful: "doubt IS NOT NULL"
            case .label:
                """
                id > :last AND (label = :label OR EXISTS (
                    SELECT 1 FROM photoBox WHERE photoBox.photo = photo.id AND photoBox.label = :label))
                """
            }
        return """
            SELECT \(columns) FROM photo WHERE dataSet = :id AND \(condition)
            ORDER BY \(filter == .doubtful ? "doubt" : "id") LIMIT :limit
            """
    }

    /// The photo with a hash; nil if there is none.
    func photo(_ hash: BlobHash, ofDataSet id: Int64) async throws -> Photo? {
        try await database.read { db in
            let photo = try db.row(
                "SELECT \(Self.columns) FROM photo WHERE dataSet = :id AND hash = :hash",
                ["id": id, "hash": hash.text]
            ).flatMap(Self.photo)
            return try photo.flatMap { try Self.addBoxes(to: [$0], db).first }
        }
    }

    /// The small picture of a photo, a JPEG; nil if there is no such photo.
    func thumbnail(of hash: BlobHash, ofDataSet id: Int64) async throws -> Data? {
        try await database.read { db in
            try db.value(
                Data.self,
                "SELECT thumbnail FROM photo WHERE dataSet = :id AND hash = :hash",
                ["id": id, "hash": hash.text]
            )
        }
    }

    /// Gives a photo another label, which ends its doubt; false if there is no such photo.
    func setLabel(_ label: String?, of hash: BlobHash, in dataSet: DataSet, audit: AuditEntry) async throws -> Bool {
        try await database.write(in: dataSet.project) { db in
            let count = try db.update(
                "photo",
                set: ["label": label, "doubt": Int?.none, "answer": String?.none, "confidence": Double?.none],
                where: "dataSet = :id AND hash = :hash",
                ["id": dataSet.id, "hash": hash.text]
            )
            guard count == 1 else { return false }
            try Self.checkLimits(of: dataSet, db)
            try Self.log(audit, db)
            return true
        }
    }

    /// Removes a photo; false if there is no such photo.
    func deletePhoto(_ hash: BlobHash, of dataSet: DataSet, audit: AuditEntry) async throws -> Bool {
        try await database.write(in: dataSet.project) { db in
            let count = try db.change(
                "DELETE FROM photo WHERE dataSet = :id AND hash = :hash",
                ["id": dataSet.id, "hash": hash.text]
            )
            if count == 1 { try Self.log(audit, db) }
            return count == 1
        }
    }

    /// Notes the most doubtful photos of a training instead of those of an earlier one. A photo whose label a person changed meanwhile
    /// is not among them, nor one whose boxes changed.
    static func setDoubts(
        _ doubts: [TrainingOutcome.Doubt],
        ofDataSet id: Int64,
        _ db: any SQLTransaction
    ) throws {
        try db.update(
            "photo",
            set: ["doubt": Int?.none, "answer": String?.none, "confidence": Double?.none],
            where: "dataSet = :id AND doubt IS NOT NULL",
            ["id": id]
        )
        for doubt in doubts {
            var columns: Columns = [
                "doubt": doubt.doubt.place, "answer": doubt.doubt.answer, "confidence": doubt.doubt.confidence,
            ]
            if let found = doubt.found { columns["proposals"] = try json(found) }
            let photo = doubt.photo
            let isSame = doubt.found == nil ? "label = :label" : "boxRevision = :revision"
            try db.update(
                "photo",
                set: columns,
                where: "dataSet = :id AND hash = :hash AND \(isSame)",
                doubt.found == nil
                    ? ["id": id, "hash": photo.hash.text, "label": photo.label]
                    : ["id": id, "hash": photo.hash.text, "revision": photo.boxRevision]
            )
        }
    }

    private static func photo(_ row: SQLRow) throws -> Photo? {
        guard let hash = BlobHash(try row["hash"] as String) else { return nil }
        var doubt: Photo.Doubt?
        if let place: Int = try row["doubt"] {
            doubt = try Photo.Doubt(place: place, answer: row["answer"] ?? "", confidence: row["confidence"] ?? 0)
        }
        return try Photo(
            id: row["id"],
            hash: hash,
            byteCount: row["size"],
            name: row["name"],
            label: row["label"],
            boxRevision: row["boxRevision"],
            proposals: (row["proposals"] as String?).flatMap {
                try? JSONDecoder().decode([PhotoBox].self, from: Data($0.utf8))
            },
            width: row["width"],
            height: row["height"],
            createTime: Timestamp(milliseconds: row["createTime"]),
            doubt: doubt
        )
    }
}

extension HubError {
    static func tooManyPhotos(_ dataSet: String) -> HubError {
        HubError(
            .resourceExhausted,
            "The data set \"\(dataSet)\" would have more than \(DataSet.maximumPhotos) photos; add fewer, or delete some first."
        )
    }
}
