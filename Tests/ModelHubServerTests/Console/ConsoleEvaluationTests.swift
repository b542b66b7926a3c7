import Foundation
import SightlineEvaluation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct ConsoleEvaluationTests {
    private static let classifier = TestData.fixture("models/classifier_float_metadata.tflite")
    private static let picture = TestData.fixture("images/png-1x1.png")

    /// A hub with a published model, and its page.
    private func withModel(
        quota: Int? = nil,
        program: URL = HubProgram.executable,
        _ body: @escaping @Sendable (TestHub, ConsoleClient, String) async throws -> Void
    ) async throws {
        try await TestHub.withWorkers(evaluator: program) { test in
            try await test.serve { client in
                let id = try await client.publish("colors", file: try Data(contentsOf: Self.classifier))
                if var project = try await test.hub.records.project(TestHub.project), let quota {
                    project.quota = quota
                    try await test.hub.updateProject(project)
                }
                try await body(test, try await ConsoleClient.signedIn(client, test.admin), "/console/models/\(id)")
            }
        }
    }

    /// Evaluates on an archive and gives the page that says what came of it.
    private func evaluate(_ archive: Data, _ browser: ConsoleClient, _ model: String) async throws -> TestReply {
        let reply = try await browser.upload("\(model)/evaluations", files: ["pictures": ("pictures.zip", archive)])
        let path = try #require(reply.location)
        for _ in 0..<600 {
            guard try await browser.get("\(path)/status").value("isOpen") as? Bool == true else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await browser.get(path)
    }

    @Test func aStagedVersionIsComparedWithTheServedOneAndThenServed() async throws {
        let other = try Data(contentsOf: TestData.fixture("models/classifier_uint8_metadata.tflite"))
        let archive = zipArchive([
            ("blue/1.png", try Data(contentsOf: Self.picture)), ("green/1.png", try Data(contentsOf: Self.picture)),
        ])
        try await withModel { test, browser, model in
            let path = "\(model)/versions"
            _ = try await browser.upload(path, ["stage": "yes"], files: ["model": ("b.tflite", other)])
            let page = try await browser.get("\(model)/versions").text
            #expect(page.contains("Version 2 is staged.") && page.contains(">Staged</span>"))
            let form = try await browser.get("\(model)/evaluate").text
            #expect(form.contains("<option value=\"2\" selected>Version 2, staged</option>"))

            let reply = try await browser.upload(
                "\(model)/evaluations",
                ["version": "2"],
                files: ["pictures": ("p.zip", archive)]
            )
            let evaluation = try #require(reply.location)
            for _ in 0..<6000 {
                guard try await browser.get("\(evaluation)/status").value("isOpen") as? Bool == true else { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            let text = try await browser.get(evaluation).text
            #expect(text.contains("Comparison with the served version"))
            #expect(text.contains("Both versions ran on the same 2 pictures."))
            #expect(text.contains("Serve version 2"))
            let id = try ModelRecord.id(String(try #require(evaluation.split(separator: "/").last)))
            let record = try #require(try await test.hub.records.evaluation(id, of: TestHub.project))
            let json = try #require(record.comparison)
            let comparison = try JSONDecoder().decode(LabelComparison.self, from: Data(json.utf8))
            #expect(record.version == 2 && record.served?.number == 1)
            #expect(comparison.pictureCount == 2 && comparison.labeledCount == 2)
            #expect(comparison.candidate.sha256 == sha256(other))
            #expect(try await browser.get("\(model)/versions").text.contains("Version 1: "))

            _ = try await browser.post("\(model)/threshold", ["version": "2", "threshold": "0.6"])
            _ = try await browser.post("\(model)/promote", ["version": "2"])
            let served = try await browser.get(model).text
            #expect(served.contains("The hub serves version 2.") && served.contains("<dd>0.6</dd>"))
            #expect(!served.contains(">Staged</span>"))
            #expect(try await !browser.get(evaluation).text.contains("Serve version 2"))
        }
    }

    @Test(arguments: [(3, 47, true), (47, 47, false), (50, 47, false)])
    func aVersionWithFewerRightAnswersIsWorse(_ candidate: Int, _ baseline: Int, _ isWorse: Bool) throws {
        func side(_ right: Int) -> String {
            #"{"sha256": "", "byteCount": 1, "right": \#(right), "milliseconds": 1}"#
        }
        let json = """
            {"original": \(side(baseline)), "rewritten": \(side(candidate)), "pictureCount": 60, "labeledCount": 60, \
            "sameAnswers": 0, "speedup": 1, "rewrites": []}
            """
        let comparison = try JSONDecoder().decode(LabelComparison.self, from: Data(json.utf8))
        #expect(comparison.isWorse == isWorse)
        let table = ComparisonTable(comparison, "Version 1", "Version 2")
        #expect(table.rows.map { $0.cells[0].value } == ["\(baseline) of 60", "\(candidate) of 60"])
    }

    @Test func whatCannotBeEvaluatedIsSaidInASentence() async throws {
        try await withModel { test, browser, model in
            let picture = try Data(contentsOf: Self.picture)
            let cases: [(Data, String)] = [
                (Data("no zip".utf8), "pictures.zip is not a readable zip archive"),
                (zipArchive([("../red/1.png", picture)]), "has a path that leads out of the archive"),
                (zipArchive([("cats/1.png", picture)]), "has the name of a label of the model"),
                (zipArchive([("readme.txt", Data("x".utf8))]), "contains no folders with pictures"),
                (zipArchive([("red/1.png", picture)]).dropLast(30), "is not a readable zip archive"),
            ]
            for (archive, sentence) in cases {
                let text = try await evaluate(archive, browser, model).text
                #expect(text.contains("The model could not be evaluated.") && text.contains(sentence), "\(sentence)")
                // Where files lie is the hub's own business.
                #expect(!text.contains(test.folder.path))
            }
        }
    }

    @Test func hostilePicturesAreLeftOut() async throws {
        try await withModel { _, browser, model in
            let enormous = try Data(contentsOf: TestData.fixture("images/enormous.png"))
            let archive = zipArchive([
                ("red/good.png", try Data(contentsOf: Self.picture)), ("red/enormous.png", enormous),
                ("red/empty.png", Data()),
                ("red/cut.jpg", try Data(contentsOf: TestData.fixture("images/jpeg-444.jpg")).prefix(100)),
            ])
            let page = try await evaluate(archive, browser, model).text
            #expect(page.contains("3 files could not be used") && page.contains("red/enormous.png"))
        }
    }

    @Test func picturesAreShownAnewAndOnlyThoseOfTheEvaluation() async throws {
        try await withModel { test, browser, model in
            // Behind the picture lies what a browser could take for a page.
            let picture = try Data(contentsOf: Self.picture) + Data("<script>alert(1)</script>".utf8)
            let page = try await evaluate(zipArchive([("red/1.png", picture)]), browser, model)
            let cell = try #require(page.text.firstMatch(of: /href="(\/console\/evaluations\/\d+\/cells\/[^"]+)"/)).1
            let cellPage = try await browser.get(String(cell)).text
            let source = String(try #require(cellPage.firstMatch(of: /<img src="([^"]+\/pictures\/[^"]+)"/)).1)
            let image = try await browser.get(source)
            #expect(image.status == 200 && image.headers[.contentType] == "image/jpeg")
            #expect(image.headers[.xContentTypeOptions] == "nosniff")
            #expect(
                image.body.starts(with: [0xFF, 0xD8, 0xFF]) && image.body.firstRange(of: Data("script".utf8)) == nil
            )
            let other = String(source.dropLast(32))
            for name in ["..%2F..%2F1%2Freport.json", "..%2Freport.json", String(repeating: "0", count: 32)] {
                #expect(try await browser.get(other + name).status == 404)
            }
            var stranger = browser
            stranger.cookie = try await ConsoleClient.signedIn(browser.client, test.stranger).cookie
            #expect(try await stranger.get(source).status == 404)
        }
    }

    @Test func aBackupHasEvaluations() async throws {
        let picture = try Data(contentsOf: Self.picture)
        try await withTemporaryFolder { elsewhere in
            let (backup, restored) = (elsewhere.appending(path: "backup"), elsewhere.appending(path: "restored"))
            try await withModel { test, browser, model in
                let first = try await evaluate(zipArchive([("red/1.png", picture)]), browser, model).text
                let deleted = try #require(first.firstMatch(of: /action="(\/console\/evaluations\/\d+)\/delete"/)).1
                // The model, the pictures, the report.
                #expect(try await test.hub.backUp(to: backup).copiedFiles == 3)
                #expect(try await test.hub.backUp(to: backup).copiedFiles == 0)
                let kept = try await evaluate(zipArchive([("green/2.png", picture)]), browser, model).text
                _ = try await browser.post("\(deleted)/delete")
                #expect(try await test.hub.backUp(to: backup).copiedFiles == 2)
                try await Hub.restore(from: backup, to: restored)
                let copy = try await Hub(data: restored, validator: IdentifierValidator())
                let ids = try await copy.records.evaluationIDs()
                let (copies, originals) = (copy.evaluationFiles, test.hub.evaluationFiles)
                #expect(try await copies.evaluations() == ids)
                #expect(ids.count == 1)
                for id in ids {
                    #expect(kept.contains("/console/evaluations/\(id)/"))
                    for file in [EvaluationFile.pictures, .report] {
                        let data = try await copies.open(file, of: id).data()
                        #expect(try await originals.open(file, of: id).data() == data)
                    }
                }
            }
        }
    }

    @Test func evaluationsAreFewFitTheQuotaAndGoWithTheirModel() async throws {
        let archive = zipArchive([("red/1.png", try Data(contentsOf: Self.picture))])
        try await withModel { test, browser, model in
            for _ in 0..<Hub.maximumEvaluations + 2 { _ = try await evaluate(archive, browser, model) }
            let names = try await test.hub.evaluationFiles.evaluations()
            #expect(names.count == Hub.maximumEvaluations)
            _ = try await browser.post("\(model)/delete")
            #expect(try await test.hub.evaluationFiles.evaluations().isEmpty)
        }
        try await withModel(quota: try Data(contentsOf: Self.classifier).count + archive.count - 1) {
            _,
            browser,
            model in
            let reply = try await browser.upload("\(model)/evaluations", files: ["pictures": ("a.zip", archive)])
            #expect(reply.status == 429 && reply.text.contains("its quota is"))
        }
    }

    /// A program that does what a shell script says, which may call the real one as `"$0" "$@"`.
    private func withProgram(_ script: String, _ body: (URL, URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let program = folder.appending(path: "program")
            let text = "#!/bin/sh\nreal='\(HubProgram.executable.path)'\ncd '\(folder.path)'\n\(script)\n"
            try Data(text.utf8).write(to: program)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
            try await body(program, folder)
        }
    }

    @Test func howeverManyAskForItAPageOfPicturesIsMadeOnce() async throws {
        let picture = try Data(contentsOf: Self.picture)
        let script = """
            if [ "$1" = make-thumbnails ]; then
                echo run >> log
                mkdir lock || echo overlap >> log
                "$real" "$@"
                rmdir lock
            else
                exec "$real" "$@"
            fi
            """
        try await withProgram(script) { program, folder in
            try await withModel(program: program) { _, browser, model in
                let page = try await evaluate(zipArchive([("red/1.png", picture)]), browser, model)
                let cell = String(
                    try #require(page.text.firstMatch(of: /href="(\/console\/evaluations\/\d+\/cells\/[^"]+)"/)).1
                )
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<12 { group.addTask { try await browser.get(cell).text } }
                    for try await text in group { #expect(text.contains("<img src=")) }
                }
            }
            let log = try String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
            #expect(log == "run\n")
        }
    }

    @Test func aProjectMayHaveAFewEvaluationsOpen() async throws {
        let archive = zipArchive([("red/1.png", try Data(contentsOf: Self.picture))])
        try await withProgram("if [ \"$1\" = evaluate-labels ]; then exec sleep 600; fi\nexec \"$real\" \"$@\"") {
            program,
            _ in
            try await withModel(program: program) { test, browser, model in
                func begin() async throws -> TestReply {
                    try await browser.upload("\(model)/evaluations", files: ["pictures": ("a.zip", archive)])
                }
                var pages: [String] = []
                for _ in 0..<EvaluationRunner.maximumOpen { pages.append(try #require(try await begin().location)) }
                let refused = try await begin()
                #expect(refused.status == 429 && refused.text.contains("open evaluations"))
                #expect(try await test.hub.records.evaluationIDs().count == EvaluationRunner.maximumOpen)
                _ = try await browser.post("\(try #require(pages.last))/cancel")
                #expect(try await begin().status == 303)
                await test.hub.evaluations.stop()
            }
        }
    }

    @Test(arguments: [EvaluationHeartbeat.timeout, .seconds(-3600), .seconds(-40_000)])
    func anEvaluationThatTheHubDidNotFinishIsSaidToBeInterruptedAndCanBeRepeated(passed: Duration) async throws {
        try await withModel { test, browser, model in
            let archive = zipArchive([("red/1.png", try Data(contentsOf: Self.picture))])
            _ = try await evaluate(archive, browser, model)
            let id = try #require(try await test.hub.records.evaluationIDs().first)
            var evaluation = try #require(try await test.hub.records.evaluation(id, of: TestHub.project))
            evaluation.state = .running
            try await test.hub.records.update(evaluation)
            // As when the hub starts again.
            test.clock.advance(by: passed)
            try await test.hub.interruptEvaluations()
            let path = "/console/evaluations/\(id)"
            #expect(try await browser.get(path).text.contains("The hub stopped before the end of the evaluation"))
            _ = try await browser.post("\(path)/again")
            let log = try await test.hub.records.auditLog(of: TestHub.project, limit: 100)
            #expect(log.contains { $0.action == "evaluation.repeat" && $0.target == evaluation.resourceName })
            for _ in 0..<600 {
                guard try await browser.get("\(path)/status").value("isOpen") as? Bool == true else { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try await browser.get(path).text.contains("data-chart"))
        }
    }

    @Test func theAuditLogSaysWhoCancelledAnEvaluation() async throws {
        try await withModel { test, browser, model in
            let archive = zipArchive([("red/1.png", try Data(contentsOf: Self.picture))])
            _ = try await evaluate(archive, browser, model)
            let id = try #require(try await test.hub.records.evaluationIDs().first)
            var evaluation = try #require(try await test.hub.records.evaluation(id, of: TestHub.project))
            evaluation.state = .running
            try await test.hub.records.update(evaluation)
            _ = try await browser.post("/console/evaluations/\(id)/cancel")
            let newest = try #require(try await test.hub.records.auditLog(of: TestHub.project, limit: 1).first)
            #expect(newest.action == "evaluation.cancel" && newest.target == evaluation.resourceName)
            #expect(newest.actor.hasSuffix("(test)"))
        }
    }
}
