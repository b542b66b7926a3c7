import Foundation
import HTTPTypes
import HubTestSupport
import ModelHubProtocol
import SightlineEvaluation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Models that the hub trains on data sets.
@Suite(.hangLimit)
struct TrainingTests {
    private static let project = "/hub/v1/projects/\(TestHub.project)"
    private static let plants = "\(DataSetTests.dataSets)/plants"

    /// Calls `body` with a served hub that has a data set "plants" with photos of labels.
    private func withPhotos(
        _ archive: Data? = nil,
        _ body: @escaping @Sendable (TestHub, TestClient) async throws -> Void
    ) async throws {
        let archive = try archive ?? DrawnPhotos.archive()
        try await TestHub.withWorkers { test in
            try await test.serve { client in
                _ = try await client.send(.post, DataSetTests.dataSets, json: ["name": "plants"])
                let added = try await client.send(.post, "\(Self.plants)/photos", body: archive)
                #expect(added.status == 200, "\(added.text("error.message") ?? "")")
                try await body(test, client)
            }
        }
    }

    private func start(_ client: TestClient) async throws -> String {
        let reply = try await client.send(.post, "\(Self.plants):train", json: [:])
        #expect(reply.status == 200, "\(reply.text("error.message") ?? "")")
        return try #require(reply.text("trainingId"))
    }

