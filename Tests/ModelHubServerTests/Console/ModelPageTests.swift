import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// A model's page: its card, notes, code, counts by day, and trying it with a photo.
@Suite(.hangLimit)
struct ModelPageTests {
    /// A hub that runs models in processes, with a published model; a browser, and the path of the model's page.
    private func withModel(
        _ file: URL,
        program: URL? = HubProgram.executable,
        _ body: @escaping @Sendable (TestHub, TestClient, ConsoleClient, String) async throws -> Void
    ) async throws {
        try await TestHub.withWorkers(evaluator: program) { test in
            try await test.serve { client in
                let id = try await client.publish("colors", file: try Data(contentsOf: file))
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                try await body(test, client, browser, "/console/models/\(id)")
            }
        }
    }

    private static let classifier = TestData.fixture("models/classifier_float_metadata.tflite")
    private static let details = "/hub/v1/projects/\(TestHub.project)/models/colors"

    @Test func aCardComesFromTheMetadataAndIsChanged() async throws {
        try await withModel(Self.classifier) { _, client, browser, path in
            let first = try await client.send(.get, Self.details)
            #expect(first.text("card.description") == "Names the color of a picture.")
            #expect(first.text("card.license") == "Apache-2.0" && first.text("card.author") == "Sightline")
            let page = try await browser.get(path).text
            #expect(page.contains("About this model") && page.contains("<dt>License</dt><dd>Apache-2.0</dd>"))
            // Absent texts stay, empty texts are removed.
            let change = try await client.send(
                .patch,
                "\(Self.details)/card",
                json: ["license": "CC0 <b>", "author": ""]
            )
            #expect(change.text("card.description") == "Names the color of a picture.")
            #expect(change.text("card.license") == "CC0 <b>" && change.text("card.author")?.isEmpty == true)
            #expect(try await browser.get(path).text.contains("<dd>CC0 &lt;b&gt;</dd>"))
            let fields = ["description": "First line.\r\nSecond line.", "license": "MIT", "author": "Ada"]
            #expect(try await browser.post("\(path)/card", fields).status == 303)
            #expect(try await browser.get("\(path)/settings").text.contains("The card is saved."))
            #expect(try await browser.get(path).text.contains("<p class=\"prose\">First line.\nSecond"))
            #expect(try await browser.get("/console/models").text.contains(">First line.</span>"))
            let long = try await browser.post("\(path)/card", ["license": String(repeating: "x", count: 201)])
            #expect(long.status == 400 && long.text.contains("at most 200 characters, not 201"))
            // A new version does not change what people wrote.
            _ = try await browser.upload(
                "\(path)/versions",
                files: [
                    "model": ("b", try Data(contentsOf: TestData.fixture("models/classifier_uint8_metadata.tflite")))
                ]
            )
            #expect(try await client.send(.get, Self.details).text("card.author") == "Ada")
            let log = try await client.send(.get, "/hub/v1/projects/\(TestHub.project)/audit").body
            #expect(String(decoding: log, as: UTF8.self).contains("license MIT"))
        }
    }

    @Test func thePageSaysHowOftenTwoVersionsDiffer() async throws {
        try await withModel(Self.classifier) { _, client, browser, path in
            #expect(try await !browser.get(path).text.contains("Different answers"))
            let second = try Data(contentsOf: TestData.fixture("models/classifier_uint8_metadata.tflite"))
            _ = try await browser.upload("\(path)/versions", ["stage": "yes"], files: ["model": ("b", second)])
            let first = try Data(contentsOf: Self.classifier)
            let outcome: [String: Any] = [
                "model": "colors", "served": BlobHash(SHA256.hash(data: first)).text,
                "candidate": BlobHash(SHA256.hash(data: second)).text,
                "count": 1204, "different": 37,
                "labels": [
                    ["label": "<red>", "count": 800, "different": 30], ["label": "blue", "count": 404, "different": 7],
                ],
            ]
            let batch: [String: Any] = ["batchId": "12345678", "outcomes": [], "shadows": [outcome]]
            let outcomes = "/hub/v1/projects/\(TestHub.project)/outcomes"
            let receipt = try await client.send(.post, outcomes, json: batch)
            #expect(receipt.value("accepted") as? Int == 1, "\(String(decoding: receipt.body, as: UTF8.self))")
            // A batch counts once.
            _ = try await client.send(.post, outcomes, json: batch)
            let page = try await browser.get("\(path)/evaluate").text
            #expect(page.contains("production (version 1) and staging (version 2)"))
            #expect(page.contains("Disagree 3.1 % (") && page.contains("of 1,204 requests"))
            #expect(page.contains("&lt;red&gt;") && page.contains("3.8 % ("))
            // A comparison goes with its version.
            let shown = try await client.send(.get, "\(Self.details)/shadows").body
            #expect(String(decoding: shown, as: UTF8.self).contains("\"different\":37"))
        }
    }

