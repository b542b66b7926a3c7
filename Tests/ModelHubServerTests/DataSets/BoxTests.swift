import Foundation
import HTTPTypes
import HubTestSupport
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Boxes of photos, and detectors that the hub trains on them.
@Suite(.hangLimit)
struct BoxTests {
    private static let project = "/hub/v1/projects/\(TestHub.project)"
    private static let parts = "\(DataSetTests.dataSets)/parts"

    /// Calls `body` with a served hub that has a data set "parts".
    private func withDataSet(
        _ body: @escaping @Sendable (TestHub, TestClient) async throws -> Void
    ) async throws {
        try await TestHub.withWorkers { test in
            try await test.serve { client in
                #expect(try await client.send(.post, DataSetTests.dataSets, json: ["name": "parts"]).status == 200)
                try await body(test, client)
            }
        }
    }

    private func add(_ archive: Data, _ client: TestClient) async throws -> AddedPhotos {
        let reply = try await client.send(.post, "\(Self.parts)/photos?name=parts.zip", body: archive)
        #expect(reply.status == 200, "\(reply.text("error.message") ?? "")")
        return try JSONDecoder().decode(AddedPhotos.self, from: reply.body)
    }

    private func photos(_ client: TestClient, _ query: String = "") async throws -> [PhotoResource] {
        let reply = try await client.send(.get, "\(Self.parts)/photos\(query)")
        return try JSONDecoder().decode(PhotoList.self, from: reply.body).photos
    }

    private func dataSet(_ client: TestClient) async throws -> DataSetResource {
        let reply = try await client.send(.get, Self.parts)
        return try JSONDecoder().decode(DataSetResource.self, from: reply.body)
    }

