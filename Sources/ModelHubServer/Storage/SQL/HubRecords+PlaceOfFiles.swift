import Foundation

extension HubRecords {
    /// The place where the files of the records lie; nil if no hub has recorded it.
    func placeOfFiles() async throws -> HubFiles.Place? {
        try await database.read { db in
            try db.value(Data.self, "SELECT value FROM setting WHERE key = 'files'")
                .flatMap { HubFiles.Place(rawValue: String(decoding: $0, as: UTF8.self)) }
        }
    }

    /// Records the place where the files of the records lie.
    func setPlaceOfFiles(_ place: HubFiles.Place) async throws {
        try await database.write { db in
            _ = try db.insert(
                ["key": "files", "value": Data(place.rawValue.utf8)],
                into: "setting",
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
            )
        }
    }
}
