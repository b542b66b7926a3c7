import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Moments of a recording become the labeler of a thing on the page of `sightline zones`.
@Suite(.serialized, .hangLimit, .enabled(if: Chromium.isAvailable, Chromium.reason), WithChromium())
struct ZonesStateTests {
    private static let start = TestData.fixture("models/classifier_float_metadata.tflite").path

    /// A recording of a door that is red while closed and green while open, by day and in the dark.
    private func recording(in folder: URL) throws {
        let size = PixelSize(width: 96, height: 64)
        let writer = try VideoWriter(
            url: folder.appending(path: "yard.mp4"),
            like: VideoInfo(size: size, frameRate: 5)
        )
        for second in 0..<16 {
            let light = [220, 180, 60, 40][second / 4]
            let isOpen = second % 4 >= 2
            for frame in 0..<5 {
                let shade = UInt8(light + 4 * frame)
                let door: [UInt8] = isOpen ? [0, shade, 9] : [shade, 0, 9]
                let wall: [UInt8] = [shade, shade, shade]
                var bytes = Data()
                for _ in 0..<size.height {
                    for column in 0..<size.width { bytes.append(contentsOf: column < 48 ? door : wall) }
                }
                let pixels = try PixelBuffer(
                    format: .rgb,
                    width: size.width,
                    height: size.height,
                    planes: [.init(data: bytes, bytesPerRow: size.width * 3)]
                )
                let time = Duration.milliseconds(1000 * second + 200 * frame)
                let image = VisionImage(pixels: pixels)
                try writer.append(VideoFrame(image: image, timestamp: time, index: 5 * second + frame))
            }
        }
        try writer.finish()
    }

    @Test func twentyClicksMakeASensor() async throws {
        try await withTemporaryFolder { folder in
            try recording(in: folder)
            try await ZonesServer.with(["yard.mp4", "--start", Self.start, "--models", "."], in: folder) { server in
                try await BrowserPage.with(base: server.address) { page in
                    try await page.open("/")
                    // A zone around the left half.
                    try await page.evaluate(
                        """
                        shapes.push({ kind: "zone", name: "door", color: 0, points: [[4, 4], [44, 4], [44, 60], [4, 60]] });
                        build();
                        """
                    )
                    try await page.wait(for: "document.getElementById('state-zone').value === 'door'")
                    try await page.click("Find moments")
                    try await page.wait(for: "document.querySelectorAll('[data-moment]').length === 20")
                    try await page.checkAccessibility("zones-moments")
                    // Each moment gets the label of its color.
                    let clicks = try await page.evaluate(
                        """
                        (async () => {
                          let clicks = 0;
                          for (const card of document.querySelectorAll("[data-moment]")) {
                            const picture = card.querySelector("img");
                            await picture.decode();
                            const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
                            const context = canvas.getContext("2d");
                            context.drawImage(picture, 0, 0, 1, 1);
                            const [red, green] = context.getImageData(0, 0, 1, 1).data;
                            card.querySelectorAll("button")[red > green ? 0 : 1].click();
                            clicks += 1;
                          }
                          return clicks;
                        })()
                        """
                    )
                    #expect(clicks.number == 20)
                    try await page.click("Train with 20 moments")
                    try await page.wait(for: "!document.getElementById('learned').hidden")
                    let yaml = try await page.evaluate("document.getElementById('state-yaml').textContent").string ?? ""
                    #expect(
                        yaml.contains(#"door: {region: "4,4,40,56", model: "#) && yaml.contains("every: 1s, for: 3s}")
                    )
                    let figures = try await page.evaluate("document.getElementById('figures').textContent").string ?? ""
                    #expect(figures.contains("Held-out moments: ") && figures.contains(" of 20 right"), "\(figures)")
                    #expect(figures.contains("By day (a mean brightness of 70 of 255 or more): "))
                    #expect(figures.contains("By night (less): "))
                    try await page.checkAccessibility("zones-learned")
                    // The entry is what `sightline watch` reads.
                    let text = """
                        cameras:
                          yard:
                            input: yard.mp4
                            model: \(Command.detector)
                            events: events.jsonl
                        \(yaml.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
                        """
                    try Data(text.replacing("every: 1s, for: 3s", with: "every: 0.2s, for: 1s").utf8)
                        .write(to: folder.appending(path: "cameras.yaml"))
                    let watched = try await Command.run(["watch", "cameras.yaml"], in: folder)
                    #expect(watched.status == 0, "\(watched.errors)")
                    let states = try String(contentsOf: folder.appending(path: "events.jsonl"), encoding: .utf8)
                        .split(separator: "\n").filter { $0.contains(#""event":"state""#) }
                    #expect(states.count == 8, "\(watched.output)")
                    let examples = try FileManager.default.subpathsOfDirectory(
                        atPath: folder.appending(path: "door-examples").path
                    )
                    #expect(examples.count { $0.hasSuffix(".jpg") } == 20)
                }
            }
        }
    }
}

/// The requests of the page, from elsewhere.
@Suite(.hangLimit) struct ZonesStateRequestTests {
    private static let video = TestData.fixture("videos/h264-aac.mp4").path

    private func post(_ path: String, _ body: String, type: String = "application/json") -> String {
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func otherPagesCannotStartAnything() async throws {
        try await ZonesServer.with([Self.video]) { server in
            let search = #"{"region":[0,0,10,10],"more":false}"#
            let simple = try server.answer(post("/moments", search, type: "text/plain"))
            #expect(simple.hasPrefix("HTTP/1.1 405 "))
            #expect(try server.text("/progress").contains(#""stage":"idle""#))
            let wrong = try server.answer(post("/moments", "{}"))
            #expect(wrong.hasPrefix("HTTP/1.1 405 "))
            let long = try server.answer(post("/moments", String(repeating: "x", count: 70_000)))
            #expect(long.hasPrefix("HTTP/1.1 413 "))
            let found = try server.answer(post("/moments", search))
            #expect(found.hasPrefix("HTTP/1.1 200 ") && found.contains(#""stage":"reading""#))
        }
    }

    @Test(arguments: [
        (#"{"name":"../gate","labels":{"0":"open"}}"#, "becomes a folder"),
        (#"{"name":"gate","labels":{"0":"../open"}}"#, "A label has at most"),
    ]) func namesStayInTheFolder(lesson: String, words: String) async throws {
        try await ZonesServer.with([Self.video]) { server in
            let answer = try server.answer(post("/train", lesson))
            #expect(answer.contains(#""stage":"failed""#) && answer.contains(words), "\(answer)")
        }
    }
}