    @Test func aTrainingStagesAVersionAndSaysWhatItDoubts() async throws {
        try await withPhotos { test, client in
            let id = try await start(client)
            let waiting = try await client.send(.get, "\(Self.project)/trainings/\(id)")
            #expect(waiting.text("state") == "WAITING")
            #expect(waiting.value("position") as? Int == 0)
            let ended = try await test.hub.runNextTraining(as: "this hub")
            #expect(ended?.state == .done, "\(ended?.message ?? "")")
            let done = try await client.send(.get, "\(Self.project)/trainings/\(id)")
            #expect(done.text("state") == "DONE")
            #expect(done.value("version") as? Int == 1)

            let model = try await client.send(.get, "\(Self.project)/models/plants")
            #expect(model.value("aliases.staging") as? Int == 1)
            #expect(model.value("servedVersion") == nil)
            let version = try #require((model.value("versions") as? [[String: Any]])?.first)
            #expect(version["confidenceThreshold"] as? Double != nil)
            #expect((version["notes"] as? String)?.contains("% right") == true)
            let card = try await client.send(.get, "\(Self.project)/trainings/\(id)/card")
            #expect(card.value("pictureCount") as? Int == 24)
            #expect(card.text("sha256") == version["modelHash"] as? String)

            let record = try #require(try await test.hub.records.model(named: "plants", of: TestHub.project))
            let evaluation = try #require(try await test.hub.records.evaluations(of: record.id).first)
            #expect(evaluation.state == .done && evaluation.pictureCount == 24)
            let result = try await test.hub.evaluations.result(of: evaluation, test.hub)
            #expect(result.report.pictureCount == 24)

            let reply = try await client.send(.get, "\(Self.plants)/photos?doubtful=true")
            let doubtful = try JSONDecoder().decode(PhotoList.self, from: reply.body).photos
            #expect(doubtful.count == 12)
            #expect(doubtful.allSatisfy { $0.doubt != nil && $0.doubt?.answer != $0.label })
            // A label that a person gave ends the doubt.
            let first = try #require(doubtful.first)
            let answer = try #require(first.doubt?.answer)
            _ = try await client.send(.patch, "\(Self.plants)/photos/\(first.photoId)", json: ["label": answer])
            let rest = try await client.send(.get, "\(Self.plants)/photos?doubtful=true")
            #expect(try JSONDecoder().decode(PhotoList.self, from: rest.body).photos.count == 11)
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path) == [])
        }
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func aWrongLabelOfARealPhotoIsAmongTheDoubts() async throws {
        var zip = ZipBuilder()
        var wrong = ""
        for label in ["food", "plant"] {
            let folder = TestData.real("training/coarse/images/\(label)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().prefix(15)
            for (number, name) in names.enumerated() {
                let photo = try Data(contentsOf: folder.appending(path: name))
                let isWrong = label == "plant" && number == 7
                if isWrong { wrong = sha256(photo) }
                zip.add("\(isWrong ? "food" : label)/\(name)", photo)
            }
        }
        let id = wrong
        try await withPhotos(zip.data) { test, client in
            _ = try await start(client)
            #expect(try await test.hub.runNextTraining(as: "this hub")?.state == .done)
            let reply = try await client.send(.get, "\(Self.plants)/photos?doubtful=true")
            let doubtful = try JSONDecoder().decode(PhotoList.self, from: reply.body).photos
            #expect(doubtful.contains { $0.photoId == id && $0.doubt?.answer == "plant" })
        }
    }

    /// As after a hub that ended between two steps.
    @Test func theSamePhotosGiveTheSameVersion() async throws {
        try await withPhotos { test, client in
            for _ in 1...2 {
                _ = try await start(client)
                #expect(try await test.hub.runNextTraining(as: "this hub")?.version == 1)
            }
            let model = try await client.send(.get, "\(Self.project)/models/plants")
            #expect((model.value("versions") as? [Any])?.count == 1)
            // Promoted, the version cannot be staged again.
            _ = try await client.send(.post, "\(Self.project)/models/plants:promote", json: [:])
            _ = try await start(client)
            let third = try await test.hub.runNextTraining(as: "this hub")
            #expect(third?.state == .done && third?.message?.contains("which is served") == true)
        }
    }

    @Test func aTrainingIsCanceledWhileItWaitsAndWhileItRuns() async throws {
        try await withPhotos { test, client in
            let first = try await start(client)
            let canceled = try await client.send(.post, "\(Self.project)/trainings/\(first):cancel")
            #expect(canceled.text("state") == "CANCELLED")
            #expect(try await test.hub.runNextTraining(as: "this hub") == nil)
            let second = try await start(client)
            async let ended = test.hub.runNextTraining(as: "this hub")
            while try await client.send(.get, "\(Self.project)/trainings/\(second)").text("state") == "WAITING" {}
            #expect(try await client.send(.post, "\(Self.project)/trainings/\(second):cancel").status == 200)
            #expect(try await ended?.state == .cancelled)
            #expect(try await client.send(.get, "\(Self.project)/models/plants").status == 404)
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path) == [])
            #expect(
                try await client.send(.post, "\(Self.project)/trainings/\(second):cancel").text("state") == "CANCELLED"
            )
        }
    }

    @Test func aDataSetThatIsDeletedEndsItsTraining() async throws {
        try await withPhotos { test, client in
            let id = try await start(client)
            async let ended = test.hub.runNextTraining(as: "this hub")
            while try await client.send(.get, "\(Self.project)/trainings/\(id)").text("state") == "WAITING" {}
            #expect(try await client.send(.delete, Self.plants).status == 200)
            #expect(try await ended?.state == .cancelled)
            #expect(try await test.storedFiles().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path) == [])
        }
    }

    @Test func fewerThanTwoLabelsAndASecondTrainingAreRefused() async throws {
        try await withPhotos(try DrawnPhotos.archive(["red"])) { test, client in
            let refused = try await client.send(.post, "\(Self.plants):train", json: [:])
            #expect(refused.status == 400)
            #expect(refused.text("error.message")?.contains("all have the label red") == true)
            let id = sha256(try DrawnPhotos.picture(0, 1))
            _ = try await client.send(.patch, "\(Self.plants)/photos/\(id)", json: ["label": "blue"])
            _ = try await start(client)
            #expect(try await client.send(.post, "\(Self.plants):train", json: [:]).status == 400)
        }
    }

    @Test func aFullQuotaFailsTheTrainingWithItsReason() async throws {
        try await withPhotos { test, client in
            var project = try await test.hub.testProject()
            project.quota = try await test.hub.usage(of: project).byteCount + 1000
            try await test.hub.updateProject(project)
            let id = try await start(client)
            #expect(try await test.hub.runNextTraining(as: "this hub")?.state == .failed)
            let failed = try await client.send(.get, "\(Self.project)/trainings/\(id)")
            #expect(failed.text("message")?.contains("quota") == true)
            #expect(try await client.send(.get, "\(Self.project)/models/plants").status == 404)
        }
    }

    /// A training whose hub ended starts again, and not forever.
    @Test func aTrainingThatEndsItsHubEachTimeFails() async throws {
        try await withPhotos { test, client in
            _ = try await start(client)
            for _ in 1...3 {
                let taken = try await test.hub.records.beginTraining(as: "gone", lease: nil, at: test.clock.now)
                #expect(taken?.state == .running)
                #expect(
                    try await test.hub.records.beginTraining(as: "other", lease: nil, at: test.clock.now) == nil
                )
                try await test.hub.records.resumeTrainings()
            }
            let ended = try await test.hub.runNextTraining(as: "this hub")
            #expect(ended?.state == .failed && ended?.message?.contains("3 times") == true)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func projectsTakeTurnsAndEachTrainingRunsOnce(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            var time = Timestamp(milliseconds: 1_000_000)
            for project in ["one", "two"] { _ = try await stores.project(project) }
            var ids: [Int64] = []
            for (project, name) in [("one", "a"), ("one", "b"), ("one", "c"), ("two", "d")] {
                let draft = DataSet(id: 0, project: project, name: name, actor: "test", createTime: time)
                let set = try await records.insert(draft, audit: .test)
                let training = Training(
                    id: 0,
                    project: project,
                    dataSet: set.id,
                    dataSetName: name,
                    model: name,
                    kind: .labels,
                    actor: "test",
                    state: .waiting,
                    createTime: time
                )
                ids.append(try await records.insert(training, audit: .test).id)
            }
            // One of them belongs to a project that had no turn yet.
            #expect(try await records.position(ofTraining: ids[3]) == 3)
            var order: [String] = []
            for _ in 1...4 {
                time = time.advanced(by: .seconds(10))
                let moment = time
                let begun = try await withThrowingTaskGroup(of: Training?.self) { group in
                    for hub in ["first", "second"] {
                        group.addTask {
                            try await records.beginTraining(as: hub, lease: .seconds(900), at: moment)
                        }
                    }
                    return try await group.reduce(into: [Training]()) { found, next in
                        if let next { found.append(next) }
                    }
                }
                order += begun.map(\.model)
            }
            #expect(order.sorted() == ["a", "b", "c", "d"])
            #expect(try #require(order.firstIndex(of: "d")) <= 2, "\(order)")
            // A hub that gives no sign of life loses its training.
            let late = time.advanced(by: .seconds(120))
            // Also after the clock was set back.
            let early = time.advanced(by: .seconds(-3600))
            #expect(try await records.beginTraining(as: "third", lease: .seconds(60), at: early) == nil)
            let taken = try #require(
                try await records.beginTraining(as: "third", lease: .seconds(60), at: late)
            )
            #expect(taken.attempts == 2)
            for hub in ["first", "second"] {
                #expect(try await !records.keepTraining(taken.id, as: hub, nil, at: late))
                #expect(try await !records.endTraining(taken, as: hub, audit: nil))
            }
            #expect(
                try await records.keepTraining(
                    taken.id,
                    as: "third",
                    .init(stage: .fitting, done: 1, total: 6),
                    at: late
                )
            )
            let shown = try await records.training(taken.id, of: taken.project)
            #expect(shown?.progress == .init(stage: .fitting, done: 1, total: 6))
        }
    }
}
