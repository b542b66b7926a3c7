import Foundation
import Testing

@testable import ModelHubServer

/// The records of uploads in several requests.
extension StoreConformanceTests {
    private func upload(_ id: String, of project: String = "my-plants", at time: Timestamp = .now) -> UploadRecord {
        UploadRecord(
            id: id,
            project: project,
            bucket: "bucket",
            name: "dir/\(id)",
            contentType: "text/plain",
            time: Timestamp(milliseconds: time.milliseconds)
        )
    }

    @Test(arguments: StoreBackend.allCases)
    func anUploadIsKnownUntilItEnds(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            var first = upload("first")
            try await records.insert(first, limit: 64)
            try await records.insert(upload("second"), limit: 64)
            #expect(try await records.upload("first", of: "my-plants") == first)
            #expect(try await records.upload("first", of: "other") == nil)
            #expect(
                try await records.noteProgress(
                    of: "first",
                    in: "my-plants",
                    byteCount: 300,
                    summary: nil,
                    at: first.time
                )
            )
            first.byteCount = 300
            #expect(try await records.upload("first", of: "my-plants") == first)
            #expect(try await records.unfinishedBytes(of: "my-plants") == 300)
            let summary = FileSummary(hash: try .test("first"), byteCount: 300, crc32c: "a", md5: "b")
            #expect(
                try await records.noteProgress(
                    of: "first",
                    in: "my-plants",
                    byteCount: 300,
                    summary: summary,
                    at: first.time
                )
            )
            first.summary = summary
            #expect(try await records.upload("first", of: "my-plants") == first)
            for _ in 0..<2 { try await records.deleteUpload("first", of: "my-plants") }
            #expect(try await records.upload("first", of: "my-plants") == nil)
            #expect(
                try await !records.noteProgress(
                    of: "first",
                    in: "my-plants",
                    byteCount: 1,
                    summary: nil,
                    at: first.time
                )
            )
            #expect(try await records.uploadIDs() == ["second"])
            #expect(try await records.unfinishedBytes(of: "my-plants") == 0)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func anObjectEndsItsUpload(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project(quota: 10_000)
            try await records.insert(upload("a"), limit: 64)
            let large = StorageObject.test("large", byteCount: 20_000)
            _ = try await records.claim(StoredBlob(hash: large.hash, byteCount: 20_000), at: .now)
            await #expect(throws: HubError.self) { try await records.put(large, upload: "a", audit: .test) }
            #expect(try await records.uploadIDs() == ["a"])
            let object = StorageObject.test("x")
            _ = try await records.claim(StoredBlob(hash: object.hash, byteCount: 100), at: .now)
            try await records.put(object, upload: "a", audit: .test)
            #expect(try await records.uploadIDs() == [])
            #expect(try await records.object(ofUpload: "a", of: "my-plants")?.name == "x")
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aProjectHasALimitedNumberOfUploads(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            _ = try await stores.project()
            _ = try await stores.project("other")
            let records = stores.records
            try await records.insert(upload("stranger", of: "other"), limit: 3)
            let inserted = try await eightAtOnce { number in
                do {
                    try await records.insert(upload("\(number)"), limit: 3)
                    return true
                } catch let error as HubError where error.code == .resourceExhausted {
                    return false
                }
            }
            #expect(inserted.count(where: \.self) == 3)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func onlyInactiveUploadsAreEnded(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            let start = Timestamp(milliseconds: 1_800_000_000_000)
            for id in ["left", "active"] { try await records.insert(upload(id, at: start), limit: 64) }
            let later = start.advanced(by: .seconds(100))
            #expect(
                try await records.noteProgress(of: "active", in: "my-plants", byteCount: 1, summary: nil, at: later)
            )
            try await records.deleteUploads(inactiveSince: start.advanced(by: .seconds(50)))
            #expect(try await records.uploadIDs() == ["active"])
        }
    }
}
