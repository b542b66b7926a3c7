import Foundation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct StorageTests {
    @Test func timesHaveThreeDigitsOfASecond() {
        #expect("\(Timestamp(milliseconds: 0))" == "1970-01-01T00:00:00.000Z")
        #expect("\(Timestamp(milliseconds: 1_812_957_007_045))" == "2027-06-14T07:10:07.045Z")
        #expect("\(Timestamp(milliseconds: 951_782_399_999))" == "2000-02-28T23:59:59.999Z")
        #expect("\(Timestamp(milliseconds: 951_782_400_000))" == "2000-02-29T00:00:00.000Z")
        #expect("\(Timestamp(milliseconds: -1))" == "1969-12-31T23:59:59.999Z")
    }

    @Test func aTimeBeyondTheCalendarIsItsEnd() {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        #expect(now.advanced(by: .seconds(Int64.max)) == Timestamp(milliseconds: .max))
        #expect(now.advanced(by: .seconds(Int64.min)) == Timestamp(milliseconds: .min))
        #expect(now.advanced(by: .seconds(Int64.max / 1000)) == Timestamp(milliseconds: .max))
        #expect(now.advanced(by: .seconds(Int64.max / 1000 + 1)) == Timestamp(milliseconds: .max))
        #expect(now.advanced(by: .milliseconds(-1500)) == Timestamp(milliseconds: 1_799_999_998_500))
        #expect(Timestamp(milliseconds: .max).advanced(by: .milliseconds(1)) == Timestamp(milliseconds: .max))
        #expect(Timestamp(milliseconds: .min).advanced(by: .milliseconds(-1)) == Timestamp(milliseconds: .min))
    }

    @Test(arguments: [
        "", "..", "../" + String(repeating: "a", count: 61), String(repeating: "A", count: 64),
        String(repeating: "g", count: 64),
    ])
    func nothingButSixtyFourDigitsIsAHash(_ text: String) {
        #expect(BlobHash(text) == nil)
    }

    @Test func aDatabaseWithoutRoomRefusesChangesUntilThereIsRoom() async throws {
        try await withTemporaryFolder { folder in
            let database = try SQLiteDatabase.open(folder.appending(path: "hub.sqlite"))
            func setRoom(_ pageCount: Int) async throws {
                try await database.write { db in
                    _ = try db.rows("PRAGMA max_page_count = \(pageCount)", isReused: false)
                }
            }
            func change() async throws {
                try await database.write { db in
                    _ = try db.insert(["key": "large", "value": Data(count: 1 << 20)], into: "setting")
                }
            }
            try await setRoom(1)
            let error = await #expect(throws: HubError.self) { try await change() }
            #expect(error == .diskFull && error?.httpStatus == 503 && error?.retryAfter == .seconds(30))
            try await setRoom(100_000)
            try await change()
            try await database.close()
        }
    }

    @Test func theSameContentIsStoredOnce() async throws {
        try await TestHub.with { test in
            let hub = test.hub
            try await test.serve { client in
                for index in 0..<3 { _ = try await client.publish("m\(index)", file: fakeModel()) }
                #expect(try await test.storedFiles().count == 1)
                // Once the content, and three uploads and three versions.
                let usage = try await hub.usage(of: try await hub.testProject())
                #expect(usage.byteCount == fakeModel().count + 6 * ProjectUsage.recordSize)
            }
        }
    }

    @Test func verificationFindsWhatIsDamagedOrMissing() async throws {
        // A file in a bucket cannot be damaged from here.
        try await TestHub.with(opening: { try .folder($0) }) { test in
            let hub = test.hub
            try await test.serve { client in
                for index in 0..<3 { _ = try await client.publish("m\(index)", file: fakeModel(index)) }
                #expect(try await hub.verify() == Verification(intactFiles: 3, unreferencedFiles: 0, problems: []))
                let hashes = try await hub.blobs.contents().map(\.hash).sorted { $0.text < $1.text }
                let damaged = URL(filePath: try #require(try await hub.blobs.open(hashes[0]).local).path)
                let handle = try FileHandle(forWritingTo: damaged)
                try handle.seek(toOffset: 20)
                try handle.write(contentsOf: Data("x".utf8))
                try handle.close()
                try await hub.blobs.remove(hashes[1])
                let problems = try await hub.verify().problems
                #expect(problems.count == 2)
                #expect(problems.contains { $0.hasPrefix("The file \(hashes[0]) has the SHA-256 ") })
                #expect(problems.contains { $0.hasPrefix("The file \(hashes[1]) of ") && $0.contains("is missing") })
            }
        }
    }

    @Test func aFileThatWentMeanwhileIsNotReferredTo() async throws {
        try await TestHub.with { test in
            let hub = test.hub
            let caller = try await hub.caller(bearerToken: test.admin)
            let version = ModelVersion(
                number: 1,
                hash: try #require(BlobHash(String(repeating: "0", count: 64))),
                byteCount: 1,
                createTime: .now,
                source: "gs://b/o",
                inspection: "null"
            )
            var model = try await hub.createModel(ModelInput(displayName: "plants"), by: caller)
            let etag = model.etag
            model.etag = "new"
            let error = await #expect(throws: HubError.self) {
                try await hub.records.update(
                    model,
                    replacing: etag,
                    version: version,
                    audit: hub.audit(caller, "test", "")
                )
            }
            #expect(error?.code == .aborted)
            #expect(try await hub.records.model(model.id, of: TestHub.project)?.etag == etag)
        }
    }

    @Test func unusedUploadsGoAfterAMonthAndUsedOnesStay() async throws {
        try await TestHub.with { test in
            let (hub, clock) = (test.hub, test.clock)
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel(1))
                _ = try await client.upload(fakeModel(2), as: "unused.tflite")
                clock.advance(by: .seconds(29 * 86_400))
                #expect(try await hub.cleanUp() == CleanUp(objects: 0, blobs: 0))
                clock.advance(by: .seconds(2 * 86_400))
                #expect(try await hub.cleanUp() == CleanUp(objects: 1, blobs: 0))
                clock.advance(by: .seconds(2 * 86_400))
                #expect(try await hub.cleanUp() == CleanUp(objects: 0, blobs: 1))
                #expect(try await test.storedFiles() == [sha256(fakeModel(1))])
            }
        }
    }

    @Test func aBackupIsWholeAndComesBack() async throws {
        try await TestHub.with { test in
            let (hub, token) = (test.hub, test.admin)
            try await withTemporaryFolder { elsewhere in
                let (backup, restored) = (elsewhere.appending(path: "backup"), elsewhere.appending(path: "restored"))
                try await test.serve { client in
                    let id = try await client.publish("plants", file: fakeModel(1))
                    #expect(try await hub.backUp(to: backup).copiedFiles == 1)
                    _ = try await client.publish("later", file: fakeModel(2))
                    #expect(try await hub.backUp(to: backup).copiedFiles == 1)
                    _ = try await client.send(.delete, "\(TestClient.models)/\(id)")
                }
                try await Hub.restore(from: backup, to: restored)
                let again = await #expect(throws: HubError.self) { try await Hub.restore(from: backup, to: restored) }
                #expect(again?.code == .alreadyExists)
                let copy = try await Hub(data: restored, validator: IdentifierValidator())
                #expect(try await copy.verify() == Verification(intactFiles: 2, unreferencedFiles: 0, problems: []))
                let caller = try await copy.caller(bearerToken: token)
                let models = try await copy.records.models(of: caller.project.id, where: nil, after: 0, limit: 10)
                #expect(models.map(\.displayName) == ["plants", "later"])
            }
        }
    }

    @Test func tokensAndAddressesOutliveARestart() async throws {
        try await TestHub.with { test in
            try await test.withAnotherHub { again in
                let signature = test.hub.signer.signature(of: "text", for: "test")
                #expect(again.hub.signer.isValid(signature, of: "text", for: "test"))
                #expect(!again.hub.signer.isValid(signature, of: "text", for: "another purpose"))
            }
        }
    }
}
