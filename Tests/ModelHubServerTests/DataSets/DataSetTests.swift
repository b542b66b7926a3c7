import Foundation
import HTTPTypes
import HubTestSupport
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Photos that people add to data sets, change and delete.
@Suite(.hangLimit)
struct DataSetTests {
    static let dataSets = "/hub/v1/projects/\(TestHub.project)/datasets"
    private static let plants = "\(dataSets)/plants"

    /// Calls `body` with a served hub that has an empty data set "plants".
    private func withDataSet(
        quota: Int? = nil,
        _ body: @escaping @Sendable (TestHub, TestClient) async throws -> Void
    ) async throws {
        try await TestHub.withWorkers { test in
            if let quota {
                var project = try await test.hub.testProject()
                project.quota = quota
                try await test.hub.updateProject(project)
            }
            try await test.serve { client in
                #expect(try await client.send(.post, Self.dataSets, json: ["name": "plants"]).status == 200)
                try await body(test, client)
            }
        }
    }

    private func photos(_ client: TestClient, _ query: String = "") async throws -> [PhotoResource] {
        let reply = try await client.send(.get, "\(Self.plants)/photos\(query)")
        return try JSONDecoder().decode(PhotoList.self, from: reply.body).photos
    }

    private func add(_ data: Data, _ client: TestClient, _ query: String = "") async throws -> AddedPhotos {
        let reply = try await client.send(.post, "\(Self.plants)/photos\(query)", body: data)
        #expect(reply.status == 200, "\(reply.text("error.message") ?? "")")
        return try JSONDecoder().decode(AddedPhotos.self, from: reply.body)
    }

