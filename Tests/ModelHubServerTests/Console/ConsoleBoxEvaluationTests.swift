import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@testable import ModelHubServer

/// Detectors are evaluated in the console like labelers.
@Suite(.hangLimit)
struct ConsoleBoxEvaluationTests {
    /// A hub with a published detector, a browser, and the model's page.
    private func withModel(
        _ file: Data? = nil,
        program: URL = HubProgram.executable,
        _ body: @escaping @Sendable (TestHub, ConsoleClient, String) async throws -> Void
    ) async throws {
        try await TestHub.withWorkers(evaluator: program) { test in
            try await test.serve { client in
                let id = try await client.publish("street", file: try file ?? Data(contentsOf: BoxPictures.detector))
                try await body(test, try await ConsoleClient.signedIn(client, test.admin), "/console/models/\(id)")
            }
        }
    }

    /// Evaluates a version on an archive; gives the path and the text of the evaluation's page.
    private func evaluate(
        _ browser: ConsoleClient,
        _ model: String,
        _ archive: Data? = nil,
        version: String = ""
    ) async throws -> (path: String, text: String) {
        let reply = try await browser.upload(
            "\(model)/evaluations",
            ["version": version],
            files: ["pictures": ("street.zip", try archive ?? BoxPictures.archive())]
        )
        let path = try #require(reply.location, "\(reply.text)")
        for _ in 0..<6000 {
            guard try await browser.get("\(path)/status").value("isOpen") as? Bool == true else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        return (path, try await browser.get(path).text)
    }

    @Test func aDetectorIsEvaluatedAndItsPicturesAreShownWithBoxes() async throws {
        try await withModel { test, browser, model in
            let offer = try await browser.get("\(model)/evaluate").text
            #expect(offer.contains("annotations in COCO’s format") && offer.contains("AP and AR"))
            let (path, text) = try await evaluate(browser, model)
            #expect(
                text.contains("AP50") && text.contains("data-chart")
                    && text.contains("<h2 id=\"labels\">Categories</h2>")
            )
            #expect(text.contains("1 file could not be used") && text.contains("images/3.png"))
            #expect(!text.contains("matrix-title"))
            // The green box of both pictures is not an object; a blue one of the second picture is not either.
            #expect(text.contains("<title>wrong: blue 80.0 %</title>") && text.contains("box-right"))
            let address = try #require(text.firstMatch(of: /<image href="([^"]+)"/)).1
            let picture = try await browser.get(String(address))
            #expect(picture.headers[.contentType] == "image/jpeg" && picture.body.starts(with: [0xFF, 0xD8, 0xFF]))
            let list = try await browser.get(model).text
            #expect(list.contains(/AP [01]\.\d{3}/))
            let chosen = try await browser.get("\(path)?threshold=0.85&label=0").text
            #expect(chosen.contains("value=\"0.85\"") && chosen.contains("<option value=\"0\" selected>red"))
            #expect(try await browser.get("\(path)/cells/0-0").status == 404)
            let report = try await browser.get("\(path)/report")
            #expect(report.headers[.contentDisposition] == "attachment; filename=\"street-1-evaluation-1.json\"")
            #expect(report.value("report.pictureCount") as? Int == 2)
            let record = try #require(try await test.hub.records.model(named: "street", of: TestHub.project))
            let stored = try #require(try await test.hub.records.evaluations(of: record.id).first)
            #expect(stored.kind == "boxes" && stored.pictureCount == 2 && stored.score ?? 0 > 0.2)
        }
    }

    @Test func theThresholdOfAnEvaluationIsStoredWithTheVersion() async throws {
        try await withModel { test, browser, model in
            let (path, _) = try await evaluate(browser, model)
            let id = try #require(path.split(separator: "/").last)
            let fields = ["evaluation": String(id), "version": "1", "threshold": "0.45"]
            #expect(try await browser.post("\(model)/threshold", fields).location == path)
            let record = try #require(try await test.hub.records.model(named: "street", of: TestHub.project))
            #expect(record.file?.confidenceThreshold == 0.45)
        }
    }