    @Test func annotationsGiveBoxesOfSeveralLabels() async throws {
        try await withDataSet { _, client in
            let added = try await add(
                DrawnPhotos.annotated(
                    [
                        (1, [("bolt", [4, 5, 20, 10], 0), ("nut", [30.5, 30, 12, 12.25], 0)]),
                        (
                            2,
                            [("bolt", [-5, -5, 15, 15], 0), ("bolt", [70, 1, 9, 9], 0), ("nut", [1, 1, 40, 40], 1)]
                        ),
                        (3, []),
                    ]
                ),
                client
            )
            #expect((added.addedCount, added.skippedCount, added.leftOutBoxCount) == (3, 0, 1))
            let found = try await photos(client)
            #expect(found.map(\.label) == [nil, nil, nil])
            #expect(
                found.first?.boxes == [
                    PhotoBox(label: "bolt", x: 4, y: 5, width: 20, height: 10),
                    PhotoBox(label: "nut", x: 30.5, y: 30, width: 12, height: 12.25),
                ]
            )
            // Cut at the edges of the photo, and without the box that lies outside.
            #expect(
                found.dropFirst().first?.boxes == [
                    PhotoBox(label: "bolt", x: 0, y: 0, width: 10, height: 10),
                    PhotoBox(label: "nut", x: 1, y: 1, width: 40, height: 40, isGroup: true),
                ]
            )
            #expect(found.last?.boxes == [])
            let shown = try await dataSet(client)
            #expect(shown.boxLabels == [.init(label: "bolt", boxCount: 2), .init(label: "nut", boxCount: 2)])
            #expect((shown.boxedCount, shown.photoCount, shown.unlabeledCount) == (3, 3, 0))
            #expect(try await photos(client, "?label=nut").count == 2)
            #expect(try await photos(client, "?label=").isEmpty)
        }
    }

    /// Boxes in pixels of another size are all wrong.
    @Test func annotationsOfAnotherSizeAreSkippedWithTheReason() async throws {
        try await withDataSet { _, client in
            let added = try await add(
                DrawnPhotos.annotated([(1, [("bolt", [4, 5, 20, 10], 0)])], width: 640),
                client
            )
            #expect((added.addedCount, added.skippedCount) == (0, 1))
            #expect(added.skipped.first?.reason.contains("640") == true, "\(added.skipped)")
        }
    }

    @Test func tooManyBoxesOfAPhotoAreSkippedAndRefused() async throws {
        try await withDataSet { _, client in
            let many = Array(repeating: ("bolt", [4.0, 5, 20, 10], 0), count: PhotoLine.maximumBoxes + 1)
            let added = try await add(DrawnPhotos.annotated([(1, many), (2, [])]), client)
            #expect((added.addedCount, added.skippedCount) == (1, 1))
            #expect(added.skipped.first?.reason.contains("501 boxes") == true)
            let id = try #require(try await photos(client).first?.photoId)
            let boxes = many.map { ["label": $0.0, "x": 1, "y": 1, "width": 9, "height": 9] as [String: Any] }
            let refused = try await client.send(.put, "\(Self.parts)/photos/\(id)/boxes", json: ["boxes": boxes])
            #expect(refused.status == 400)
            #expect(try await photos(client).first?.boxes == [])
        }
    }

    @Test func boxesAreDrawnChangedAndForgotten() async throws {
        try await withDataSet { test, client in
            _ = try await client.send(.post, "\(Self.parts)/photos", body: try DrawnPhotos.picture(0, 1))
            let id = try #require(try await photos(client).first?.photoId)
            #expect(try await photos(client).first?.boxes == nil)
            func set(_ boxes: [[String: Any]]?, token: String? = nil) async throws -> TestReply {
                let json: [String: Any] = boxes.map { ["boxes": $0] } ?? [:]
                return try await client.send(
                    .put,
                    "\(Self.parts)/photos/\(id)/boxes",
                    json: json,
                    token: token ?? test.publisher
                )
            }
            let box: [String: Any] = ["label": " bolt ", "x": 60, "y": 1, "width": 20, "height": 9]
            #expect(try await set([box]).status == 200)
            #expect(
                try await photos(client).first?.boxes == [PhotoBox(label: "bolt", x: 60, y: 1, width: 4, height: 9)]
            )
            for wrong in [["label": ""], ["label": "a\nb"]] as [[String: Any]] {
                #expect(try await set([box.merging(wrong) { $1 }]).status == 400)
            }
            #expect(try await set([["label": "bolt"]]).status == 400)
            #expect(try await set([box], token: test.reader).status == 403)
            #expect(try await photos(client).first?.boxes?.count == 1)
            #expect(try await set([]).status == 200)
            #expect(try await photos(client).first?.boxes == [])
            #expect(try await set(nil).status == 200)
            #expect(try await photos(client).first?.boxes == nil)
            #expect(try await dataSet(client).boxedCount == 0)
            #expect(try await client.send(.delete, "\(Self.parts)/photos/\(id)").status == 200)
            #expect(try await set([box]).status == 404)
        }
    }

    @Test func proposalsAreStoredAndNothingIsLearnedFromThem() async throws {
        try await withDataSet { test, client in
            let picture = try DrawnPhotos.scene(1).data
            _ = try await client.send(.post, "\(Self.parts)/photos", body: picture)
            let one = "\(Self.parts)/photos/\(sha256(picture))"
            #expect(try await client.send(.post, "\(one):propose", json: [:], token: test.reader).status == 403)
            let reply = try await client.send(.post, "\(one):propose", token: test.publisher)
            #expect(reply.status == 200, "\(reply.text("error.message") ?? "")")
            let photo = try JSONDecoder().decode(PhotoResource.self, from: reply.body)
            let proposals = try #require(photo.proposals)
            #expect(photo.boxes == nil && !proposals.isEmpty && proposals.count <= PhotoLine.maximumProposals)
            #expect(proposals.allSatisfy { $0.confidence != nil && $0.x >= 0 && $0.x + $0.width <= 320 })
            #expect(try await dataSet(client).boxLabels == [])
            #expect(try await client.send(.post, "\(Self.parts):train", json: ["kind": "boxes"]).status == 400)
            _ = try await client.send(.put, "\(one)/boxes", json: ["boxes": [Any]()])
            #expect(try await photos(client).first?.proposals == nil)
        }
    }

    @Test func aTrainingOnBoxesStagesADetectorAndShowsWhatItFindsDifferently() async throws {
        try await withDataSet { test, client in
            #expect(try await add(try DrawnPhotos.scenes(count: 10), client).addedCount == 10)
            let first = try #require(try await photos(client).first)
            // A forgotten box.
            let rest = (first.boxes ?? []).filter { $0.label != "pond" }
                .map { ["label": $0.label, "x": $0.x, "y": $0.y, "width": $0.width, "height": $0.height] }
            _ = try await client.send(.put, "\(Self.parts)/photos/\(first.photoId)/boxes", json: ["boxes": rest])
            let started = try await client.send(.post, "\(Self.parts):train", json: [:])
            #expect(started.text("kind") == "boxes", "\(started.text("error.message") ?? "")")
            let ended = try await test.hub.runNextTraining(as: "this hub")
            #expect(ended?.state == .done, "\(ended?.message ?? "")")
            let model = try await client.send(.get, "\(Self.project)/models/parts")
            #expect(model.value("aliases.staging") as? Int == 1)
            let version = try #require((model.value("versions") as? [[String: Any]])?.first)
            #expect((version["notes"] as? String)?.hasPrefix("mAP50") == true)
            #expect(version["confidenceThreshold"] as? Double != nil)
            let card = try await client.send(.get, "\(Self.project)/trainings/\(ended?.id ?? 0)/card")
            #expect(card.value("pictureCount") as? Int == 10)
            let record = try #require(try await test.hub.records.model(named: "parts", of: TestHub.project))
            let evaluation = try #require(try await test.hub.records.evaluations(of: record.id).first)
            #expect(evaluation.kind == "boxes" && evaluation.state == .done && evaluation.score ?? 0 > 0)
            #expect(try await test.hub.evaluations.result(of: evaluation, test.hub).report.pictureCount == 10)
            let doubtful = try await photos(client, "?doubtful=true")
            let doubt = try #require(doubtful.first { $0.photoId == first.photoId }, "\(doubtful)")
            #expect(doubt.doubt?.answer.contains("pond") == true, "\(doubt)")
            #expect(doubt.proposals?.contains { $0.label == "pond" } == true)
            // Drawn, the doubt ends.
            _ = try await client.send(.put, "\(Self.parts)/photos/\(first.photoId)/boxes", json: ["boxes": rest])
            #expect(try await !photos(client, "?doubtful=true").contains { $0.photoId == first.photoId })
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path) == [])
        }
    }

    @Test func aDataSetWithoutBoxesTrainsLabels() async throws {
        try await withDataSet { _, client in
            _ = try await add(try DrawnPhotos.archive(count: 2), client)
            #expect(try await client.send(.post, "\(Self.parts):train", json: ["kind": "boxes"]).status == 400)
            #expect(try await client.send(.post, "\(Self.parts):train", json: ["kind": "dots"]).status == 400)
            let started = try await client.send(.post, "\(Self.parts):train", json: [:])
            #expect(started.text("kind") == "labels")
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func everyStoreKeepsBoxes(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            _ = try await stores.project("one")
            let time = Timestamp(milliseconds: 1_000_000)
            let set = try await stores.records.insert(
                DataSet(id: 0, project: "one", name: "parts", actor: "test", createTime: time),
                audit: .test
            )
            let hash = try #require(BlobHash(sha256(Data("photo".utf8))))
            let box = PhotoBox(label: "bolt", x: 1.25, y: 2, width: 3.5, height: 4, isGroup: true)
            let photo = NewPhoto(
                hash: hash,
                byteCount: 5,
                name: "1.png",
                label: nil,
                boxes: [box],
                width: 64,
                height: 64,
                thumbnail: Data([1])
            )
            _ = try await stores.records.claim(StoredBlob(hash: hash, byteCount: 5), at: time)
            #expect(try await stores.records.insert([photo], into: set, at: time, audit: nil) == 1)
            #expect(try await stores.records.photo(hash, ofDataSet: set.id)?.boxes == [box])
            let other = PhotoBox(label: "nut", x: 0, y: 0, width: 9, height: 9)
            #expect(try await stores.records.setBoxes([other, box], of: hash, in: set, audit: .test))
            let changed = try #require(try await stores.records.photo(hash, ofDataSet: set.id))
            #expect(changed.boxes == [other, box] && changed.boxRevision == 2)
            #expect(try await stores.records.counts(ofDataSet: set.id).boxLabels.map(\.label) == ["bolt", "nut"])
            #expect(try await stores.records.setBoxes(nil, of: hash, in: set, audit: .test))
            try await stores.records.setProposals([other], of: hash, in: set)
            let forgotten = try #require(try await stores.records.photo(hash, ofDataSet: set.id))
            #expect(forgotten.boxes == nil && forgotten.proposals == [other])
            #expect(try await stores.records.counts(ofDataSet: set.id).boxLabels.isEmpty)
        }
    }
}