    @Test func aZipOfFoldersBecomesPhotosByLabel() async throws {
        try await withDataSet { test, client in
            var zip = ZipBuilder()
            for (path, label, number) in [("red/1.png", 0, 1), ("red/2.png", 0, 2), ("blue/1.png", 2, 1)] {
                zip.add(path, try DrawnPhotos.picture(label, number))
            }
            zip.add("blue/again.png", try DrawnPhotos.picture(2, 1))
            zip.add("blue/notes.txt", Data("no picture".utf8))
            let added = try await add(zip.data, client)
            #expect((added.addedCount, added.knownCount, added.skippedCount) == (3, 1, 1))
            #expect(added.skipped.map(\.path) == ["blue/notes.txt"])
            let shown = try await client.send(.get, Self.plants)
            let resource = try JSONDecoder().decode(DataSetResource.self, from: shown.body)
            #expect(resource.labels == [.init(label: "blue", photoCount: 1), .init(label: "red", photoCount: 2)])
            #expect(try await test.storedFiles().count == 3)
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path) == [])
            let red = try await photos(client, "?label=red")
            #expect(red.map(\.name) == ["red/1.png", "red/2.png"])
            #expect(red.map(\.width) == [64, 64])
            // A second time, nothing changes, also not a label that a person corrected.
            let id = try #require(red.first?.photoId)
            _ = try await client.send(.patch, "\(Self.plants)/photos/\(id)", json: ["label": "pink"])
            let again = try await add(zip.data, client)
            #expect((again.addedCount, again.knownCount) == (0, 4))
            #expect(try await photos(client, "?label=pink").map(\.photoId) == [id])
        }
    }

    @Test func annotationsAndTheParameterGiveLabels() async throws {
        try await withDataSet { _, client in
            var zip = ZipBuilder()
            zip.add("images/1.png", try DrawnPhotos.picture(0, 1))
            zip.add("images/2.png", try DrawnPhotos.picture(1, 2))
            zip.add(
                "annotations.json",
                Data(
                    """
                    {"images": [{"id": 1, "file_name": "1.png", "width": 64, "height": 64},
                    {"id": 2, "file_name": "2.png", "width": 64, "height": 64}],
                    "annotations": [{"id": 1, "image_id": 1, "category_id": 7, "bbox": [1, 1, 9, 9]},
                    {"id": 2, "image_id": 2, "category_id": 8, "bbox": [1, 1, 9, 9]}],
                    "categories": [{"id": 7, "name": "rose"}, {"id": 8, "name": "fern"}]}
                    """.utf8
                )
            )
            #expect(try await add(zip.data, client).addedCount == 2)
            #expect(try await photos(client).map(\.label) == ["rose", "fern"])
            var flat = ZipBuilder()
            flat.add("3.png", try DrawnPhotos.picture(2, 3))
            #expect(try await add(flat.data, client, "?label=moss").addedCount == 1)
            #expect(try await add(try DrawnPhotos.picture(2, 4), client, "?name=4.png").addedCount == 1)
            #expect(try await photos(client, "?label=moss").map(\.name) == ["3.png"])
            #expect(try await photos(client, "?label=").map(\.name) == ["4.png"])
        }
    }

    /// Archives that claim what they do not have, and other files that cannot be used.
    private static let hostile: [(name: String, data: Data)] = {
        let picture = (try? DrawnPhotos.picture(0, 1)) ?? Data()
        func zip(_ change: (inout ZipBuilder) -> Void) -> Data {
            var zip = ZipBuilder()
            zip.add("red/1.png", picture)
            change(&zip)
            return zip.data
        }
        let zeros = Data(count: 1000)
        return [
            ("a path out of the archive", zip { $0.add("../../1.png", picture) }),
            (
                "a link",
                zip { $0.files.append(.init(name: "red/2.png", content: Data("/etc/passwd".utf8), mode: 0o120777)) }
            ),
            (
                "a bomb",
                zip { $0.files.append(.init(name: "red/2.png", content: zeros, method: 8, statedCount: 1 << 31)) }
            ),
            ("shared bytes", zip { $0.files.append(.init(name: "red/2.png", content: picture, sharedHeader: 0)) }),
            ("a cut archive", zip { _ in }.dropLast(30)),
            ("text", Data("not a picture".utf8)),
            ("nothing", Data()),
        ]
    }()

    @Test(arguments: hostile.indices)
    func aHostileFileAddsNothing(_ index: Int) async throws {
        let (name, data) = Self.hostile[index]
        try await withDataSet { test, client in
            let reply = try await client.send(.post, "\(Self.plants)/photos?name=x.zip", body: data)
            #expect(reply.status == 400, "\(name)")
            let message = try #require(reply.text("error.message"))
            #expect(message.contains("x.zip") && !message.contains(test.folder.path), "\(message)")
            #expect(try await photos(client).isEmpty)
            #expect(try await test.storedFiles().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path) == [])
        }
    }

    @Test func aPictureThatClaimsTooManyPixelsIsSkipped() async throws {
        try await withDataSet { _, client in
            var huge = try DrawnPhotos.picture(0, 1)
            // The width in the header of a PNG, with its checksum.
            let header = Data("IHDR".utf8) + Data([0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF]) + huge[24..<29]
            let checksum = ZipBuilder.crc32(header)
            huge.replaceSubrange(
                12..<33,
                with: header + Data((0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) })
            )
            var zip = ZipBuilder()
            zip.add("red/huge.png", huge)
            zip.add("red/1.png", try DrawnPhotos.picture(0, 2))
            let added = try await add(zip.data, client)
            #expect((added.addedCount, added.skipped.map(\.path)) == (1, ["red/huge.png"]))
        }
    }

    @Test func aFullQuotaRefusesAllPhotosOfAnUpload() async throws {
        let archive = try DrawnPhotos.archive(count: 4)
        try await withDataSet(quota: archive.count + 4000) { test, client in
            // The archive fits, but its twelve photos with their records do not.
            let reply = try await client.send(.post, "\(Self.plants)/photos", body: archive)
            #expect(reply.status == 429)
            #expect(reply.text("error.message")?.contains("quota") == true)
            #expect(try await photos(client).isEmpty)
            #expect(try await test.storedFiles().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path) == [])
            // The quota is free again.
            #expect(try await add(try DrawnPhotos.picture(0, 1), client).addedCount == 1)
            let project = try await test.hub.testProject()
            #expect(try await test.hub.usage(of: project).byteCount > 1024)
        }
    }

    @Test func deletedPhotosAreGoneForGood() async throws {
        try await withDataSet { test, client in
            let picture = try DrawnPhotos.picture(0, 1)
            _ = try await add(picture, client, "?label=red")
            _ = try await add(try DrawnPhotos.picture(0, 2), client, "?label=red")
            let hash = sha256(picture)
            let content = try await client.send(.get, "\(Self.plants)/photos/\(hash)/content")
            #expect(content.body == picture)
            // Another data set keeps the file.
            _ = try await client.send(.post, Self.dataSets, json: ["name": "others"])
            _ = try await client.send(.post, "\(Self.dataSets)/others/photos", body: picture)
            #expect(try await client.send(.delete, "\(Self.plants)/photos/\(hash.prefix(12))").status == 200)
            #expect(try await client.send(.get, "\(Self.plants)/photos/\(hash)/content").status == 404)
            #expect(try await test.storedFiles().contains(hash))
            #expect(try await client.send(.delete, "\(Self.dataSets)/others").status == 200)
            #expect(try await !test.storedFiles().contains(hash))
            #expect(try await client.send(.delete, Self.plants).status == 200)
            #expect(try await test.storedFiles().isEmpty)
            let records = try await test.records()
            #expect(records.range(of: Data([0xFF, 0xD8, 0xFF, 0xE0])) == nil)
            #expect(try await client.send(.get, Self.plants).status == 404)
        }
    }

    @Test func onlyThoseWhoMayChangeADataSet() async throws {
        try await withDataSet { test, client in
            let picture = try DrawnPhotos.picture(0, 1)
            _ = try await add(picture, client, "?label=red")
            let photo = "\(Self.plants)/photos/\(sha256(picture))"
            for (token, status) in [(test.reader, 403), (test.stranger, 403)] {
                #expect(
                    try await client.send(.post, Self.dataSets, json: ["name": "own"], token: token).status == status
                )
                #expect(
                    try await client.send(.post, "\(Self.plants)/photos", body: picture, token: token).status == status
                )
                #expect(try await client.send(.patch, photo, json: ["label": "x"], token: token).status == status)
                #expect(try await client.send(.delete, photo, token: token).status == status)
                #expect(try await client.send(.post, "\(Self.plants):train", json: [:], token: token).status == status)
                #expect(try await client.send(.delete, Self.plants, token: token).status == status)
            }
            #expect(try await client.send(.get, Self.plants, token: test.reader).status == 200)
            #expect(try await client.send(.get, "\(photo)/content", token: test.reader).status == 200)
            #expect(try await client.send(.get, "\(photo)/content", token: test.stranger).status == 403)
            // As models, a data set is deleted by editors alone.
            #expect(try await client.send(.delete, Self.plants, token: test.publisher).status == 403)
            #expect(try await client.send(.delete, photo, token: test.publisher).status == 200)
        }
    }

    @Test(arguments: ["", "a b", "1st", "../x", String(repeating: "a", count: 33)])
    func aNameThatIsNoneIsRefused(_ name: String) async throws {
        try await withDataSet { _, client in
            let refused = try await client.send(.post, Self.dataSets, json: ["name": name])
            #expect(refused.status == 400)
            let known = try await client.send(.post, Self.dataSets, json: ["name": "plants"])
            #expect(known.status == 409)
        }
    }

    @Test func aBackupHasThePhotos() async throws {
        try await withDataSet { test, client in
            let picture = try DrawnPhotos.picture(0, 1)
            _ = try await add(picture, client, "?label=red")
            let backup = test.folder.appending(path: "backup")
            _ = try await test.hub.backUp(to: backup)
            let restored = test.folder.appending(path: "restored")
            try await Hub.restore(from: backup, to: restored)
            let hub = try await Hub(data: restored, validator: IdentifierValidator())
            #expect(try await hub.verify().problems == [])
            let dataSet = try #require(try await hub.records.dataSet("plants", of: TestHub.project))
            let photo = try #require(
                try await hub.records.photos(ofDataSet: dataSet.id, .all, after: 0, limit: 9).first
            )
            #expect(photo.label == "red")
            #expect(try await hub.openPhoto(photo.hash, of: dataSet).data() == picture)
            // The clean-up leaves it.
            _ = try await hub.cleanUp()
            #expect(try await hub.openPhoto(photo.hash, of: dataSet).data() == picture)
            try await hub.close()
        }
    }
}
