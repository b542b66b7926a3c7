import Foundation
import SightlineTestSupport
import Testing

/// `sightline watch` as a process, on files and on a camera that cannot be reached.
@Suite(.hangLimit) struct WatchCommandTests {
    /// A folder with the file `cameras.yaml`.
    private func withFile(_ text: String, _ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try Data(text.utf8).write(to: folder.appending(path: "cameras.yaml"))
            try await body(folder)
        }
    }

    private func watch(_ arguments: [String] = [], in folder: URL) async throws -> Command.Result {
        try await Command.run(["watch", "cameras.yaml"] + arguments, in: folder)
    }

    private let video = TestData.fixture("videos/h264-aac.mp4").path

    private func lines(_ name: String, in folder: URL) throws -> [[String: Any]] {
        try String(decoding: Data(contentsOf: folder.appending(path: name)), as: UTF8.self).split(separator: "\n")
            .map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    }

    private static func ids(_ events: [[String: Any]]) -> [String] { events.compactMap { $0["uid"] as? String } }

    @Test func writesTheEventsOfAllCamerasAndEndsWithTheirFiles() async throws {
        let text = """
            defaults: {model: \(Command.detector)}
            events: all.jsonl
            cameras:
              door: {input: \(video)}
              yard: {input: \(video), every: 5, zone: {all: "0,0 10000,0 10000,10000 0,10000"}, events: yard.jsonl}
            """
        try await withFile(text) { folder in
            let result = try await watch(in: folder)
            #expect(result.status == 0)
            let all = try lines("all.jsonl", in: folder)
            #expect(Set(all.compactMap { $0["camera"] as? String }) == ["door", "yard"])
            #expect(Set(Self.ids(all)).count == all.count)
            let yard = try lines("yard.jsonl", in: folder)
            let ofYard = all.filter { $0["camera"] as? String == "yard" }
            #expect(Self.ids(yard) == Self.ids(ofYard))
            #expect(yard.count { $0["event"] as? String == "beganInside" } == 2)
            #expect(yard.count { $0["event"] as? String == "endedInside" } == 2)
            #expect(result.output.contains("door: "))
        }
    }

    @Test func goesOnInTheFilesOfAnEarlierRun() async throws {
        let text = """
            cameras:
              door:
                input: \(video)
                model: \(Command.detector)
                events: door.jsonl
                line: {gate: "0,0,0,100"}
                counts: counts.csv
            """
        try await withFile(text) { folder in
            _ = try await watch(in: folder)
            let events = folder.appending(path: "door.jsonl")
            let first = try Data(contentsOf: events)
            // A kill left a torn line.
            try (first + Data("{\"uid\":\"torn".utf8)).write(to: events)
            let result = try await watch(in: folder)
            #expect(result.status == 0)
            let second = try Data(contentsOf: events)
            #expect(second.starts(with: first))
            let count = first.count { $0 == UInt8(ascii: "\n") }
            #expect(try lines("door.jsonl", in: folder).count == 2 * count)
            let counts = try String(contentsOf: folder.appending(path: "counts.csv"), encoding: .utf8).split(
                separator: "\n"
            )
            #expect(counts.count == 3)
            #expect(counts.count { $0.hasPrefix("start,") } == 1)
        }
    }

    @Test func keepsAsManyPicturesAsTheFileSays() async throws {
        let text = """
            cameras:
              door:
                input: \(video)
                model: \(Command.detector)
                pictures: {folder: pictures, most: 1}
            """
        try await withFile(text) { folder in
            let pictures = folder.appending(path: "pictures")
            try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: false)
            try Data().write(to: pictures.appending(path: "2020-01-01T00-00-00.000Z-door-appeared-7.jpg"))
            try Data().write(to: pictures.appending(path: "mine.jpg"))
            #expect(try await watch(in: folder).status == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: pictures.path).sorted()
            #expect(names.count == 2)
            #expect(names.last == "mine.jpg")
            #expect(names.first?.contains("-door-appeared-") == true)
            #expect(names.first?.hasPrefix("2020") == false)
        }
    }

    @Test func aCameraThatCannotBeReachedDoesNotStopTheOthers() async throws {
        let text = """
            cameras:
              gone: {input: "rtsp://127.0.0.1:1/", model: \(Command.detector)}
              door: {input: \(video), model: \(Command.detector), events: door.jsonl}
            """
        try await withFile(text) { folder in
            let process = try await Command.program.start(["watch", "cameras.yaml"], in: folder)
            try await process.waitForErrors { $0.contains("door: the end is reached") && $0.contains("gone: ") }
            process.send(signal: SIGTERM)
            let result = try await process.result()
            #expect(result.status == 143)
            #expect(try lines("door.jsonl", in: folder).isEmpty == false)
            #expect(result.errors.contains("The next try is in"))
        }
    }

    @Test func readsAChangedFileAgain() async throws {
        let text = "cameras:\n  gone: {input: \"rtsp://127.0.0.1:1/\", model: \(Command.detector)}\n"
        try await withFile(text) { folder in
            let process = try await Command.program.start(["watch", "cameras.yaml"], in: folder)
            try await process.waitForErrors { $0.contains("watching 1 camera: gone") }
            let file = folder.appending(path: "cameras.yaml")
            try Data((text + "  door: {input: a.mp4, every: often}").utf8).write(to: file)
            try await process.waitForErrors { $0.contains("the previous configuration stays in use") }
            try Data((text + "  door: {input: \(video), model: \(Command.detector)}").utf8).write(to: file)
            try await process.waitForErrors {
                $0.contains("read again: 2 cameras: gone, door") && $0.contains("door: the end")
            }
            process.send(signal: SIGINT)
            #expect(try await process.result().status == 130)
        }
    }

    @Test func movesEventsOfAFileToAnotherQueue() async throws {
        let text = """
            events: all.jsonl
            mqtt: mqtt://127.0.0.1:1/sightline
            queue: first
            cameras:
              gone: {input: "rtsp://127.0.0.1:1/", model: \(Command.detector)}
            """
        try await withFile(text) { folder in
            let process = try await Command.program.start(["watch", "cameras.yaml"], in: folder)
            try await process.waitForErrors { $0.contains("watching 1 camera: gone") }
            let changed = text.replacing("first", with: "second")
            try Data(changed.utf8).write(to: folder.appending(path: "cameras.yaml"))
            try await process.waitForErrors { $0.contains("read again") }
            process.send(signal: SIGINT)
            #expect(try await process.result().status == 130)
            let second = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "second").path)
            #expect(second.contains { $0.hasPrefix("file-") })
        }
    }

    @Test func namesEventsThatWaitForADestination() async throws {
        let (listener, port) = try Loopback.listener()
        close(listener)
        let cameras = "queue: waiting\ncameras:\n  door: {input: \(video), model: \(Command.detector)}\n"
        try await withFile("webhook: http://127.0.0.1:\(port)\n\(cameras)") { folder in
            let waiting = "\(folder.path)/waiting/webhook"
            let first = try await watch(in: folder)
            #expect(first.status == 1)
            #expect(first.errors.contains("; 4 not delivered (4 wait in \(waiting) for the next run)"))
            // The next run has another destination, in the place of the first.
            try Data("events: all.jsonl\n\(cameras)".utf8).write(to: folder.appending(path: "cameras.yaml"))
            let next = try await watch(in: folder)
            #expect(next.status == 0)
            #expect(next.errors.contains("4 events of an earlier run wait in \(waiting) for a destination that this"))
        }
    }

    @Test func writesMetrics() async throws {
        let text = """
            metrics: sightline.prom
            events: all.jsonl
            cameras:
              door: {input: \(video), model: \(Command.detector)}
            """
        try await withFile(text) { folder in
            #expect(try await watch(in: folder).status == 0)
            let text = try String(contentsOf: folder.appending(path: "sightline.prom"), encoding: .utf8)
            #expect(text.contains("sightline_camera_frames_total{camera=\"door\"} 20\n"))
            #expect(text.contains("sightline_camera_events_total{camera=\"door\",event=\"appeared\"} 2\n"))
            #expect(text.contains("sightline_events_dropped_total{destination=\"all.jsonl\"} 0\n"))
        }
    }

    // MARK: Mistakes

    /// A file with mistakes, and the messages for them.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let text: String
        let messages: [String]
        var testDescription: String { messages.first ?? "" }
    }

    private static let mistakes = [
        Mistake(text: "", messages: ["cameras.yaml:1: The file has no entries; it needs the entry cameras."]),
        Mistake(
            text: "a: [",
            messages: ["cameras.yaml:2: This is not valid YAML: did not find expected node content."]
        ),
        Mistake(
            text: "camera:\n  door: {input: a.mp4}\n",
            messages: [
                "cameras.yaml:1: The file has no cameras; add the entry cameras, with a name and an input for each.",
                "cameras.yaml:1: The file has no entry camera; did you mean cameras?",
            ]
        ),
        Mistake(
            text: """
                cameras:
                  door:
                    input: a.mp4
                    every: often
                    zones: "1,2"
                  the yard: {input: b.mp4}
                  gate: {every: 3}
                """,
            messages: [
                "cameras.yaml:4: The value 'often' is invalid for '--every <n>'.",
                "cameras.yaml:5: The camera door has no entry zones; did you mean zone?",
                "cameras.yaml:6: A camera's name has at most 64 characters: English letters, digits, - and _.",
                "cameras.yaml:7: The camera gate has no input; add its address, for example input: rtsp://door.local/.",
            ]
        ),
        Mistake(
            text: "cameras:\n  door:\n    input: a.mp4\n    counts: a.csv\n    period: 1h\n",
            messages: ["cameras.yaml:4: --counts needs a --line, a --zone or a --state."]
        ),
        Mistake(
            text: "cameras:\n  door: {input: \"rtsp://u:${NO_SUCH_PASSWORD}@h/\", schedule: daily, motion: {a: [1]}}\n",
            messages: [
                "cameras.yaml:2: A schedule has days and times, for example Mon-Fri 08:00-18:00, Sat 10:00-14:00.",
                "cameras.yaml:2: The variable NO_SUCH_PASSWORD is not set; set it, or write the value into the file.",
            ]
        ),
        Mistake(
            text: "cameras: {door: {input: a.mp4}, door: {input: b.mp4}}",
            messages: ["cameras.yaml:1: This is not valid YAML: the key door appears twice."]
        ),
    ]

    @Test(arguments: mistakes) func namesEachMistakeWithItsLine(mistake: Mistake) async throws {
        try await withFile(mistake.text) { folder in
            let result = try await watch(["--check"], in: folder)
            #expect(result.status == 2)
            #expect(
                result.errors.split(separator: "\n").map(String.init) == mistake.messages.map { "sightline: " + $0 }
            )
        }
    }

    @Test func checksAFileWithoutWatching() async throws {
        let text = "cameras:\n  door: {input: \"rtsp://127.0.0.1:1/\", model: \(Command.detector), allow: [red]}\n"
        try await withFile(text) { folder in
            let result = try await watch(["--check"], in: folder)
            #expect(result.status == 0)
            #expect(result.output == "1 camera: door\n")
        }
    }

    @Test func namesTheCameraWhoseLabelIsUnknown() async throws {
        let text = "cameras:\n  door: {input: a.mp4, model: \(Command.detector), allow: [rde]}\n"
        try await withFile(text) { folder in
            let result = try await watch(["--check"], in: folder)
            #expect(result.status == 2)
            #expect(result.errors.contains("rde"))
            #expect(result.errors.contains("cameras.yaml:2: The camera door cannot be watched."))
        }
    }

    @Test(arguments: [
        String(repeating: "[", count: 100_000),
        "cameras:\n" + String(repeating: " a:\n", count: 10),
        "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\n"
            + "e: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f]\ncameras: *g\n",
        "\u{FEFF}cameras: !!binary x", "cameras: {door: {input: \"\\0\"}}", "? {a: b}\n: c",
    ])
    func refusesHostileFilesWithASentence(text: String) async throws {
        try await withFile(text) { folder in
            let result = try await watch(["--check"], in: folder)
            #expect(result.status == 2)
            #expect(result.errors.hasPrefix("sightline: cameras.yaml:"))
        }
    }
}