    @Test func aStagedDetectorIsComparedWithTheServedOne() async throws {
        try await withModel { _, browser, model in
            let next = ("b.tflite", try BoxPictures.rewritable())
            #expect(
                try await browser.upload("\(model)/versions", ["stage": "yes"], files: ["model": next]).status == 303
            )
            let (_, text) = try await evaluate(browser, model, version: "2")
            #expect(text.contains("Comparison with the served version") && text.contains("Same boxes"))
            #expect(text.contains("of 6") && text.contains("than that of version 1"))
            let list = try await browser.get("\(model)/versions").text
            #expect(list.contains("Version 1: AP ") && list.contains("the same boxes; this version runs"))
        }
    }

    @Test func theFasterFormIsComparedAndChosenAndTheOriginalStays() async throws {
        let original = try BoxPictures.rewritable()
        try await withModel(original) { test, browser, model in
            #expect(try await browser.get("\(model)/evaluate").text.contains("An evaluation measures both forms."))
            let (path, text) = try await evaluate(browser, model)
            #expect(text.contains("Serve the faster version") && text.contains("Same boxes"))
            let reader = try await ConsoleClient.signedIn(browser.client, test.reader)
            #expect(try await reader.get(path).text.contains("Same boxes"))
            #expect(try await reader.post("\(path)/faster").status == 403)
            #expect(try await browser.post("\(path)/faster").status == 303)
            let faster = try ModelOptimizer().optimized(try Model(data: original)).model.data
            let record = try #require(try await test.hub.records.model(named: "street", of: TestHub.project))
            #expect(record.file?.version == 2 && record.file?.hash.text == sha256(faster))
            #expect(try await test.hub.records.version(1, of: record.id)?.hash.text == sha256(original))
            #expect(try await browser.post("\(model)/promote", ["version": "1"]).status == 303)
            #expect(try await browser.get(path).text.contains("Serve the faster version"))
        }
    }

    @Test func anArchiveWithoutAnnotationsIsExplained() async throws {
        let archive = zipArchive([("red/1.png", try Pictures.png(red: 1))])
        try await withModel { test, browser, model in
            let (path, text) = try await evaluate(browser, model, archive)
            #expect(text.contains("The model could not be evaluated.") && text.contains("street.zip"))
            #expect(text.contains("contains no JSON file with annotations") && !text.contains(test.folder.path))
            #expect(try await browser.get(path).status == 200)
        }
    }

    @Test(arguments: [
        #"s/"detectionCount":[0-9]*/"detectionCount":-1/"#, #"s/"ap50":[0-9.e-]*/"ap50":2/g"#,
        #"s/"report":{/"report":{"x":/"#,
    ])
    func anImpossibleReportIsNoResult(_ change: String) async throws {
        try await withTemporaryFolder { folder in
            let program = folder.appending(path: "program")
            let text = """
                #!/bin/sh
                real='\(HubProgram.executable.path)'
                if [ "$1" = evaluate-boxes ]; then "$real" "$@" | sed '\(change)'; exit 0; fi
                exec "$real" "$@"
                """
            try Data(text.utf8).write(to: program)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
            try await withModel(program: program) { _, browser, model in
                let (_, text) = try await evaluate(browser, model)
                #expect(text.contains("The model could not be evaluated.") && !text.contains("data-chart"))
            }
        }
    }

    @Test func aModelThatIsNotForPicturesCannotBeEvaluated() async throws {
        try await withModel(Data(contentsOf: TestData.fixture("models/add.tflite"))) { _, browser, model in
            #expect(try await browser.get(model).text.contains("Only models that label pictures or find objects"))
            let refused = try await browser.upload(
                "\(model)/evaluations",
                files: ["pictures": ("a.zip", try BoxPictures.archive())]
            )
            #expect(refused.status == 400 && refused.text.contains("neither labels pictures nor finds objects"))
        }
    }
}
