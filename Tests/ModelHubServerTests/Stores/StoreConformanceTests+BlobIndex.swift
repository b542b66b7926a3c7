import Foundation
import Testing

@testable import ModelHubServer

/// The records of files: claims and removals.
extension StoreConformanceTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    private func blob(_ name: String) throws -> StoredBlob { StoredBlob(hash: try .test(name), byteCount: 100) }

    @Test(arguments: StoreBackend.allCases)
    func anObjectNeedsAClaimOfItsFile(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            _ = try await stores.project()
            let object = StorageObject.test("x")
            let error = await #expect(throws: HubError.self) {
                try await stores.records.put(object, upload: nil, audit: .test)
            }
            #expect(error?.code == .aborted)
            #expect(try await stores.records.claim(try blob("x"), at: Self.start))
            #expect(try await stores.records.blobStates() == [object.hash: .storing])
            try await stores.records.put(object, upload: nil, audit: .test)
            #expect(try await stores.records.blobStates() == [object.hash: .stored])
            #expect(try await stores.records.referencedBlobs() == [object.hash: 100])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aClaimedFileIsNotRemoved(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let (records, blob) = (stores.records, try blob("x"))
            for _ in 0..<2 { #expect(try await records.claim(blob, at: Self.start)) }
            try await records.abandonClaim(of: blob.hash)
            #expect(try await records.beginRemoval(of: [blob.hash], if: .neverServed, at: Self.start) == [])
            try await records.abandonClaim(of: blob.hash)
            #expect(try await records.beginRemoval(of: [blob.hash], if: .neverServed, at: Self.start) == [blob.hash])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aClaimWaitsForTheEndOfARemovalUnlessItLapsed(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let (records, blob) = (stores.records, try blob("x"))
            try await records.adopt([blob], at: Self.start)
            #expect(try await records.beginRemoval(of: [blob.hash], if: .neverServed, at: Self.start) == [blob.hash])
            #expect(try await records.blobStates() == [blob.hash: .removing])
            #expect(try await !records.claim(blob, at: Self.start.advanced(by: .seconds(1))))
            // Nor does another process remove it meanwhile.
            #expect(try await records.beginRemoval(of: [blob.hash], if: .neverServed, at: Self.start) == [])
            let later = Self.start.advanced(by: BlobRemoval.lease + .seconds(1))
            #expect(try await records.claim(blob, at: later))
            #expect(try await records.blobStates() == [blob.hash: .storing])
            // The late end of the removal does not remove the record of the new file.
            try await records.endRemoval(of: [blob.hash])
            #expect(try await records.blobStates() == [blob.hash: .storing])
        }
    }

    /// A hub waits a few seconds for the storage, which may remove the file when the hub no longer waits.
    @Test(arguments: StoreBackend.allCases)
    func aFileIsNotStoredAgainWhileASlowStorageMayStillRemoveIt(_ backend: StoreBackend) async throws {
        struct SlowStore: BlobStore {
            func remove(_ hash: BlobHash) async throws { throw HubError(.unavailable, "no answer within 4 s") }
            func store(fileAt url: URL, as hash: BlobHash) async throws {}
            func open(_ hash: BlobHash) async throws -> StoredFile { throw HubError(.dataLoss, "missing") }
            func contents() async throws -> [StoredBlob] { [] }
        }
        try await backend.with { stores in
            let blob = try blob("x")
            try await stores.records.adopt([blob], at: Self.start)
            let hub = try await Hub(
                records: stores.records,
                blobs: SlowStore(),
                evaluationFiles: stores.evaluationFiles,
                validator: IdentifierValidator(),
                uploads: stores.folder.appending(path: "uploads"),
                now: { Self.start }
            )
            await #expect(throws: HubError.self) { _ = try await hub.remove([blob.hash], if: .neverServed) }
            #expect(try await !stores.records.claim(blob, at: Self.start.advanced(by: .seconds(60))))
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aRemovalThatEndedFreesTheName(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let (records, blob) = (stores.records, try blob("x"))
            try await records.adopt([blob], at: Self.start)
            _ = try await records.beginRemoval(of: [blob.hash], if: .neverServed, at: Self.start)
            try await records.endRemoval(of: [blob.hash])
            #expect(try await records.blobStates().isEmpty)
            #expect(try await records.claim(blob, at: Self.start))
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func onlyOldFilesThatNothingNeedsAreRemovable(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            _ = try await stores.storedObject("needed")
            let (old, new) = (try blob("old"), try blob("new"))
            try await records.adopt([old], at: Self.start)
            try await records.adopt([new], at: Self.start.advanced(by: .seconds(100)))
            let moment = Self.start.advanced(by: .seconds(50))
            let removable = try await records.removableBlobs(unusedSince: moment, at: Self.start)
            #expect(removable == [old.hash])
            let all = [old.hash, new.hash, try BlobHash.test("needed")]
            #expect(try await records.beginRemoval(of: all, if: .unusedSince(moment), at: moment) == [old.hash])
            // A removal that was interrupted is removable again.
            let later = moment.advanced(by: BlobRemoval.lease + .seconds(1))
            #expect(try await records.removableBlobs(unusedSince: moment, at: moment) == [])
            #expect(try await records.removableBlobs(unusedSince: moment, at: later) == [old.hash])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aFileThatAModelHadStaysForTheGracePeriod(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            let object = try await stores.storedObject("x")
            let model = try await records.insert(.test("plants"), version: .test(1, object), audit: .test)
            #expect(try await records.deleteModel(model.id, of: "my-plants", at: .now, audit: .test))
            #expect(try await records.deleteObject("x", in: "bucket", of: "my-plants", at: .now, audit: .test))
            #expect(try await records.beginRemoval(of: [object.hash], if: .neverServed, at: .now) == [])
            let past = Timestamp.now.advanced(by: .seconds(-60))
            #expect(try await records.beginRemoval(of: [object.hash], if: .unusedSince(past), at: .now) == [])
            let future = Timestamp.now.advanced(by: .seconds(60))
            let removed = try await records.beginRemoval(of: [object.hash], if: .unusedSince(future), at: .now)
            #expect(removed == [object.hash])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aVersionNeedsAStoredFile(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            let object = StorageObject.test("x")
            try await records.adopt([try blob("x")], at: Self.start)
            _ = try await records.beginRemoval(of: [object.hash], if: .neverServed, at: Self.start)
            let error = await #expect(throws: HubError.self) {
                _ = try await records.insert(.test("plants"), version: .test(1, object), audit: .test)
            }
            #expect(error?.code == .aborted)
            #expect(try await records.model(named: "plants", of: "my-plants") == nil)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func anAdoptedFileKeepsItsKnownState(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let (records, blob) = (stores.records, try blob("x"))
            _ = try await records.claim(blob, at: Self.start)
            try await records.adopt([blob], at: Self.start)
            #expect(try await records.blobStates() == [blob.hash: .storing])
        }
    }
}
