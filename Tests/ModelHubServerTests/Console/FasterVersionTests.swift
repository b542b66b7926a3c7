import Foundation
import Sightline
import SightlineTestSupport
import TensorFlowLite
import Testing

@testable import ModelHubServer

/// An evaluation compares a model with its faster form, and the person chooses.
@Suite(.hangLimit)
struct FasterVersionTests {
    private static let original = TestData.fixture("models/uint8_classifier.tflite")

    /// A hub with a published model, a browser, and the model's page.
    private func withModel(
        _ file: URL = original,
        program: URL = HubProgram.executable,
        _ body: @escaping @Sendable (TestHub, ConsoleClient, String) async throws -> Void
    ) async throws {
        try await TestHub.withWorkers(evaluator: program) { test in
            try await test.serve { client in
                let id = try await client.publish("digits", file: try Data(contentsOf: file))
                try await body(test, try await ConsoleClient.signedIn(client, test.admin), "/console/models/\(id)")
            }
        }
    }

    /// Pictures of ten labels.
    private static func pictures() throws -> Data {
        var random = RepeatableRandom(seed: 7)
        return zipArchive(
            try (0..<20).map { index in
                let pixels = Data((0..<48 * 48 * 3).map { _ in UInt8.random(in: 0...255, using: &random) })
                let picture = try PixelBuffer(
                    format: .rgb,
                    width: 48,
                    height: 48,
                    planes: [.init(data: pixels, bytesPerRow: 48 * 3)]
                )
                return (name: "class \(index % 10)/\(index).png", data: try picture.encoded(as: .png))
            }
        )
    }

