import Foundation
import Testing

@testable import ModelHubServer

/// Templates, experiments and outcomes.
extension StoreConformanceTests {
    private func draft(_ project: Project, replacing etag: String, _ json: String = "{}") -> TemplateDraft {
        TemplateDraft(
            project: project,
            namespace: .client,
            json: json,
            replaces: etag,
            version: TemplateVersion(
                updateTime: Timestamp(milliseconds: 1_800_000_000_000),
                updateUser: "ann",
                updateOrigin: "REST_API",
                updateType: "INCREMENTAL_UPDATE",
                description: "test"
            )
        )
    }

    private func experiment(_ id: String) -> Experiment {
        Experiment(
            id: id,
            parameter: "model",
            condition: nil,
            variants: [.init(id: "a", value: "1"), .init(id: "b", value: "2")],
            exposurePercent: 50,
            startTime: Timestamp(milliseconds: 1_800_000_000_000)
        )
    }

    @Test(arguments: StoreBackend.allCases)
    func aTemplateReplacesTheOneThatItsAuthorKnew(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            let project = try await stores.project()
            #expect(try await records.template(nil, in: .client, of: "my-plants") == nil)
            let stale = await #expect(throws: HubError.self) {
                _ = try await records.insert(draft(project, replacing: "x"), experiment: nil, audit: .test)
            }
            #expect(stale?.code == .failedPrecondition)
            var etag = "etag-\(project.number)-0"
            for number in 1...3 {
                let stored = try await records.insert(
                    draft(project, replacing: etag, "{\"n\":\(number)}"),
                    experiment: nil,
                    audit: .test
                )
                #expect(stored.version.number == Int64(number))
                #expect(stored.etag != etag)
                etag = stored.etag
                #expect(try await records.template(nil, in: .client, of: "my-plants") == stored)
            }
            #expect(try await records.template(2, in: .client, of: "my-plants")?.json == "{\"n\":2}")
            #expect(try await records.template(nil, in: .server, of: "my-plants") == nil)
            let versions = try await records.templateVersions(in: .client, of: "my-plants", before: 3, limit: 5)
            #expect(versions.map(\.number) == [2, 1])
        }
    }

    /// Eight authors publish at once, each on the newest version: no version is lost or replaced.
    @Test(arguments: StoreBackend.allCases)
    func noVersionOfATemplateIsLost(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            let project = try await stores.project()
            _ = try await eightAtOnce { number in
                for round in 0..<4 {
                    while true {
                        let newest = try await records.template(nil, in: .client, of: "my-plants")
                        let etag = newest?.etag ?? "etag-\(project.number)-0"
                        let draft = draft(project, replacing: etag, "{\"\(number)\":\(round)}")
                        do {
                            _ = try await records.insert(draft, experiment: nil, audit: .test)
                            break
                        } catch let error as HubError where error.code == .failedPrecondition {
                            continue
                        }
                    }
                }
            }
            let versions = try await records.templateVersions(in: .client, of: "my-plants", before: nil, limit: 100)
            #expect(versions.map(\.number) == (1...32).reversed())
            var texts: Set<String> = []
            for version in versions {
                texts.insert(
                    try #require(try await records.template(version.number, in: .client, of: "my-plants")).json
                )
            }
            #expect(texts.count == 32)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func largeOldTemplatesAreForgotten(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            let project = try await stores.project()
            var etag = "etag-\(project.number)-0"
            let json = "\"" + String(repeating: "x", count: TemplateVersion.byteLimit / 3) + "\""
            for _ in 0..<4 {
                etag = try await records.insert(draft(project, replacing: etag, json), experiment: nil, audit: .test)
                    .etag
            }
            let versions = try await records.templateVersions(in: .client, of: "my-plants", before: nil, limit: 9)
            #expect(versions.map(\.number) == [4, 3])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func anExperimentChangesWithItsTemplate(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            let project = try await stores.project()
            var experiment = experiment("e1")
            let first = draft(project, replacing: "etag-\(project.number)-0")
            let stored = try await records.insert(first, experiment: experiment, audit: .test)
            #expect(try await records.experiment("e1", of: "my-plants") == experiment)
            #expect(try await records.runningExperiments(of: "my-plants") == [experiment])
            experiment.stopTime = Timestamp(milliseconds: 1_800_000_000_001)
            experiment.winner = "a"
            // A template that is not stored changes no experiment.
            await #expect(throws: HubError.self) {
                _ = try await records.insert(first, experiment: experiment, audit: .test)
            }
            #expect(try await records.experiment("e1", of: "my-plants")?.winner == nil)
            let second = draft(project, replacing: stored.etag)
            _ = try await records.insert(second, experiment: experiment, audit: .test)
            #expect(try await records.experiments(of: "my-plants") == [experiment])
            #expect(try await records.runningExperiments(of: "my-plants").isEmpty)
        }
    }

    /// Eight reporters add batches at once, each of them twice: every batch counts once.
    @Test(arguments: StoreBackend.allCases)
    func everyBatchOfOutcomesCountsOnce(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            let project = try await stores.project()
            let first = draft(project, replacing: "etag-\(project.number)-0")
            _ = try await records.insert(first, experiment: experiment("e1"), audit: .test)
            let added = try await eightAtOnce { number in
                var count = 0
                for round in 0..<20 {
                    let record = OutcomeBatch.Record(
                        experiment: "e1",
                        variant: "a",
                        model: "plants",
                        metric: .latency,
                        count: 2,
                        sum: 30,
                        squares: 500,
                        histogram: [7: 2]
                    )
                    // Two reporters share an installation.
                    let batch = OutcomeBatch(
                        id: "\(number)-\(round / 2)",
                        installation: [UInt8(number / 2)],
                        records: [record]
                    )
                    if try await records.add(batch, to: "my-plants", at: .now) { count += 1 }
                }
                return count
            }
            #expect(added == Array(repeating: 10, count: 8))
            let totals = try await records.outcomes(of: "e1", of: "my-plants")
            // For all models together, and for the model.
            #expect(totals.map(\.model) == ["", "plants"])
            for total in totals {
                #expect(total.sums.devices == 4)
                #expect(total.count == 160)
                #expect(total.sums.sum == 2400)
                #expect(total.histogram == [7: 160])
                // Each installation reported 40 results.
                #expect(total.sums.sumNN == 4 * 40 * 40)
            }
            try await records.forgetOutcomeBatches(before: Timestamp.now.advanced(by: .seconds(60)))
            let again = OutcomeBatch(id: "0-0", installation: [0], records: [])
            #expect(try await records.add(again, to: "my-plants", at: .now))
        }
    }
}
