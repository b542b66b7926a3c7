import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ModelHubProtocol
import Sightline
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The console in a real browser, with real models and the real processes that look at them.
@Suite(.serialized, .hangLimit, .enabled(if: Chromium.isAvailable, Chromium.reason), WithChromium())
struct ConsoleBrowserTests {
    private static let classifier = TestData.fixture("models/classifier_float_metadata.tflite")
    private static let other = TestData.fixture("models/classifier_uint8_metadata.tflite")

    /// A hub that examines and evaluates models in processes, and a page that somebody is signed in with.
    private func browse(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @escaping @Sendable (TestHub, TestClient, BrowserPage) async throws -> Void
    ) async throws {
        let browser = WithChromium.browser
        try await TestHub.withWorkers { test in
            try await test.serve { client in
                let port = try #require(client.client.port)
                try await WithChromium.$browser.withValue(browser) {
                    try await BrowserPage.with(base: "http://127.0.0.1:\(port)", sourceLocation: sourceLocation) {
                        page in
                        try await page.signIn(test.admin)
                        try await body(test, client, page)
                    }
                }
            }
        }
    }

    /// A square PNG of one color.
    private static func png(_ red: UInt8, _ green: UInt8, _ blue: UInt8, side: Int = 16) throws -> Data {
        let row = Data([red, green, blue])
        let data =
            red == green && green == blue
            ? Data(repeating: red, count: side * side * 3) : Data(Array(repeating: row, count: side * side).joined())
        return try PixelBuffer(
            format: .rgb,
            width: side,
            height: side,
            planes: [.init(data: data, bytesPerRow: side * 3)]
        ).encoded(as: .png)
    }

    /// Red, green and blue pictures, one of them in the wrong folder, and a file that is not a picture.
    private static func pictures() throws -> Data {
        var files: [(name: String, data: Data)] = []
        for shade: UInt8 in [120, 160, 200, 240] {
            files.append(("red/\(shade).png", try png(shade, 20, 20)))
            files.append(("green/\(shade).png", try png(20, shade, 20)))
            files.append(("blue/\(shade).png", try png(20, 20, shade)))
        }
        files.append(("red/<img src=x onerror=alert(1)>.png", try png(20, 220, 30)))
        files.append(("green/notes.png", Data("no picture".utf8)))
        return zipArchive(files)
    }