    /// Evaluates the served version; gives the path and the text of the evaluation's page.
    private func evaluate(_ browser: ConsoleClient, _ model: String) async throws -> (path: String, text: String) {
        let archive = try Self.pictures()
        let reply = try await browser.upload("\(model)/evaluations", files: ["pictures": ("digits.zip", archive)])
        let path = try #require(reply.location)
        for _ in 0..<6000 {
            guard try await browser.get("\(path)/status").value("isOpen") as? Bool == true else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        return (path, try await browser.get(path).text)
    }

    private func record(_ test: TestHub) async throws -> ModelRecord {
        try #require(try await test.hub.records.model(named: "digits", of: TestHub.project))
    }

    /// The bytes that the optimizer makes of the original.
    private static func faster() throws -> Data {
        try ModelOptimizer().optimized(try Model(contentsOf: original)).model.data
    }

    @Test func anEvaluationComparesBothFormsAndTheFasterOneBecomesAVersion() async throws {
        try await withModel { test, browser, model in
            let (path, text) = try await evaluate(browser, model)
            #expect(text.contains("Serve the faster version") && text.contains("Same answers"))
            #expect(text.contains("of 20") && text.contains("become int8"))
            #expect(try await browser.post("\(path)/faster").status == 303)

            let faster = try Self.faster()
            let record = try await record(test)
            #expect(record.file?.version == 2 && record.file?.hash.text == sha256(faster))
            #expect(record.isPublished && record.validationError == nil)
            let versions = try await test.hub.records.versions(of: record.id)
            #expect(versions.first { $0.number == 2 }?.source.hasSuffix("/faster-form-of-version-1.tflite") == true)
            #expect(versions.first { $0.number == 1 }?.hash.text == sha256(try Data(contentsOf: Self.original)))
            #expect(try await browser.get(path).text.contains("The hub serves the faster version as version 2"))
            #expect(try await browser.get("\(model)/versions").text.contains("faster-form-of-version-1.tflite"))
            let log = try await test.hub.records.auditLog(of: TestHub.project, limit: 2)
            #expect(log.map(\.action) == ["model.promote", "model.version"])
            #expect(log.allSatisfy { $0.actor.hasSuffix("(test)") })
            let usage = try await test.hub.records.usage(of: TestHub.project)
            #expect(usage.byteCount >= faster.count + (try Data(contentsOf: Self.original)).count)
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.hub.uploads.path).isEmpty)
        }
    }

    @Test func theOriginalCanBeServedAgainAndTheFasterFormIsMadeOnce() async throws {
        try await withModel { test, browser, model in
            let (path, _) = try await evaluate(browser, model)
            for _ in 0..<2 {
                #expect(try await browser.post("\(path)/faster").status == 303)
                #expect(try await browser.post("\(path)/faster").status == 303)
                #expect(try await record(test).file?.version == 2)
                #expect(try await browser.post("\(model)/promote", ["version": "1"]).status == 303)
                #expect(try await record(test).file?.version == 1)
                #expect(try await browser.get(path).text.contains("Serve the faster version"))
            }
            let record = try await record(test)
            #expect(try await test.hub.records.versions(of: record.id).count == 2)
        }
    }

    @Test func theFormOfAVersionThatIsNoLongerServedIsNotOffered() async throws {
        try await withModel { test, browser, model in
            let (path, _) = try await evaluate(browser, model)
            let other = try Data(contentsOf: TestData.fixture("models/classifier_float_metadata.tflite"))
            #expect(try await browser.upload("\(model)/versions", files: ["model": ("b.tflite", other)]).status == 303)
            let text = try await browser.get(path).text
            #expect(text.contains("The hub serves another version now.") && !text.contains("\(path)/faster"))
            let refused = try await browser.post("\(path)/faster")
            #expect(refused.status == 400 && refused.text.contains("no longer serves version 1"))
            #expect(try await record(test).file?.version == 2)
        }
    }

    @Test func theModelsPageTellsWhetherItCanBeFaster() async throws {
        let sentence = "This version can be rewritten so that it runs faster."
        try await withModel { _, browser, model in
            let text = try await browser.get("\(model)/evaluate").text
            #expect(text.contains(sentence))
        }
        try await withModel(TestData.fixture("models/uint8_detector.tflite")) { _, browser, model in
            let text = try await browser.get("\(model)/evaluate").text
            #expect(text.contains(sentence))
        }
        try await withModel(TestData.fixture("models/classifier_float_metadata.tflite")) { _, browser, model in
            let text = try await browser.get("\(model)/evaluate").text
            #expect(!text.contains("faster"))
        }
    }

    @Test func aDescriptionFromBeforeTheOptimizerIsShown() async throws {
        try await TestHub.with { test in
            let json =
                #"{"path":"","byteCount":9,"metadata":{},"inputs":[],"outputs":[],"preparation":[],"assumptions":[]}"#
            let view = try #require(InspectionView(json: json))
            #expect(!view.canBeFaster)
        }
    }

    @Test func aModelWithNothingToGainIsEvaluatedAlone() async throws {
        let archive = zipArchive([
            ("red/1.png", try Data(contentsOf: TestData.fixture("images/png-1x1.png")))
        ])
        try await withModel(TestData.fixture("models/classifier_float_metadata.tflite")) { test, browser, model in
            let reply = try await browser.upload("\(model)/evaluations", files: ["pictures": ("a.zip", archive)])
            let path = try #require(reply.location)
            for _ in 0..<6000 {
                guard try await browser.get("\(path)/status").value("isOpen") as? Bool == true else { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            let text = try await browser.get(path).text
            #expect(text.contains("data-chart") && !text.contains("Faster version"))
            let refused = try await browser.post("\(path)/faster")
            #expect(refused.status == 400 && refused.text.contains("measured no faster version"))
            #expect(try await record(test).file?.version == 1)
        }
    }

    /// A program that does what a shell script says, which may call the real one as `"$real" "$@"`.
    private func withProgram(_ script: String, _ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let program = folder.appending(path: "program")
            let text = "#!/bin/sh\nreal='\(HubProgram.executable.path)'\n\(script)\n"
            try Data(text.utf8).write(to: program)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
            try await body(program)
        }
    }

    @Test func aCrashDuringTheComparisonKeepsTheReport() async throws {
        let script = """
            if [ "$1" = evaluate-labels ]; then "$real" "$@" | grep -v '"rewritten":'; kill -9 $$; fi
            exec "$real" "$@"
            """
        try await withProgram(script) { program in
            try await withModel(program: program) { _, browser, model in
                let (_, text) = try await evaluate(browser, model)
                #expect(text.contains("data-chart") && !text.contains("Faster version"))
            }
        }
    }

    @Test(arguments: [
        // More equal answers than pictures.
        #"s/"sameAnswers":[0-9]*/"sameAnswers":21/"#,
        #"s/"milliseconds":[0-9.e-]*/"milliseconds":-1/"#,
    ])
    func anImpossibleComparisonIsNoResult(_ change: String) async throws {
        let script = """
            if [ "$1" = evaluate-labels ]; then "$real" "$@" | sed '\(change)'; exit 0; fi
            exec "$real" "$@"
            """
        try await withProgram(script) { program in
            try await withModel(program: program) { _, browser, model in
                let (_, text) = try await evaluate(browser, model)
                #expect(text.contains("The model could not be evaluated.") && text.contains("comparison"))
            }
        }
    }

    @Test(arguments: [
        // Another model than the measured one, nothing at all, a reason, and a crash.
        (#"printf '\001'; cat "$2""#, "makes another faster version"),
        ("exit 0", "its process printed no reason"),
        (#"printf '\000The model has no end.'; exit 2"#, "The faster version cannot be made: The model has no end."),
        ("kill -9 $$", "it takes too much time or memory"),
    ])
    func whatIsNotTheMeasuredModelIsNotServed(_ making: String, _ sentence: String) async throws {
        let script = "if [ \"$1\" = optimize-model ]; then \(making); exit 0; fi\nexec \"$real\" \"$@\""
        try await withProgram(script) { program in
            try await withModel(program: program) { test, browser, model in
                let (path, _) = try await evaluate(browser, model)
                let refused = try await browser.post("\(path)/faster")
                #expect(refused.status == 400 && refused.text.contains(sentence), "\(refused.text)")
                #expect(!refused.text.contains(test.folder.path))
                let record = try await record(test)
                #expect(record.file?.version == 1)
                #expect(try await test.hub.records.versions(of: record.id).count == 1)
                #expect(try FileManager.default.contentsOfDirectory(atPath: test.hub.uploads.path).isEmpty)
            }
        }
    }

    @Test func theFasterVersionMustFitTheQuota() async throws {
        try await withModel { test, browser, model in
            let (path, _) = try await evaluate(browser, model)
            var project = try #require(try await test.hub.records.project(TestHub.project))
            project.quota = try await test.hub.records.usage(of: TestHub.project).byteCount + 100
            try await test.hub.updateProject(project)
            let refused = try await browser.post("\(path)/faster")
            #expect(refused.status == 429 && refused.text.contains("quota"))
            #expect(try await record(test).file?.version == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.hub.uploads.path).isEmpty)
        }
    }

    @Test func aReaderSeesTheComparisonButCannotChoose() async throws {
        try await withModel { test, browser, model in
            let (path, _) = try await evaluate(browser, model)
            let reader = try await ConsoleClient.signedIn(browser.client, test.reader)
            let text = try await reader.get(path).text
            #expect(text.contains("Same answers") && !text.contains("\(path)/faster"))
            #expect(try await reader.post("\(path)/faster").status == 403)
            #expect(try await record(test).file?.version == 1)
        }
    }
}
