import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import ModelHubServer

/// A hub on its stores: the bytes of files and their records together.
extension StoreConformanceTests {
    /// Eight writers store and delete the same few files while another removes files.
    @Test(arguments: StoreBackend.allCases)
    func filesThatAreStoredDuringACleanUpStay(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let clock = TestClock()
            let hub = try await stores.hub(now: { clock.now })
            let project = try await stores.project()
            let caller = Caller.local(project)
            let writing = Task {
                try await eightAtOnce { number in
                    for round in 0..<25 {
                        let content = fakeModel((number + round) % 3, byteCount: 2000)
                        let address = try ObjectAddress(bucket: "bucket", name: "\(number)")
                        let object = try await hub.store(content, as: address, by: caller)
                        // The file of a stored object exists.
                        #expect(try await stores.blobs.open(object.hash).byteCount == content.count)
                        if round % 2 == 0 { #expect(try await hub.deleteObject(address, by: caller)) }
                    }
                }
            }
            let cleaning = Task {
                while !Task.isCancelled {
                    let hashes = try await stores.blobs.contents().map(\.hash)
                    // Not cancelled: the files of an interrupted removal stay until its lease ends.
                    _ = try await Task { try await hub.remove(hashes, if: .neverServed) }.value
                }
            }
            _ = try await writing.value
            cleaning.cancel()
            _ = try? await cleaning.value
            let verification = try await hub.verify()
            #expect(verification.problems == [])
            let referenced = try await stores.records.referencedBlobs()
            #expect(Set(try await stores.blobs.contents().map(\.hash)).isSuperset(of: referenced.keys))
            // Nothing claims a file any more. A removal that a slow machine did not end is continued.
            clock.advance(by: .seconds(25 * 3600))
            _ = try await hub.cleanUp()
            #expect(try await Set(stores.records.blobStates().keys) == Set(referenced.keys))
            #expect(try await Set(stores.blobs.contents().map(\.hash)) == Set(referenced.keys))
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func anInterruptedRemovalIsContinued(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let clock = TestClock()
            let hub = try await stores.hub(now: { clock.now })
            let content = fakeModel()
            let staged = try StagedFile(in: stores.folder, limit: 1 << 20)
            try staged.append(ByteBuffer(bytes: content))
            let summary = try staged.finish()
            let blob = StoredBlob(hash: summary.hash, byteCount: content.count)
            try await stores.blobs.store(fileAt: staged.url, as: blob.hash)
            try await stores.records.adopt([blob], at: clock.now)
            // The process was killed here.
            _ = try await stores.records.beginRemoval(of: [blob.hash], if: .neverServed, at: clock.now)
            #expect(try await hub.cleanUp().blobs == 0)
            clock.advance(by: BlobRemoval.lease + .seconds(1))
            #expect(try await hub.cleanUp().blobs == 1)
            #expect(try await stores.blobs.contents().isEmpty)
            #expect(try await stores.records.blobStates().isEmpty)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aFileWithoutARecordGoesAfterTheGracePeriod(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let clock = TestClock()
            let hub = try await stores.hub(now: { clock.now })
            try await stores.blobs.store(fileAt: try stores.file(fakeModel()), as: try .test("unknown"))
            #expect(try await hub.cleanUp().blobs == 0)
            clock.advance(by: .seconds(25 * 3600))
            #expect(try await hub.cleanUp().blobs == 1)
            #expect(try await stores.blobs.contents().isEmpty)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aHubServesAndBacksUpItsFiles(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let hub = try await stores.hub()
            let project = try await hub.createProject("my-plants", quota: nil, requiresInstallation: false)
            let issued = try await hub.issue(.token, role: .editor, name: "test", for: project, address: "")
            let content = fakeModel(byteCount: 5000)
            let server = HubServer(hub, options: .patient, logger: HubServer.makeLogger(level: .critical))
            try await server.makeApplication().test(.live) { client in
                let client = TestClient(client: client, token: issued.secret)
                _ = try await client.publish("plants", file: content)
                let path = "/storage/v1/b/my-plants.appspot.com/o/plants.tflite?alt=media"
                #expect(try await client.send(.get, path).body == content)
                let part = try await client.send(.get, path, headers: [.range: "bytes=900-2100"])
                #expect(part.status == 206)
                #expect(part.body == content[900...2100])
            }
            let backup = stores.folder.appending(path: "backup")
            #expect(try await hub.backUp(to: backup).copiedFiles == 1)
            let restored = stores.folder.appending(path: "restored")
            try await Hub.restore(from: backup, to: restored)
            let copy = try await Hub(data: restored, validator: IdentifierValidator())
            #expect(try await copy.verify() == Verification(intactFiles: 1, unreferencedFiles: 0, problems: []))
        }
    }
}

extension Hub {
    /// Stores an upload.
    fileprivate func store(_ content: Data, as address: ObjectAddress, by caller: Caller) async throws -> StorageObject
    {
        let staged = try stage(for: caller.project)
        try staged.append(ByteBuffer(bytes: content))
        return try await keep(
            try staged.finish(),
            at: staged.url,
            entry: staged.entry,
            as: address,
            contentType: "",
            by: caller
        )
    }
}
