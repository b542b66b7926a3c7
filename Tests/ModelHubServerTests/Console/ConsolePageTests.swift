import Foundation
import HTTPTypes
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct ConsolePageTests {
    @Test func modelsAreFoundByNameTagAndStateInPages() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                for number in 0..<60 {
                    let name = "model-\(String(format: "%02d", number))"
                    _ = try await client.create(name, tags: number == 7 ? ["Lucky"] : nil)
                }
                _ = try await client.publish("Zebra", file: fakeModel())
                let browser = try await ConsoleClient.signedIn(client, test.reader)
                func names(_ query: String) async throws -> [String] {
                    try await browser.get("/console/models\(query)").text
                        .matches(of: /class="row-link" href="[^"]+">([^<]+)</).map { String($0.1) }
                }
                let first = try await names("")
                #expect(first.count == 50 && first.first == "model-00")
                #expect(try await names("?page=2").last == "Zebra")
                #expect(try await names("?q=zeb") == ["Zebra"])
                #expect(try await names("?q=lucky") == ["model-07"])
                #expect(try await names("?q=%25").isEmpty)
                #expect(try await names("?state=published") == ["Zebra"])
                #expect(try await names("?order=updated").first == "Zebra")
                #expect(try await names("?page=99999999999999999999").count == 50)
            }
        }
    }

    @Test func downloadsAreCountedOnceEachAndKept() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try await client.publish("plants", file: fakeModel(byteCount: 5000))
                let info = try await client.send(
                    .get,
                    "\(TestClient.models)/plants:download?key=\(test.apiKey)",
                    token: .some(nil)
                )
                let target = try requestTarget(info.text("downloadUri"))
                for range in [nil, "bytes=0-99", "bytes=100-", "bytes=999999-"] {
                    var headers = HTTPFields()
                    headers[.range] = range
                    _ = try await client.send(.get, target, headers: headers, token: .some(nil))
                }
                _ = try await client.send(.head, target, token: .some(nil))
                // An address that is changed to count for another model is refused.
                let forged = target.replacing("model=\(id)", with: "model=1")
                #expect(try await client.send(.get, forged, token: .some(nil)).status == 403)
                #expect(try await test.hub.downloadCount(of: try #require(Int64(id))) == 2)
                try await test.hub.downloads.store(in: test.hub.records, at: test.clock.now)
                #expect(try await test.hub.records.downloads(of: try #require(Int64(id))) == 2)
                let page = try await ConsoleClient.signedIn(client, test.reader).get("/console/models/\(id)").text
                #expect(page.contains("<dt>Downloads</dt><dd>2</dd>"))
            }
        }
    }

    @Test func aPlainFormUploadsPublishesAndSaysWhatIsWrong() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                let model = fakeModel()
                let reply = try await browser.upload(
                    "/console/models",
                    ["name": "", "tags": "red, green red", "publish": "yes"],
                    files: ["model": ("Plant model (2).tflite", model), "labels": ("", Data())]
                )
                #expect(reply.status == 303)
                let page = try await browser.get(try #require(reply.location))
                #expect(page.text.contains("Plant-model-2 was uploaded. It is published."))
                #expect(page.text.contains(sha256(model)))
                // A sentence that is said once is said once.
                #expect(try await !browser.get(try #require(reply.location)).text.contains("was uploaded"))
                let file = try await browser.get("\(try #require(reply.location))/versions/1/file")
                #expect(file.body == model && file.headers[.contentDisposition]?.hasPrefix("attachment") == true)

                let same = try await browser.upload(
                    "/console/models",
                    ["name": "Plant-model-2"],
                    files: ["model": ("a", model)]
                )
                #expect(same.status == 409 && same.text.contains("The model Plant-model-2 already exists"))
                let none = try await browser.upload("/console/models", ["name": "x"], files: [:])
                #expect(none.status == 400 && none.text.contains("No model was chosen"))
                let picture = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 0])
                let bad = try await browser.upload("/console/models", files: ["model": ("portrait.tflite", picture)])
                #expect(bad.status == 400)
                #expect(
                    bad.text.contains(
                        "portrait.tflite cannot be uploaded. The file is not a usable model but a picture"
                    )
                )
                #expect(try await !browser.get("/console/models").text.contains("portrait"))
            }
        }
    }

    @Test func anUploadThatIsCutInTheMiddleLeavesNothing() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                let file = fakeModel(byteCount: 300_000)
                let reply = try await browser.upload(
                    "/console/models",
                    files: ["model": ("a.tflite", file)],
                    isCut: true
                )
                #expect(reply.status == 400 && reply.text.contains("is incomplete"))
                #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path).isEmpty)
                #expect(try await client.send(.get, TestClient.models).value("models") == nil)
            }
        }
    }

    @Test func aFileMayHoldWhatLooksLikeABoundary() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                let tricky =
                    fakeModel() + Data("\r\n--almost\r\n--boundar\r\n-\r\r\n--".utf8)
                    + Data(repeating: 13, count: 70_000)
                let reply = try await browser.upload(
                    "/console/models",
                    files: ["model": ("a.tflite", tricky)],
                    boundary: "boundary"
                )
                #expect(try await browser.get(try #require(reply.location)).text.contains(sha256(tricky)))
            }
        }
    }

    @Test func tooLargeAnUploadIsRefused() async throws {
        var options = Hub.Options()
        options.maximumModelSize = 1000
        try await TestHub.with(options: options) { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                let file = fakeModel(byteCount: 5000)
                let reply = try await browser.upload("/console/models", files: ["model": ("a.tflite", file)])
                #expect(reply.status == 413 && reply.text.contains("more than 1 kB, the limit of this hub"))
            }
        }
    }

    @Test func versionsAreServedAgainAndModelsRenamedAndDeletedByWhoIsSignedIn() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try await client.publish("plants", file: fakeModel(1))
                let path = "/console/models/\(id)"
                let browser = try await ConsoleClient.signedIn(client, test.admin)
                _ = try await browser.upload("\(path)/versions", files: ["model": ("b.tflite", fakeModel(2))])
                #expect(try await browser.get(path).text.contains("Version 2 was uploaded."))
                _ = try await browser.post("\(path)/promote", ["version": "1"])
                #expect(
                    try await client.send(.get, "\(TestClient.models)/\(id)").text("modelHash") == sha256(fakeModel(1))
                )
                #expect(try await browser.post("\(path)/promote", ["version": "9"]).status == 404)
                _ = try await browser.post("\(path)/details", ["name": "flowers", "tags": "a b"])
                _ = try await browser.post("\(path)/threshold", ["version": "1", "threshold": "0.4"])
                _ = try await browser.post("\(path)/publication", ["published": "false"])
                let page = try await browser.get(path).text
                #expect(
                    page.contains("<h1>flowers</h1>") && page.contains("Not published") && page.contains("<dd>0.4</dd>")
                )
                #expect(try await browser.get("\(path)/delete").text.contains("Delete flowers?"))
                #expect(try await browser.post("\(path)/delete").location == "/console/models")
                #expect(try await browser.get(path).status == 404)
                let activity = try await browser.get("/console/activity").text
                for action in ["model.promote", "model.patch", "model.threshold", "model.delete"] {
                    #expect(activity.contains(action), "\(action)")
                }
                #expect(activity.contains(">Served a version</span>") && activity.contains(">flowers</span>"))
                #expect(!activity.contains(">models/\(id)<") && !activity.contains("object.upload"))
                // Sign-ins are shown on demand.
                #expect(!activity.contains("console.sign-in"))
                for show in ["access", "all"] {
                    let shown = try await browser.get("/console/activity?show=\(show)").text
                    #expect(shown.contains("console.sign-in") && shown.contains("model.patch") == (show == "all"))
                }
                let entries = try await test.hub.records.auditLog(of: TestHub.project, limit: 3)
                #expect(entries.allSatisfy { $0.actor.hasSuffix("(test)") })
            }
        }
    }

    @Test func parametersAndConditionsAreEditedWithForms() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                func etag() async throws -> String {
                    String(
                        try #require(
                            try await browser.get("/console/config/json").text.firstMatch(
                                of: /name="etag" value="([^"]+)"/
                            )
                        ).1
                    )
                }
                func template() async throws -> ConfigTemplate {
                    let project = try await test.hub.testProject()
                    return try await test.hub.configTemplate(by: .local(project)).template
                }
                _ = try await browser.post(
                    "/console/config/conditions/%2B",
                    ["etag": try await etag(), "name": "Half", "expression": "percent <= 50", "color": "BLUE"]
                )
                let parameter = [
                    "key": "model", "type": "STRING", "description": "Which", "kind": "text", "value": "plants",
                    "kind-0": "text", "value-0": "flowers",
                ]
                _ = try await browser.post(
                    "/console/config/parameters/%2B",
                    parameter.merging(["etag": try await etag()]) { $1 }
                )
                #expect(try await template().parameters["model"]?.defaultValue == .text("plants"))
                #expect(try await template().parameters["model"]?.conditionalValues == ["Half": .text("flowers")])
                // A new name of a condition goes to the values that it has.
                _ = try await browser.post(
                    "/console/config/conditions/Half",
                    ["etag": try await etag(), "name": "Some", "expression": "percent <= 50", "color": ""]
                )
                #expect(try await template().parameters["model"]?.conditionalValues == ["Some": .text("flowers")])
                // A mistake is shown with its place, and the typed text is still there.
                let wrong = try await browser.post(
                    "/console/config/conditions/Some",
                    ["etag": try await etag(), "name": "Some", "expression": "percent <= ten", "color": ""]
                )
                #expect(wrong.status == 400 && wrong.text.contains("percent &lt;= ten</textarea>"))
                let typed = parameter.merging(["etag": try await etag(), "type": "NUMBER", "value": "ten"]) { $1 }
                let refused = try await browser.post("/console/config/parameters/model", typed)
                #expect(refused.status == 400 && refused.text.contains(">ten</textarea>"))
                _ = try await browser.post("/console/config/conditions/Some/delete", ["etag": try await etag()])
                #expect(try await template().parameters["model"]?.conditionalValues == [:])
                _ = try await browser.post("/console/config/parameters/model/delete", ["etag": try await etag()])
                #expect(try await template().parameters.isEmpty)
                _ = try await browser.post("/console/config/versions/2/rollback")
                #expect(try await template().parameters.keys.sorted() == ["model"])
                #expect(try await browser.get("/console/config/versions").text.contains("In force"))
                #expect(try await browser.get("/console/config/versions/3").text.contains("diff-added"))
            }
        }
    }

    @Test func twoPeopleWhoEditSeeBothTexts() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let anna = try await ConsoleClient.signedIn(client, test.publisher)
                let ben = try await ConsoleClient.signedIn(client, test.admin)
                let page = try await anna.get("/console/config/parameters/%2B").text
                let etag = String(try #require(page.firstMatch(of: /name="etag" value="([^"]+)"/)).1)
                let benFields = ["etag": etag, "key": "bens", "kind": "text", "value": "of Ben"]
                #expect(try await ben.post("/console/config/parameters/%2B", benFields).status == 303)
                let annaFields = ["etag": etag, "key": "annas", "kind": "text", "value": "of Anna"]
                let conflict = try await anna.post("/console/config/parameters/%2B", annaFields)
                #expect(conflict.status == 412)
                #expect(conflict.text.contains("of Ben") && conflict.text.contains("of Anna"))
                // The page's own form makes the change to the newest version.
                var again: [String: String] = [:]
                for match in conflict.text.matches(of: /<input type="hidden" name="([^"]+)" value="([^"]*)">/) {
                    again[String(match.1)] = String(match.2)
                }
                #expect(again["etag"] != etag)
                #expect(try await anna.send("/console/config/parameters/%2B", again).status == 303)
                let text = try await anna.get("/console/config/json").text
                #expect(text.contains("of Ben") && text.contains("of Anna"))

                let upload = try await anna.upload(
                    "/console/config/json",
                    ["etag": etag, "json": #"{"parameters":{"mine":{"defaultValue":{"value":"1"}}}}"#],
                    files: [:]
                )
                #expect(upload.status == 412 && upload.text.contains("of Ben") && upload.text.contains("mine"))
            }
        }
    }

    @Test func experimentsBeginShowTheirOutcomeAndEnd() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                let fields = [
                    "id": "test-1", "parameter": "model", "exposure": "50", "variant-0": "control",
                    "unchanged-0": "yes",
                    "weight-0": "1", "variant-1": "b", "value-1": "flowers", "weight-1": "1", "variant-2": "",
                    "weight-2": "1",
                ]
                #expect(
                    try await browser.post("/console/experiments", fields).location == "/console/experiments/test-1"
                )
                let twice = try await browser.post("/console/experiments", fields)
                #expect(twice.status == 409 || twice.status == 400)
                #expect(twice.text.contains("value=\"flowers\""))
                let page = try await browser.get("/console/experiments/test-1").text
                #expect(page.contains("There are no reports to compare yet") && page.contains("flowers"))
                _ = try await browser.post("/console/experiments/test-1/exposure", ["exposure": "80"])
                #expect(try await browser.get("/console/experiments/test-1").text.contains("<dd>80 %</dd>"))
                _ = try await browser.post("/console/experiments/test-1/stop", ["winner": "b"])
                #expect(try await browser.get("/console/experiments/test-1").text.contains("Stopped"))
                #expect(try await browser.get("/console/config").text.contains("flowers"))
            }
        }
    }

    /// Text that would run if any page forgot to escape it. With an accent behind the quotation mark, which are one character.
    private static let poison = "\"\u{301}'><script>alert(1)</script><img src=x onerror=alert(1)> {{7}}"

    @Test func whatPeopleTypeStaysText() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let poison = Self.poison
                let admin = try await ConsoleClient.signedIn(client, test.admin)
                let id = try await client.publish("plants", file: fakeModel())
                var replies: [TestReply] = [
                    try await admin.get("/console/models?q=\(percentEncoded(poison))"),
                    try await admin.get("/console/config?q=\(percentEncoded(poison))"),
                    try await admin.get(
                        "/console/sign-in?code=\(percentEncoded(poison))&to=\(percentEncoded(poison))"
                    ),
                    try await admin.get("/console/\(percentEncoded(poison))"),
                    try await admin.get("/console/experiments/\(percentEncoded(poison))"),
                    try await admin.get("/console/config/parameters/\(percentEncoded(poison))"),
                    try await admin.post("/console/models/\(id)/details", ["name": poison, "tags": poison]),
                    try await admin.post("/console/models/\(id)/threshold", ["version": "1", "threshold": poison]),
                    try await admin.post("/console/models/\(id)/aliases", ["version": "1", "alias": poison]),
                    try await admin.upload(
                        "/console/models",
                        ["name": poison],
                        files: ["model": (poison, fakeModel(2))]
                    ),
                    try await admin.post(
                        "/console/experiments",
                        ["id": poison, "parameter": poison, "variant-0": poison]
                    ),
                ]
                // A file's name is kept with its upload.
                let named = try await admin.upload(
                    "/console/models",
                    ["name": "other"],
                    files: ["model": ("a'<script>alert(1)</script>", fakeModel(3))]
                )
                replies.append(try await admin.get(try #require(named.location)))
                let template = ConfigTemplate.poisoned(poison)
                let project = try await test.hub.testProject()
                let published = try await test.hub.publishConfig(
                    template.json(),
                    replacing: "*",
                    by: Caller(project: project, role: .editor, actor: "x (\(poison))")
                )
                for path in [
                    "config", "config/json", "config/versions", "config/versions/1", "config/parameters/plants",
                    "config/conditions/Some%20%27of%27%20them", "activity", "experiments/%2B",
                ] { replies.append(try await admin.get("/console/\(path)")) }
                replies.append(
                    try await admin.post(
                        "/console/config/parameters/plants",
                        ["etag": "old", "key": poison, "value": poison, "kind": "text"]
                    )
                )
                replies.append(
                    try await admin.post(
                        "/console/config/conditions/%2B",
                        ["etag": published.etag, "name": poison, "expression": poison, "color": poison]
                    )
                )
                for reply in replies {
                    #expect(reply.text.contains("<script>alert") == false)
                    #expect(reply.text.contains("<img src=x") == false)
                    #expect(reply.text.contains("\"\u{301}'>") == false)
                    #expect(reply.text.utf8.contains(UInt8(ascii: "<")), "an empty page")
                }
            }
        }
    }

    @Test func anAccentBehindAQuotationMarkDoesNotHideIt() throws {
        struct Content: Sendable { var title = "\"\u{301} onfocus=\"x", text = "<\u{301}b" }
        let page = try #require(
            ConsoleTemplates.render(
                "error",
                ConsolePage(chrome: ConsoleChrome(title: "\"\u{301}", visit: nil), page: Content())
            )
        )
        #expect(page.contains("&quot;\u{301} onfocus=&quot;x"))
        #expect(page.contains("&lt;\u{301}b"))
    }
}

extension ConfigTemplate {
    /// A template with a text wherever a template may have any.
    fileprivate static func poisoned(_ text: String) -> ConfigTemplate {
        var template = ConfigTemplate()
        template.conditions = [
            .init(name: "Some 'of' them", expression: "app.id == '<script>alert(1)</script>'", tagColor: "BLUE")
        ]
        var parameter = Parameter(defaultValue: .text(text))
        parameter.conditionalValues = ["Some 'of' them": .text(text)]
        parameter.description = text
        template.parameters["plants"] = parameter
        var group = Group()
        group.description = text
        group.parameters["other"] = Parameter(defaultValue: .text(text))
        template.parameterGroups["<script>alert(1)</script>"] = group
        return template
    }
}
