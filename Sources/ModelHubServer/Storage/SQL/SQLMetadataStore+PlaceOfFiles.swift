import Foundation

extension SQLMetadataStore {
    func placeOfFiles() async throws -> HubFiles.Place? {
        try await database.read { db in
            try db.value(Data.self, "SELECT value FROM setting WHERE key = 'files'")
                .flatMap { HubFiles.Place(rawValue: String(decoding: $0, as: UTF8.self)) }
        }
    }

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
