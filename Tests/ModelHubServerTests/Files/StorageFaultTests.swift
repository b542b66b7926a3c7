import Foundation
import HTTPTypes
import HubTestSupport
import NIOCore
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Storage that fails: nothing is lost or wrong, callers learn when to come again, and no hand is needed afterward.
@Suite(.hangLimit, .enabled(if: StorageServer.moto.isInstalled, StorageServer.reason))
struct StorageFaultTests {
    private static let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    private static let reads: Set<HTTPRequest.Method> = [.get, .head]

    private var impatient: S3Client.Limits {
        var limits = S3Client.Limits()
        (limits.silence, limits.attempt, limits.total) = (.seconds(1), .seconds(2), .seconds(3))
        return limits
    }

    private func cached(_ client: S3Client, in folder: URL) async throws -> any BlobStore {
        CachingBlobStore(
            S3BlobStore(client),
            cache: try await FileCache.open(folder.appending(path: UUID().uuidString), byteLimit: 1 << 30)
        )
    }

    @Test(arguments: [FaultProxy.Fault.status(500), .status(503), .cut, .delay(.milliseconds(300))])
    func passingFaultsAreNotNoticed(_ fault: FaultProxy.Fault) async throws {
        try await FaultProxy.with { proxy, client in
            try await withTemporaryFolder { folder in
                let hash = try BlobHash(of: Self.content)
                proxy.fail(fault, [.put], times: fault == .cut ? 0 : 2)
                try await S3BlobStore(client).store(fileAt: try makeFile(Self.content, in: folder), as: hash)
                proxy.fail(fault, fault == .cut ? [.get] : Self.reads, times: 2)
                let file = try await cached(client, in: folder).open(hash)
                #expect(file.local != nil)
                #expect(try await bytes(of: file) == Self.content)
                #expect(proxy.failures >= 2)
            }
        }
    }

    @Test(arguments: [FaultProxy.Fault.status(500), .status(503), .silence])
    func lastingFaultsAreReportedAndEnd(_ fault: FaultProxy.Fault) async throws {
        try await FaultProxy.with(limits: fault == .silence ? impatient : .ofTests) { proxy, client in
            try await withTemporaryFolder { folder in
                let (blobs, hash) = (S3BlobStore(client), try BlobHash(of: Self.content))
                let url = try makeFile(Self.content, in: folder)
                proxy.fail(fault, [.put, .get, .head, .delete])
                let operations: [@Sendable () async throws -> Void] = [
                    { try await blobs.store(fileAt: url, as: hash) }, { _ = try await blobs.open(hash) },
                    { _ = try await blobs.contents() }, { try await blobs.remove(hash) }, { try await blobs.check() },
                ]
                for operation in operations {
                    let error = await #expect(throws: HubError.self) { try await operation() }
                    #expect(error?.code == .unavailable)
                    #expect(error?.retryAfter != nil)
                    #expect(error?.message.contains("in the bucket hub") == true)
                }
                proxy.recover()
                // The file was not taken over.
                let patient = S3BlobStore(
                    S3Client(client.location, StorageServer.credentials, limits: .ofTests)
                )
                try await patient.store(fileAt: url, as: hash)
                #expect(try await bytes(of: try await patient.open(hash)) == Self.content)
            }
        }
    }

    @Test(arguments: [FaultProxy.Fault.wrongByte, .wrongLength])
    func wrongBytesAreNotServed(_ fault: FaultProxy.Fault) async throws {
        try await FaultProxy.with { proxy, client in
            try await withTemporaryFolder { folder in
                let hash = try BlobHash(of: Self.content)
                try await S3BlobStore(client).store(fileAt: try makeFile(Self.content, in: folder), as: hash)
                let blobs = try await cached(client, in: folder)
                proxy.fail(fault, Self.reads)
                let error = await #expect(throws: HubError.self) { _ = try await blobs.open(hash) }
                #expect(error?.code == .dataLoss)
                #expect(error?.retryAfter != nil)
                proxy.recover()
                #expect(try await bytes(of: try await blobs.open(hash)) == Self.content)
                // A single lie is made good without a word.
                let others = try await cached(client, in: folder)
                proxy.fail(.wrongByte, [.get], times: 1)
                #expect(try await bytes(of: try await others.open(hash)) == Self.content)
            }
        }
    }

    @Test func aHubWhoseStorageFailsRecovers() async throws {
        try await FaultProxy.with { proxy, client in
            var client = client
            client.limits.retries.tries = 2
            let place = client
            try await withTemporaryFolder { folder in
                let files = try await HubFiles.s3(
                    place,
                    data: folder,
                    cache: .init(folder: folder.appending(path: "cache"), byteLimit: 1 << 30)
                )
                try await TestHub.with(opening: { _ in files }) { test in
                    let target = "/upload/storage/v1/b/my-plants.appspot.com/o?uploadType=media&name=x"
                    // The hub closes the connection of an upload that it refuses.
                    try await test.serve { client in
                        proxy.fail(.status(503), [.put])
                        let refused = try await client.send(.post, target, body: Self.content)
                        #expect(refused.status == 503)
                        #expect(refused.headers[.retryAfter] != nil)
                    }
                    try await test.serve { client in
                        let ready = try await client.send(.get, "/readyz")
                        #expect(ready.status == 200)
                        proxy.recover()
                        #expect(try await client.send(.post, target, body: Self.content).status == 200)
                        // Nothing but the object is left of both.
                        #expect(try FileManager.default.contentsOfDirectory(atPath: test.hub.uploads.path) == [])
                        let object = "/storage/v1/b/my-plants.appspot.com/o/x?alt=media"
                        proxy.fail(.status(500), [.get, .head])
                        // From the copy.
                        #expect(try await client.send(.get, object).body == Self.content)
                        proxy.recover()
                    }
                    #expect(try await test.hub.verify().problems == [])
                    #expect(try await test.hub.records.blobStates().count == 1)
                }
            }
        }
    }

    @Test func readinessNamesTheBucket() async throws {
        try await FaultProxy.with { proxy, client in
            try await withTemporaryFolder { folder in
                let files = try await HubFiles.s3(client, data: folder, cache: nil)
                try await TestHub.with(opening: { _ in files }) { test in
                    proxy.fail(.status(503), [.get])
                    try await test.serve { client in
                        let reply = try await client.send(.get, "/readyz")
                        #expect(reply.status == 503)
                        #expect(String(decoding: reply.body, as: UTF8.self).contains("in the bucket hub (status 503)"))
                    }
                }
            }
        }
    }
}