    @Test(arguments: [
        (
            #"{"model":"m","served":"x","candidate":"y","count":1,"different":0,"labels":[]}"#,
            "served: it is not the SHA-256"
        ),
        (#"{"model":"m"}"#, "it has no labels"),
    ])
    func aComparisonThatIsNoneIsRefused(shadow: String, message: String) async throws {
        let batch = #"{"batchId":"12345678","outcomes":[],"shadows":[\#(shadow)]}"#
        let error = #expect(throws: HubError.self) { try OutcomeBatch(Array(batch.utf8), installation: nil) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func aNameThatIsTooLongIsRefusedAndNotCut() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                let form = try await browser.get("/console/models/new").text
                #expect(form.contains("{0,31}") && form.firstMatch(of: /id="name"[^>]*maxlength/) == nil)
                let long = String(repeating: "a", count: 300)
                let refused = try await browser.upload(
                    "/console/models",
                    ["name": long],
                    files: ["model": ("a.tflite", fakeModel())]
                )
                #expect(refused.status == 400 && refused.text.contains("use up to 32 letters"))
                // The name of a file is not a wish of a person, and its remaining part is shown.
                let path = try #require(
                    try await browser.upload(
                        "/console/models",
                        ["name": ""],
                        files: ["model": ("\(long).tflite", fakeModel())]
                    ).location
                )
                let page = try await browser.get(path).text
                #expect(page.contains("Its file has a longer name than a model can have."))
            }
        }
    }

    @Test func aNewModelTakesItsCardAndNotesFromTheForm() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                let reply = try await browser.upload(
                    "/console/models",
                    ["name": "plants", "license": "MIT", "notes": "From 2,000 leaves"],
                    files: ["model": ("a.tflite", fakeModel())]
                )
                let path = try #require(reply.location)
                #expect(try await browser.get(path).text.contains("<dd>MIT</dd>"))
                #expect(try await browser.get("\(path)/versions").text.contains("From 2,000 leaves"))
                for (fields, number) in [(["stage": "yes", "notes": "Staged leaves"], 2), (["notes": "More"], 3)] {
                    let file = fakeModel(number)
                    _ = try await browser.upload("\(path)/versions", fields, files: ["model": ("b", file)])
                }
                let versions = try await browser.get("\(path)/versions").text
                #expect(versions.contains("Staged leaves") && versions.contains(">More</span>"))
                let edit = try await browser.get("\(path)/versions/2/notes").text
                #expect(edit.contains("Staged leaves</textarea>"))
                _ = try await browser.post("\(path)/versions/2/notes", ["notes": ""])
                #expect(try await !browser.get("\(path)/versions").text.contains("Staged leaves"))
                let details = "/hub/v1/projects/\(TestHub.project)/models/plants"
                let set = try await client.send(.put, "\(details)/versions/1/notes", json: ["notes": "New"])
                let notes = (set.value("versions") as? [[String: Any]])?.map { $0["notes"] as? String }
                #expect(notes == ["More", nil, "New"])
                #expect(try await client.send(.put, "\(details)/versions/9/notes", json: ["notes": "x"]).status == 404)
                let reader = try await ConsoleClient.signedIn(client, test.reader)
                #expect(try await reader.get("\(path)/versions/2/notes").status == 403)
                #expect(try await reader.get("\(path)/versions").text.contains(">More</span>"))
            }
        }
    }

    @Test func theCodeOnThePageDownloadsTheModel() async throws {
        let shell = URL(filePath: "/bin/sh")
        let python = URL(filePath: "/usr/bin/python3")
        try await withModel(Self.classifier) { test, client, browser, path in
            let page = try await browser.get("\(path)/use").text
            let file = try Data(contentsOf: Self.classifier)
            // The client of the test leaves out the port of its address.
            let base = try #require(page.firstMatch(of: /URL\(string: &quot;([^&]+)&quot;\)/)).1
            let port = try #require(client.client.port)
            #expect(page.contains("Ask an owner of the project for a key."))
            for language in ["Swift", "Kotlin", "Python", "curl"] { #expect(page.contains("<summary>\(language)</")) }
            func code(_ language: String) throws -> String {
                let pattern = try Regex("<pre id=\"code-\(language)\"[^>]*>([^<]*)</pre>")
                let text = try #require(page.firstMatch(of: pattern)?[1].substring)
                var code = String(text)
                for (old, new) in [
                    ("&quot;", "\""), ("&#39;", "'"), ("&gt;", ">"), ("&lt;", "<"), ("&amp;", "&"),
                    ("YOUR_API_KEY", test.apiKey), (String(base), "http://127.0.0.1:\(port)"),
                ] {
                    code = code.replacing(old, with: new)
                }
                return code
            }
            #expect(
                try code("swift").contains("ImageLabeler(") && code("swift").contains("RemoteModel(name: \"colors\")")
            )
            for (needed, program, arguments) in [
                ("/usr/bin/curl", shell, ["-c", try code("curl")]), (python.path, python, ["-c", try code("python")]),
            ] where FileManager.default.isExecutableFile(atPath: needed) {
                try await withTemporaryFolder { folder in
                    let result = try await Program(program).run(arguments, in: folder)
                    #expect(result.status == 0, "\(result.errors)")
                    #expect(try Data(contentsOf: folder.appending(path: "colors.tflite")) == file)
                }
            }
            // Owners see the names of the keys. No page shows a key again.
            let owner = try await ConsoleClient.signedIn(client, test.admin)
            let shown = try await owner.get("\(path)/use").text
            #expect(shown.contains("The project has these API keys: <span class=\"tag\">test</span>"))
            #expect(!shown.contains(test.apiKey))
        }
    }

    @Test func downloadsAndResultsAreShownByDay() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try #require(Int64(try await client.publish("plants", file: fakeModel())))
                let file = try #require(try await test.hub.records.model(id, of: TestHub.project)?.file)
                func download(_ count: Int) async throws {
                    for _ in 0..<count { test.hub.downloads.count(id, file.hash) }
                    try await test.hub.downloads.store(in: test.hub.records, at: test.clock.now)
                }
                let plan = """
                    {"experimentId":"ab","parameter":"model","exposurePercent":50,
                     "variants":[{"variantId":"a"},{"variantId":"b","value":"x"}]}
                    """
                _ = try await client.post("/hub/v1/projects/my-plants/experiments", plan)
                try await download(3)
                test.clock.advance(by: .seconds(24 * 3600))
                try await download(40)
                let batch = """
                    {"batchId":"batch-0001","outcomes":[
                      {"experimentId":"ab","variantId":"b","model":"plants","count":4,
                       "latency":{"count":4,"sum":50,"squares":700,"histogram":{"53":4}}},
                      {"experimentId":"ab","variantId":"b","model":"unknown","count":9}]}
                    """
                for _ in 0..<2 { _ = try await client.post("/hub/v1/projects/my-plants/outcomes", batch) }
                // Two more that are not in the records yet.
                for _ in 0..<2 { test.hub.downloads.count(id, file.hash) }
                let browser = try await ConsoleClient.signedIn(client, test.reader)
                let page = try await browser.get("/console/models/\(id)").text
                let today = ConsoleText.day(test.clock.now)
                #expect(page.contains("45 downloads in 30 days, at most 42 on a day"))
                #expect(page.contains("<title>\(today): 42 downloads</title>"))
                #expect(page.contains("4 results in 30 days"))
                #expect(
                    page.contains("<th scope=\"row\">\(today)</th><td data-label=\"Downloads\" class=\"number\">42")
                )
                #expect(page.contains("12.5 ms"))
                // The oldest day ends.
                test.clock.advance(by: .seconds(29 * 24 * 3600))
                _ = try await test.hub.cleanUp()
                let days = try await test.hub.records.days(of: id, from: 0)
                #expect(days.map(\.downloads) == [40] && days.map(\.results) == [4] && days.map(\.milliseconds) == [50])
            }
        }
    }

    // MARK: - Trying a model

    private func answer(_ browser: ConsoleClient, _ path: String, _ picture: Data, _ fields: [String: String] = [:])
        async throws -> TestReply
    {
        try await browser.upload("\(path)/try", fields, files: ["picture": ("my photo.png", picture)])
    }

    @Test func aLabelerIsTriedWithAPhotoThatIsNotKept() async throws {
        try await withModel(Self.classifier) { test, client, publisher, path in
            let red = try Pictures.png(red: 230, green: 20, blue: 20, width: 2000, height: 1000)
            let before = try await test.storedFiles()
            _ = try await publisher.post("\(path)/threshold", ["version": "1", "threshold": "0.9"])
            // No evaluation of the hub shows where it comes from.
            let list = try await publisher.get("\(path)/versions").text
            #expect(list.contains("Threshold 0.9 was stored by a person or command, without pictures in the hub"))
            let browser = try await ConsoleClient.signedIn(client, test.reader)
            #expect(try await browser.get("\(path)/try").text.contains("Try it with a photo"))
            let reply = try await answer(browser, path, red)
            #expect(reply.status == 200, "\(reply.text)")
            let page = reply.text
            let best = try #require(page.firstMatch(of: /<th scope="row">([a-z]+)/)).1
            #expect(best == "red" && page.contains("my photo.png") && page.contains("3 labels in"))
            #expect(page.contains("below the threshold; apps drop it"))
            #expect(page.contains("viewBox=\"0 0 1024 512\"") && page.contains("href=\"data:image/jpeg;base64,/9j/"))
            let policy = try #require(reply.headers[.contentSecurityPolicy])
            #expect(policy.contains("img-src 'self' data:;") && policy.contains("script-src 'self';"))
            #expect(try await browser.get("\(path)/try").headers[.contentSecurityPolicy]?.contains("data:") == false)
            #expect(reply.headers[.cacheControl] == "no-store")
            #expect(try await test.storedFiles() == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path).isEmpty)
        }
    }

    @Test func aDetectorShowsBoxesInThePhoto() async throws {
        try await withModel(BoxPictures.detector) { _, _, browser, path in
            let picture = try Pictures.png(red: 120, green: 130, blue: 140, width: 100, height: 100)
            let page = try await answer(browser, path, picture, ["version": "1"]).text
            #expect(
                page.contains("<title>red 90.0 %</title>")
                    && page.contains("class=\"box-found color-0\" x=\"20.0\" y=\"10.0\"")
            )
            #expect(page.contains("<h2 id=\"findings-title\">Objects</h2>"))
        }
    }

    @Test func aPhotoThatCannotBeUsedIsRefusedInASentence() async throws {
        try await withModel(Self.classifier) { test, client, browser, path in
            let jpeg = try Data(contentsOf: TestData.fixture("images/jpeg-444.jpg"))
            for picture in [
                Data("no picture".utf8), Data(), try Data(contentsOf: TestData.fixture("images/enormous.png")),
                jpeg.prefix(100),
            ] {
                let reply = try await answer(browser, path, picture)
                #expect(reply.status == 400 && reply.text.contains("my photo.png cannot be used: "), "\(reply.text)")
                #expect(!reply.text.contains(test.folder.path))
            }
            #expect(try await answer(browser, path, jpeg, ["version": "7"]).status == 400)
            let none = try await browser.upload("\(path)/try", files: [:])
            #expect(none.status == 400 && none.text.contains("No picture was chosen"))
            var forged = ConsoleClient(client: client)
            forged.cookie = browser.cookie
            let reply = try await forged.upload("\(path)/try", ["form_token": "x"], files: ["picture": ("a", jpeg)])
            #expect(reply.status == 403)
            #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path).isEmpty)
            // The hub may end the connection before it has received everything.
            let large = try? await answer(browser, path, Data(count: Hub.maximumTrialPicture + 1))
            #expect(large.map { $0.status == 413 && $0.text.contains("choose a smaller picture") } ?? true)
        }
    }

    @Test func aProgramThatCrashesOrLiesIsNotBelieved() async throws {
        try await withTemporaryFolder { folder in
            for (name, body) in [
                ("crash", "kill -SEGV $$"), ("silent", "exit 0"),
                ("lie", #"echo '{"findings":[],"jpeg":"PHNjcmlwdD4=","width":1,"height":1,"milliseconds":1}'"#),
            ] {
                let program = folder.appending(path: name)
                try Data("#!/bin/sh\n\(body)\n".utf8).write(to: program)
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
                try await withModel(Self.classifier, program: program) { _, _, browser, path in
                    let reply = try await answer(browser, path, Data("x".utf8))
                    #expect(reply.status == 400 && reply.text.contains("takes too much time or memory"))
                }
            }
        }
    }

    @Test func whatTheHubCannotRunIsNotOffered() async throws {
        try await withModel(Self.classifier, program: nil) { _, _, browser, path in
            #expect(try await !browser.get("\(path)/try").text.contains("Try it with a photo"))
            let reply = try await answer(browser, path, Data("x".utf8))
            #expect(reply.status == 400 && reply.text.contains("choose another version"))
        }
    }
}