    @Test func aModelIsUploadedPublishedEvaluatedGivenAThresholdAndRolledBack() async throws {
        try await browse { test, client, page in
            try await page.click("New model")
            try await page.wait(for: "document.querySelector('#model-file')")
            try await page.drop(try Data(contentsOf: Self.classifier), named: "colors.tflite", on: "model-file")
            try await page.wait(for: "document.querySelector('[data-chosen]').textContent.endsWith('B')")
            try await page.press("Upload")
            try await page.wait(for: "document.querySelector('h1').textContent === 'colors'")
            #expect(try await page.text().contains("colors was uploaded."))
            try await page.press("Publish")
            #expect(try await page.text().contains("colors is published"))
            #expect(try await page.text().contains("3 labels"))
            try await page.checkAccessibility("model")

            try await page.press("Versions")
            try await page.click("Upload a new version")
            try await page.drop(try Data(contentsOf: Self.other), named: "colors2.tflite", on: "model-file")
            try await page.press("Upload")
            #expect(try await page.text().contains("Version 2 is staged."))
            try await page.checkAccessibility("model with a staged version")

            // The form offers the staged version.
            try await page.press("Evaluate")
            try await page.drop(try Self.pictures(), named: "colors.zip", on: "pictures-file")
            try await page.press("Start the evaluation")
            try await page.wait(for: "document.querySelector('#served-title')")
            #expect(try await page.evaluate("document.querySelector('.figures dd').textContent").string == "92.3 %")
            #expect(try await page.text().contains("Both versions ran on the same 13 pictures."))
            try await page.checkAccessibility("evaluation of a staged version")
            #expect(try await page.text().contains("1 file could not be used"))
            try await page.fill("threshold", "0.7")
            let shown = try await page.evaluate(
                "[...document.querySelectorAll('[data-threshold] .figures [data-output]')].map((one) => one.textContent)"
            )
            try await page.press("Use 0.70 for version 2")
            #expect(try await page.text().contains("The confidence threshold of version 2 is 0.7."))
            // Without the slider the hub says the same.
            let served = try await page.evaluate(
                "[...document.querySelectorAll('[data-threshold] .figures [data-output]')].map((one) => one.textContent)"
            )
            #expect(shown == served && shown.array.count == 4)

            try await page.open(
                try #require(
                    try await page.evaluate(
                        "document.querySelector('.matrix a[aria-label*=\"red mistaken for green\"]').pathname"
                    ).string
                )
            )
            try await page.wait(for: "[...document.images].every((one) => one.complete && one.naturalWidth > 0)")
            #expect(try await page.text().contains("<img src=x onerror=alert(1)>.png"))
            try await page.checkAccessibility("pictures of a cell")

            try await page.press("colors")
            #expect(try await page.text().contains("Staged version 2: 92.3 % right on 13 pictures"))
            try await page.press("Versions")
            try await page.press("Serve version 2")
            #expect(try await page.text().contains("The hub serves version 2."))
            #expect(try await page.text().contains("0.7"))
            try await page.press("Serve version 1")
            #expect(try await page.text().contains("The hub serves version 1."))
            let reply = try await client.send(.get, "\(TestClient.models)?filter=displayName=colors")
            let models = try #require(reply.value("models") as? [[String: Any]])
            #expect(models.first?["modelHash"] as? String == sha256(try Data(contentsOf: Self.classifier)))
        }
    }

    @Test func aWebhookIsAddedTestedAndRemoved() async throws {
        try await browse { _, _, page in
            try await page.open("/console/webhooks")
            try await page.fill("address", "http://10.0.0.1/receiver")
            try await page.evaluate("document.getElementById('event-model-drifted').click()")
            try await page.checkAccessibility("new webhook")
            try await page.press("Add the webhook")
            #expect(try await page.evaluate("document.getElementById('secret').value.length").number == 64)
            try await page.checkAccessibility("secret of a webhook")
            try await page.press("I have copied it")
            #expect(try await page.text().contains("Gets model.drifted."))
            try await page.press("Send a test event")
            #expect(
                try await page.text().contains(
                    "The receiver has not accepted the test event: its host is in a private network."
                )
            )
            try await page.checkAccessibility("tested webhook")
            try await page.press("Remove")
            try await page.press("Remove the webhook")
            #expect(try await page.text().contains("There are no webhooks."))
        }
    }

    @Test func aRolloutIsChosenAndOtherLabelsAreShownFirst() async throws {
        try await browse { test, client, page in
            let id = try await client.publish("colors", file: try Data(contentsOf: Self.classifier))
            let browser = try await ConsoleClient.signedIn(client, test.admin)
            let labels = Data("red\nlime\nblue\n".utf8)
            let file = try Data(contentsOf: TestData.fixture("models/classifier_float.tflite"))
            let reply = try await browser.upload(
                "/console/models/\(id)/versions",
                ["stage": "yes"],
                files: ["model": ("b.tflite", file), "labels": ("labels.txt", labels)]
            )
            #expect(reply.status == 303, "\(reply.text)")
            try await page.open("/console/models/\(id)")
            try await page.press("Roll out a version")
            try await page.checkAccessibility("new rollout")
            try await page.press("Start the rollout")
            #expect(try await page.text().contains("green becomes lime"))
            try await page.checkAccessibility("other labels")
            try await page.press("Start the rollout")
            #expect(try await page.text().contains("The rollout is running"))
            try await page.checkAccessibility("rollout without devices")
            #expect(try await page.text().contains("Too few devices"))
            try await page.press("Return all devices to version 1")
            try await page.open("/console/models/\(id)/versions")
            try await page.press("Serve version 2")
            #expect(try await page.text().contains("green becomes lime"))
            try await page.press("Serve version 2")
            #expect(try await page.text().contains("The hub serves version 2."))
        }
    }

    @Test func theDeliveriesOfAWebhookAreShownAndToldAgain() async throws {
        try await browse { test, client, page in
            // The inner network, where the hub sends nothing.
            let input: [String: Any] = [
                "address": "http://10.0.0.1/a/receiver/of/changes", "events": ["model.published"],
            ]
            let added = try await client.send(.post, "/hub/v1/projects/my-plants/webhooks", json: input)
            #expect(added.status == 200)
            let model = try Data(contentsOf: Self.classifier)
            _ = try await client.publish("plants", file: model)
            try await test.hub.deliverWebhooks()
            try await page.press("Webhooks")
            #expect(try await page.text().contains("Failed once"))
            try await page.checkAccessibility("webhooks")
            try await page.press("http://10.0.0.1/a/re…")
            #expect(try await page.text().contains("its host is in a private network"))
            try await page.checkAccessibility("a webhook")
            let number = try await page.evaluate("document.querySelector('[name=number]').value").string ?? ""
            try await page.press("Deliver again from here, change \(number)")
            #expect(try await page.text().contains("The webhook gets the changes again, from change \(number) on."))
        }
    }

    @Test func linesAndZonesAreDrawnOnATriedPhotoInItsOwnPixels() async throws {
        try await browse { _, client, page in
            let model = try Data(contentsOf: TestData.fixture("models/ssd_metadata.tflite"))
            let id = try await client.publish("finder", file: model)
            try await page.open("/console/models/\(id)/try")
            // The page shows a copy of 1024 pixels.
            try await page.drop(try Self.png(200, 40, 40, side: 2048), named: "<yard>.png", on: "picture-file")
            try await page.press("Try it")
            try await page.wait(for: "document.querySelector('.zone-drawing')")
            try await page.click("Draw lines and zones on this photo")
            try await page.click("Put a line in the middle")
            let options = "document.querySelector('#command').textContent"
            try await page.wait(for: "\(options).startsWith('--line')")
            #expect(try await page.evaluate(options).string == "--line 'line 1=1024,614,1024,1434'")
            try await page.click("Zone")
            try await page.click("Put a zone in the middle")
            let entries = try await page.evaluate("document.querySelector('#yaml').textContent").string
            #expect(
                entries?.contains("\"zone 1\": \"717,717 1331,717 1331,1331 717,1331\"") == true,
                "\(entries ?? "")"
            )
            try await page.checkAccessibility("lines and zones on a tried photo")
        }
    }

    @Test func anExperimentIsStartedWatchedAndStopped() async throws {
        try await browse { test, client, page in
            _ = try await client.publish("plants", file: try Data(contentsOf: Self.classifier))
            let id = try await client.publish("flowers", file: try Data(contentsOf: Self.other))
            // From the model's page, with the model as the second variant.
            try await page.open("/console/models/\(id)")
            try await page.press("Experiment with it")
            #expect(try await page.evaluate("document.getElementById('value-1').value").string == "flowers")
            try await page.checkAccessibility("experiment with a model")
            try await page.open("/console/experiments")
            try await page.press("Start the first experiment")
            try await page.fill("id", "flowers-1")
            try await page.fill("new-parameter", "plant_model")
            try await page.evaluate("document.getElementById('unchanged-0').click()")
            try await page.fill("value-0", "plants")
            try await page.fill("value-1", "flowers")
            try await page.checkAccessibility("new experiment")
            try await page.press("Start the experiment")
            #expect(try await page.text().contains("The experiment is running"))
            #expect(try await page.text().contains("There are no reports to compare yet"))

            // Two hundred installations report; those with flowers are faster, and are liked as much.
            for number in 0..<200 {
                let (variant, latency) = number.isMultiple(of: 2) ? ("control", 50.0) : ("b", 30.0)
                let times = [latency - Double(number % 7), latency, latency + Double(number % 5)]
                let liked = number % 5 == 0 ? 0 : 1
                let outcome: [String: Any] = [
                    "experimentId": "flowers-1", "variantId": variant, "model": variant == "b" ? "flowers" : "plants",
                    "count": 3,
                    "latency": [
                        "count": 3, "sum": times.reduce(0, +), "squares": times.reduce(0) { $0 + $1 * $1 },
                        "histogram": ["70": 3],
                    ],
                    "scores": ["liked": ["count": 3, "sum": 3 * liked, "squares": 3 * liked]],
                ]
                let batch: [String: Any] = ["batchId": "batch-\(1_000_000 + number)", "outcomes": [outcome]]
                let reply = try await client.send(.post, "/hub/v1/projects/\(TestHub.project)/outcomes", json: batch)
                #expect(reply.status == 200)
            }
            try await page.press("Refresh")
            let text = try await page.text()
            #expect(text.contains("Latency: b is better than control"))
            #expect(text.contains("Liked: no significant difference"))
            try await page.checkAccessibility("experiment")
            try await page.checkKeyboard("experiment")
            try await page.evaluate("document.getElementById('winner').value = 'b'")
            try await page.press("Stop the experiment")
            #expect(try await page.text().contains("all installations get the value of the variant b"))
            try await page.open("/console/config/parameters/plant_model")
            #expect(try await page.evaluate("document.getElementById('value').value").string == "flowers")
        }
    }

    @Test func aFasterVersionIsChosenAndTheOriginalServedAgain() async throws {
        let model = TestData.fixture("models/uint8_classifier.tflite")
        try await browse { _, client, page in
            let id = try await client.publish("digits", file: try Data(contentsOf: model))
            try await page.open("/console/models/\(id)/evaluate")
            #expect(try await page.text().contains("An evaluation measures both forms."))
            let pictures = zipArchive([
                (name: "class 1/1.png", data: try Self.png(200, 10, 10)),
                (name: "class 2/2.png", data: try Self.png(10, 200, 10)),
            ])
            try await page.drop(pictures, named: "digits.zip", on: "pictures-file")
            try await page.press("Start the evaluation")
            try await page.wait(for: "document.querySelector('#faster-title')")
            try await page.checkAccessibility("evaluation with a faster version")
            try await page.press("Serve the faster version")
            #expect(try await page.text().contains("The hub serves the faster version as version 2; version 1 is kept"))
            try await page.checkAccessibility("model with a faster version")
            try await page.press("Serve version 1")
            #expect(try await page.text().contains("The hub serves version 1."))
        }
    }

    @Test func aDetectorIsEvaluatedAndItsFasterVersionChosen() async throws {
        try await browse { _, client, page in
            let id = try await client.publish("street", file: try BoxPictures.rewritable())
            try await page.open("/console/models/\(id)/evaluate")
            try await page.drop(try BoxPictures.archive(), named: "street.zip", on: "pictures-file")
            try await page.press("Start the evaluation")
            try await page.wait(for: "document.querySelector('#faster-title')")
            #expect(try await page.text().contains("AP50 of any object"))
            try await page.checkAccessibility("evaluation of a detector")
            try await page.press("Serve the faster version")
            #expect(try await page.text().contains("The hub serves the faster version as version 2; version 1 is kept"))

            let other = try await client.publish("cars", file: try Data(contentsOf: BoxPictures.detector))
            try await page.open("/console/models/\(other)/evaluate")
            try await page.drop(try BoxPictures.archive(), named: "street.zip", on: "pictures-file")
            try await page.press("Start the evaluation")
            try await page.wait(for: "document.querySelector('#gallery-title')")
            let drawn =
                "[...document.querySelectorAll('svg.boxes rect')].filter((one) => one.getBoundingClientRect().width > 10).length"
            // The second picture has a mistake: a right box, and a wrong one.
            #expect(try await page.evaluate(drawn).number == 2)
            try await page.wait(
                for:
                    "[...document.querySelectorAll('svg.boxes image')].every((one) => one.getBoundingClientRect().width > 50)"
            )
            try await page.checkAccessibility("pictures with boxes")
            try await page.fill("threshold", "0.85")
            #expect(try await page.text().contains("Use 0.85 for version 1"))
        }
    }

    @Test func thePagesAboutAccessAreForEveryone() async throws {
        try await browse { test, _, page in
            let project = try await test.hub.testProject()
            _ = try await test.hub.grant(.publisher, to: "ada@example.com", in: project, by: .local)
            let pages = [
                "people", "people/ada%40example.com/remove", "keys", "projects", "sessions", "tokens", "your-sessions",
            ]
            for path in pages {
                try await page.open("/console/\(path)")
                try await page.checkAccessibility(path)
            }
            for path in ["people", "keys", "projects"] {
                try await page.open("/console/\(path)")
                try await page.checkKeyboard(path)
            }
        }
    }

    @Test func photosBecomeAModelAndALabelIsCorrectedWithAKey() async throws {
        try await browse { test, _, page in
            try await page.open("/console/datasets")
            try await page.checkAccessibility("data sets")
            try await page.fill("name", "plants")
            try await page.press("Create")
            try await page.wait(for: "document.querySelector('h1').textContent === 'plants'")
            try await page.drop(try DrawnPhotos.archive(), named: "photos.zip", on: "photos-file")
            try await page.press("Add")
            try await page.wait(for: "document.body.innerText.includes('24 photos added.')")
            try await page.checkAccessibility("data set")
            let first = "document.querySelector('[data-photo]')"
            _ = try await page.evaluate(
                "\(first).focus(), \(first).dispatchEvent(new KeyboardEvent('keydown', {key: '3', bubbles: true}))"
            )
            try await page.wait(for: "\(first).querySelector('[data-label]').textContent === 'red'")
            let dataSet = try #require(try await test.hub.records.dataSet("plants", of: TestHub.project))
            let counts = try await test.hub.records.counts(ofDataSet: dataSet.id)
            #expect(counts.labels.map(\.count) == [7, 8, 9])
            try await page.press("Train")
            try await page.wait(for: "document.querySelector('[data-poll-text]')")
            try await page.checkAccessibility("training")
            #expect(try await test.hub.runNextTraining(as: "this hub")?.state == .done)
            try await page.wait(for: "document.body.innerText.includes('Look at these first')")
            try await page.checkAccessibility("trained data set")
        }
    }

    @Test func boxesAreProposedDrawnMovedLabeledAndSaved() async throws {
        try await browse { test, client, page in
            let sets = DataSetTests.dataSets
            _ = try await client.send(.post, sets, json: ["name": "parts"])
            for number in 1...2 {
                let scene = try DrawnPhotos.scene(number).data
                _ = try await client.send(.post, "\(sets)/parts/photos?name=\(number).png", body: scene)
            }
            let id = sha256(try DrawnPhotos.scene(1).data)
            try await page.open("/console/datasets/parts/boxes/\(id)")
            let shapes = "[...document.querySelectorAll('.drawn-box')]"
            try await page.wait(for: "document.querySelector('.is-proposal')")
            try await page.checkAccessibility("proposals of boxes")
            // Proposals do not count as drawn.
            try await page.press("Save")
            let set = try #require(try await test.hub.records.dataSet("parts", of: TestHub.project))
            let hash = try #require(BlobHash(id))
            func saved() async throws -> [PhotoBox]? {
                try await test.hub.records.photo(hash, ofDataSet: set.id)?.boxes
            }
            #expect(try await saved() == [])
            // A box in the middle gets a new label, is moved by a key, and made wider by another.
            try await page.click("New box in the middle")
            try await page.fill("box-label", "brick")
            _ = try await page.evaluate("document.querySelector('#box-label').dispatchEvent(new Event('change'))")
            try await page.wait(for: "\(shapes)[0].textContent.includes('brick')")
            let keys =
                "((name, shift) => \(shapes)[0].dispatchEvent(new KeyboardEvent('keydown', {key: name, shiftKey: shift, bubbles: true})))"
            _ = try await page.evaluate("\(keys)('ArrowLeft', false), \(keys)('ArrowRight', true)")
            try await page.checkAccessibility("a drawn box")
            // A drag draws another one, which a key names.
            let drag = """
                ((from, to) => {
                  const board = document.querySelector('[data-board]'), frame = board.getBoundingClientRect();
                  const send = (name, [x, y]) => board.dispatchEvent(new PointerEvent(name, {bubbles: true, pointerId: 1, button: 0, clientX: frame.left + x * frame.width, clientY: frame.top + y * frame.height}));
                  board.setPointerCapture = () => {};
                  send('pointerdown', from); send('pointermove', to); send('pointerup', to);
                })
                """
            _ = try await page.evaluate("\(drag)([.05, .05], [.2, .2])")
            try await page.wait(for: "\(shapes).length === 2")
            _ = try await page.evaluate(
                "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '1', bubbles: true}))"
            )
            try await page.press("Save")
            let boxes = try #require(try await saved())
            #expect(boxes.map(\.label) == ["brick", "brick"])
            #expect(boxes[0].x < 320 * 0.35 && boxes[0].width > 320 * 0.3)
            #expect(abs(boxes[1].width - boxes[1].height) < 20 && boxes[1].x < 40, "\(boxes[1])")
            // A key removes, and the next photo without boxes follows.
            _ = try await page.evaluate(
                "\(shapes)[0].dispatchEvent(new KeyboardEvent('keydown', {key: 'Delete', bubbles: true}))"
            )
            try await page.press("Save, next photo")
            let other = sha256(try DrawnPhotos.scene(2).data)
            try await page.wait(for: "location.pathname.endsWith('\(other)')")
            #expect(try await saved()?.count == 1)
            try await page.open("/console/datasets/parts")
            try await page.wait(for: "document.querySelector('.photo-boxes rect')")
            try await page.checkAccessibility("a data set of boxes")
        }
    }

    @Test func anEvaluationGoesOnWithoutTheBrowserAndCanBeCancelled() async throws {
        try await browse { test, client, page in
            let id = try await client.publish("colors", file: try Data(contentsOf: Self.classifier))
            // Nine million pixels take a while each.
            let large = try Self.png(0, 0, 0, side: 3000)
            let many = zipArchive((0..<400).map { (name: "red/\($0).png", data: large) })
            try await page.open("/console/models/\(id)")
            let browser = try await ConsoleClient.signedIn(client, test.admin)
            let reply = try await browser.upload(
                "/console/models/\(id)/evaluations",
                files: ["pictures": ("many.zip", many)]
            )
            try await page.open(try #require(reply.location))
            try await page.wait(
                for: "document.querySelector('[data-poll-text]').textContent.includes(' of 400 pictures')"
            )
            try await page.checkAccessibility("running evaluation")
            try await page.open("/console/models")
            try await page.open(try #require(reply.location))
            try await page.press("Cancel the evaluation")
            try await page.wait(
                for: "document.body.innerText.includes('The evaluation was canceled; it has no result.')"
            )
            try await page.press("Delete evaluation")
            #expect(try await page.text().contains("The evaluation was deleted."))
            #expect(try await test.hub.evaluationFiles.evaluations() == [])
        }
    }

    @Test func everyPageIsForEveryone() async throws {
        try await browse { test, client, page in
            let id = try await client.publish("plants", file: try Data(contentsOf: Self.classifier))
            _ = try await client.create("broken", file: fakeModel(), tags: ["one", "two"])
            let project = try await test.hub.testProject()
            let template = """
                {"conditions": [{"name": "Some", "expression": "percent <= 10", "tagColor": "BLUE"}],
                 "parameters": {"plant_model": {"defaultValue": {"value": "plants"}, "description": "Which",
                   "conditionalValues": {"Some": {"value": "\(String(repeating: "flowers", count: 20))"}}}}}
                """
            for json in [template, template.replacing("<= 10", with: "<= 20")] {
                _ = try await test.hub.publishConfig(json, replacing: "*", by: .local(project))
            }
            let pages = [
                "models", "models?q=none", "models/new", "models/\(id)", "models/\(id)/versions", "models/\(id)/try",
                "models/\(id)/use", "models/\(id)/evaluate", "models/\(id)/data", "models/\(id)/settings",
                "models/\(id)/delete", "config",
                "config/parameters/plant_model", "config/parameters/%2B", "config/conditions/Some", "config/json",
                "config/versions", "config/versions/1", "config/versions/2", "experiments", "activity",
            ]
            for path in pages {
                try await page.open("/console/\(path)")
                try await page.checkAccessibility(path)
            }
            // Anchors from when the page had no parts.
            try await page.open("/console/models/\(id)#threshold-title")
            try await page.wait(for: "location.pathname.endsWith('/settings') && location.hash === '#threshold-title'")
            for path in ["models", "models/\(id)", "models/\(id)/versions", "config"] {
                try await page.open("/console/\(path)")
                try await page.checkKeyboard(path)
            }
            try await page.evaluate("document.querySelector('.account').open = true")
            try await page.checkAccessibility("account")
            try await page.press("Sign out")
            try await page.checkAccessibility("sign-in")
            try await page.open(try await test.hub.makeSignInLink(for: project))
            try await page.checkAccessibility("sign-in link")
            try await page.press("Sign in")
            try await page.wait(for: "location.pathname === '/console/models'")
        }
    }
}

extension BrowserPage {
    /// Signs in with a token.
    func signIn(_ token: String) async throws {
        try await open("/console")
        try await fill("token", token)
        try await press("Sign in")
        try await wait(for: "location.pathname === '/console/models'")
    }
}
