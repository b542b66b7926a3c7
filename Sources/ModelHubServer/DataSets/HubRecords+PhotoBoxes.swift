import Foundation
import ModelHubProtocol

/// The boxes of photos.
extension HubRecords {
    /// Adds boxes to a photo that has none.
    static func insert(_ boxes: [PhotoBox], of hash: BlobHash, in dataSet: DataSet, _ db: any SQLTransaction) throws {
        guard
            let photo = try db.value(
                Int64.self,
                "SELECT id FROM photo WHERE dataSet = :id AND hash = :hash",
                ["id": dataSet.id, "hash": hash.text]
            )
        else { return }
        for box in boxes {
            try db.insert(
                [
                    "dataSet": dataSet.id, "photo": photo, "label": box.label, "x": box.x, "y": box.y,
                    "width": box.width, "height": box.height, "isGroup": box.isGroup ?? false,
                ],
                into: "photoBox"
            )
        }
    }

    /// The photos with their boxes.
    static func addBoxes(to photos: [Photo], _ db: any SQLTransaction) throws -> [Photo] {
        let drawn = photos.filter { $0.boxRevision != nil }.map { "\($0.id)" }.joined(separator: ", ")
        guard !drawn.isEmpty else { return photos }
        var boxes: [Int64: [PhotoBox]] = [:]
        // The text has numbers alone, and another one each time.
        for row in try db.rows("SELECT * FROM photoBox WHERE photo IN (\(drawn)) ORDER BY id", isReused: false) {
            boxes[try row["photo"], default: []].append(
                try PhotoBox(
                    label: row["label"],
                    x: row["x"],
                    y: row["y"],
                    width: row["width"],
                    height: row["height"],
                    isGroup: (row["isGroup"] as Bool) ? true : nil
                )
            )
        }
        return photos.map { photo in
            var photo = photo
            if photo.boxRevision != nil { photo.boxes = boxes[photo.id] ?? [] }
            return photo
        }
    }

    /// Gives a photo other boxes, which ends its doubt and its proposals; false if there is no such photo.
    ///
    /// - Parameter boxes: The boxes; nil as if nobody had drawn them.
    func setBoxes(
        _ boxes: [PhotoBox]?,
        of hash: BlobHash,
        in dataSet: DataSet,
        audit: AuditEntry
    ) async throws -> Bool {
        try await database.write(in: dataSet.project) { db in
            let key: Columns = ["id": dataSet.id, "hash": hash.text]
            let revision = boxes == nil ? "NULL" : "coalesce(boxRevision, 0) + 1"
            let count = try db.change(
                """
                UPDATE photo SET boxRevision = \(revision), proposals = NULL, doubt = NULL, answer = NULL,
                    confidence = NULL
                WHERE dataSet = :id AND hash = :hash
                """,
                key
            )
            guard count == 1 else { return false }
            try db.change(
                "DELETE FROM photoBox WHERE photo = (SELECT id FROM photo WHERE dataSet = :id AND hash = :hash)",
                key
            )
            if let boxes { try Self.insert(boxes, of: hash, in: dataSet, db) }
            try Self.checkLimits(of: dataSet, db)
            try Self.log(audit, db)
            return true
        }
    }

    /// Notes proposals of a photo whose boxes nobody has drawn.
    func setProposals(_ proposals: [PhotoBox], of hash: BlobHash, in dataSet: DataSet) async throws {
        try await database.write(in: dataSet.project) { db in
            _ = try db.update(
                "photo",
                set: ["proposals": try Self.json(proposals)],
                where: "dataSet = :id AND hash = :hash AND boxRevision IS NULL",
                ["id": dataSet.id, "hash": hash.text]
            )
        }
    }

    static func json(_ boxes: [PhotoBox]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(boxes), as: UTF8.self)
    }
}
