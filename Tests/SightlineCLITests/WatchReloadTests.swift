import Foundation
import SightlineTestSupport
import Testing

/// `sightline watch` while its file, its cameras and its destinations change.
@Suite(.hangLimit) struct WatchReloadTests {
    /// A folder with the file `cameras.yaml`, and the command that watches its cameras.
    private func watching(
        _ text: String,
        files: [String: String] = [:],
        _ body: (_ folder: URL, _ process: RunningProgram) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            try save(text, in: folder)
            let process = try await Command.program.start(["watch", "cameras.yaml"], in: folder)
            try await process.waitForErrors { $0.contains("watching ") }
            try await body(folder, process)
            process.send(signal: SIGKILL)
            _ = try await process.result()
        }
    }

    private func save(_ text: String, in folder: URL) throws {
        try Data(text.utf8).write(to: folder.appending(path: "cameras.yaml"), options: .atomic)
    }

    private func events(_ name: String, in folder: URL) -> [String] {
        guard let data = try? Data(contentsOf: folder.appending(path: name)) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["event"] as? String
        }
    }

    private func count(_ event: String, _ name: String, in folder: URL) -> Int {
        events(name, in: folder).filter { $0 == event }.count
    }

    private let model = "model: \(Command.detector)"

    @Test func destinationsStayInUseUntilTheNewOnesCanBeUsed() async throws {
        let (camera, server) = (try FixtureCamera(), try LoopbackServer { _ in LoopbackServer.Response(status: 204) })
        let text = """
            events: all.jsonl
            webhook: \(server.address)/hook
            cameras:
              door: {input: "\(camera.address)", \(model)}

            """
        try await watching(text) { folder, process in
            try await wait(while: { server.requests.isEmpty })
            try save(text + "webhook-secret-file: secret\nmqtt: mqtt://127.0.0.1:1/x\n", in: folder)
            try await process.waitForErrors { $0.contains("the previous configuration stays in use") }
            let (sent, written) = (server.requests.count, events("all.jsonl", in: folder).count)
            try await wait(while: {
                server.requests.count < sent + 3 || events("all.jsonl", in: folder).count < written + 3
            })
            #expect(server.requests.allSatisfy { $0.headers["sightline-signature"] == nil })
            // The file with the secret comes back; nobody saves the other file again.
            try Data("hunter2\n".utf8).write(to: folder.appending(path: "secret"))
            try await process.waitForErrors { $0.contains("cameras.yaml was read again: 1 camera: door") }
            try await wait(while: { server.requests.last?.headers["sightline-signature"] == nil })
            withExtendedLifetime(camera) {}
        }
    }

    @Test func theSameFileAgainPutsItselfIntoEffectOnceItCan() async throws {
        let (camera, server) = (try FixtureCamera(), try LoopbackServer { _ in LoopbackServer.Response(status: 204) })
        let text = "cameras:\n  door: {input: \"\(camera.address)\", \(model)}\nwebhook: \(server.address)/\n"
        try await watching(text) { folder, process in
            try save(text + "queue: cameras.yaml\n", in: folder)
            try await process.waitForErrors { $0.contains("the previous configuration stays in use") }
            try save(text, in: folder)
            try await process.waitForErrors { $0.contains("cameras.yaml was read again") }
            let sent = server.requests.count
            try await wait(while: { server.requests.count < sent + 3 })
            withExtendedLifetime(camera) {}
        }
    }

    @Test func aModelThatWasMissingIsFoundWithoutAnotherChange() async throws {
        let (camera, other) = (try FixtureCamera(), try FixtureCamera())
        let text = "cameras:\n  door: {input: \"\(camera.address)\", \(model)}\n"
        try await watching(text) { folder, process in
            let entries = "  yard: {input: \"\(other.address)\", model: new.tflite, events: yard.jsonl}\n"
            try save(text + entries, in: folder)
            try await process.waitForErrors { $0.contains("stays in use. Will try again every ten seconds.") }
            try FileManager.default.copyItem(
                at: URL(filePath: Command.detector),
                to: folder.appending(path: "new.tflite")
            )
            try await process.waitForErrors { $0.contains("cameras.yaml was read again: 2 cameras: door, yard") }
            try await wait(while: { events("yard.jsonl", in: folder).isEmpty })
            #expect(process.errors.components(separatedBy: "The camera yard cannot be watched").count == 2)
            withExtendedLifetime((camera, other)) {}
        }
    }

    @Test(.enabled(if: Broker.isInstalled, Broker.missing))
    func aCameraThatWasRemovedWhileNobodyWatchedIsTakenBack() async throws {
        let camera = try FixtureCamera(isStill: true)
        let entry = "{input: \"\(camera.address)\", \(model)}"
        try await Broker.with { broker in
            let destination = "mqtt: mqtt://127.0.0.1:\(broker.port)/home\nhome-assistant: true\nqueue: queue\n"
            let text = destination + "cameras:\n  door: \(entry)\n"
            let subscriber = try await broker.subscribe("#")
            try await watching(text + "  gone: \(entry)\n") { folder, process in
                try await subscriber.waitForOutput { _ in !subscriber.payloads("home/gone/state").isEmpty }
                process.send(signal: SIGKILL)
                _ = try await process.result()
                try save(text, in: folder)
                let next = try await Command.program.start(["watch", "cameras.yaml"], in: folder)
                try await subscriber.waitForOutput { _ in
                    ["state", "availability"].allSatisfy { subscriber.payloads("home/gone/\($0)").last == "" }
                }
                #expect(try await next.stop() == .exited(143))
                let late = try await broker.subscribe("#")
                #expect(late.output.contains("1 home/door/state ") && !late.output.contains("gone"))
                _ = try await late.stop()
            }
            _ = try await subscriber.stop()
        }
        withExtendedLifetime(camera) {}
    }

    @Test func aCameraEndsBeforeItsDestinationGoes() async throws {
        let (first, second) = (try FixtureCamera(isStill: true), try FixtureCamera(isStill: true))
        let zone = "zone: {all: \"0,0 1000,0 1000,1000 0,1000\"}"
        let text = """
            cameras:
              a: {input: "\(first.address)", \(model), \(zone), events: a.jsonl, counts: a.csv}

            """
        let other = "  b: {input: \"\(second.address)\", \(model), \(zone), events: b.jsonl, counts: b.csv}\n"
        try await watching(text + other) { folder, process in
            try await wait(while: { count("beganInside", "b.jsonl", in: folder) < 2 })
            try save(text, in: folder)
            try await process.waitForErrors { $0.contains("was read again: 1 camera: a") }
            let pairs = [("appeared", "lost"), ("beganInside", "endedInside")]
            for (beginning, end) in pairs {
                #expect(count(beginning, "b.jsonl", in: folder) == count(end, "b.jsonl", in: folder))
            }
            let counts = try String(contentsOf: folder.appending(path: "b.csv"), encoding: .utf8)
            #expect(counts.contains(",all,red,0,0,"))
        }
        withExtendedLifetime((first, second)) {}
    }

    @Test func aCameraThatChangesTakesItsFilesOver() async throws {
        let camera = try FixtureCamera(isStill: true)
        let zone = "zone: {all: \"0,0 1000,0 1000,1000 0,1000\"}"
        let text = "cameras:\n  a: {input: \"\(camera.address)\", \(model), \(zone), events: a.jsonl, counts: a.csv}\n"
        try await watching(text) { folder, process in
            try await wait(while: { count("beganInside", "a.jsonl", in: folder) < 2 })
            try save(text.replacing("events:", with: "every: 2, events:"), in: folder)
            try await wait(while: { count("beganInside", "a.jsonl", in: folder) < 4 })
            #expect(count("endedInside", "a.jsonl", in: folder) == 2)
            let open = folder.appending(path: "a.csv.open").path
            try await wait(while: { !FileManager.default.fileExists(atPath: open) })
            let counts = try String(contentsOf: folder.appending(path: "a.csv"), encoding: .utf8)
            #expect(counts.contains(",all,red,0,0,"))
            #expect(!process.errors.contains("being written"))
        }
        withExtendedLifetime(camera) {}
    }

    @Test(.enabled(if: Broker.isInstalled, Broker.missing))
    func aNewDestinationShowsTheStateOfACameraAtOnce() async throws {
        let camera = try FixtureCamera(isStill: true)
        try await Broker.with { broker in
            let text = """
                mqtt: mqtt://127.0.0.1:\(broker.port)/home
                cameras:
                  door: {input: "\(camera.address)", \(model)}

                """
            let subscriber = try await broker.subscribe("#")
            try await watching(text) { folder, process in
                try await subscriber.waitForOutput { _ in
                    subscriber.payloads("home/door/state").last?.contains(#""objects":2"#) == true
                }
                try save(text + "home-assistant: true\n", in: folder)
                try await process.waitForErrors { $0.contains("was read again") }
                try await subscriber.waitForOutput { $0.contains("homeassistant/") }
                try await subscriber.waitForOutput { _ in
                    subscriber.payloads("home/door/availability").suffix(2) == ["offline", "online"]
                }
                #expect(subscriber.payloads("home/door/state").last?.contains(#""objects":2"#) == true)
            }
            _ = try await subscriber.stop()
        }
        withExtendedLifetime(camera) {}
    }

    @Test func aKillLosesNoCounts() async throws {
        let camera = try FixtureCamera(isStill: true)
        let text = """
            cameras:
              door: {input: "\(camera.address)", \(model), zone: {all: "0,0 1000,0 1000,1000 0,1000"}, counts: door.csv}

            """
        try await watching(text) { folder, process in
            let open = folder.appending(path: "door.csv.open")
            func text() -> String { (try? String(contentsOf: open, encoding: .utf8)) ?? "" }
            try await wait(while: { !text().contains(",all,red,0,0,") })
            process.send(signal: SIGKILL)
            _ = try await process.result()
            let rows = text().split(separator: "\n").dropFirst()
            let next = try await Command.program.start(["watch", "cameras.yaml"], in: folder)
            let counts = folder.appending(path: "door.csv")
            try await wait(while: {
                let text = try String(contentsOf: counts, encoding: .utf8)
                return !rows.allSatisfy { text.contains($0) }
            })
            #expect(try await next.stop() == .exited(143))
            #expect(try String(contentsOf: counts, encoding: .utf8).count { $0 == "\n" } == 1 + 2 * rows.count)
            withExtendedLifetime(camera) {}
        }
    }

    @Test func aKilledTrackOfACameraLosesNoCountsAndHasItsFileForItself() async throws {
        let camera = try FixtureCamera(isStill: true)
        try await withTemporaryFolder { folder in
            let place = ["--zone", "all=0,0 1000,0 1000,1000 0,1000", "--model", Command.detector]
            let words = ["track", camera.address, "--counts", "door.csv"] + place
            let open = folder.appending(path: "door.csv.open")
            func text() -> String { (try? String(contentsOf: open, encoding: .utf8)) ?? "" }
            let process = try await Command.program.start(words, in: folder)
            try await wait(while: { !text().contains(",all,red,0,0,") })
            let other = try await Command.run(words, in: folder)
            #expect(other.status == 2)
            #expect(other.errors.contains("door.csv is being written by another program"))
            process.send(signal: SIGKILL)
            _ = try await process.result()
            let rows = text().split(separator: "\n").dropFirst()
            #expect(rows.count == 2)
            let next = try await Command.program.start(words, in: folder)
            let counts = folder.appending(path: "door.csv")
            try await wait(while: {
                let text = try String(contentsOf: counts, encoding: .utf8)
                return !rows.allSatisfy { text.contains($0) }
            })
            next.send(signal: SIGKILL)
            _ = try await next.result()
        }
        withExtendedLifetime(camera) {}
    }

    @Test func metricsHaveTheDelayOfACamera() async throws {
        let camera = try FixtureCamera()
        let text = "metrics: m.prom\ncameras:\n  door: {input: \"\(camera.address)\", \(model)}\n"
        try await watching(text) { folder, process in
            func seconds() throws -> Double {
                guard let text = try? String(contentsOf: folder.appending(path: "m.prom"), encoding: .utf8),
                    let match = text.firstMatch(of: /delay_seconds_total{camera="door"} ([0-9.e-]+)/)
                else { return 0 }
                return try #require(Double(match.1))
            }
            try await wait(while: { try seconds() == 0 })
            withExtendedLifetime(camera) {}
        }
    }

    // MARK: Outputs with two owners

    /// Entries of the cameras a and b whose outputs are one, and the beginning of the message.
    struct Conflict: Sendable, CustomTestStringConvertible {
        let (first, second): (String, String)
        let message: String
        var testDescription: String { "\(first) and \(second)" }
    }

    private static let conflicts = [
        Conflict(
            first: "counts: both.csv",
            second: "counts: both.csv",
            message: "cameras.yaml:3: The counts of the camera b would overwrite the counts of the camera a, both.csv;"
        ),
        Conflict(
            first: "counts: both.csv",
            second: "counts: ./both.csv",
            message: "cameras.yaml:3: The counts of the camera b would overwrite the counts of the camera a,"
        ),
        Conflict(
            first: "counts: folder/old.csv",
            second: "counts: link/old.csv",
            message: "cameras.yaml:3: The counts of the camera b would overwrite the counts of the camera a,"
        ),
        Conflict(
            first: "counts: link/new.csv",
            second: "counts: folder/new.csv",
            message: "cameras.yaml:3: The counts of the camera b would overwrite the counts of the camera a,"
        ),
        Conflict(
            first: "counts: folder/old.csv",
            second: "counts: hard.csv",
            message: "cameras.yaml:3: The counts of the camera b would overwrite the counts of the camera a,"
        ),
        Conflict(
            first: "events: both.csv",
            second: "counts: both.csv",
            message: "cameras.yaml:3: The counts of the camera b would overwrite the file of events, both.csv;"
        ),
        Conflict(
            first: "motion: true",
            second: "events: cameras.yaml",
            message: "cameras.yaml:3: The entry events would overwrite this file, cameras.yaml;"
        ),
        Conflict(
            first: "motion: true",
            second: "counts: a.mp4",
            message: "cameras.yaml:3: The counts of the camera b would overwrite the input of the camera a, a.mp4;"
        ),
    ]

    @Test(arguments: conflicts) func refusesOutputsWithTwoOwners(conflict: Conflict) async throws {
        try await withTemporaryFolder { folder in
            let files = FileManager.default
            let inner = folder.appending(path: "folder")
            try files.createDirectory(at: inner, withIntermediateDirectories: false)
            try files.createSymbolicLink(at: folder.appending(path: "link"), withDestinationURL: inner)
            try Data().write(to: inner.appending(path: "old.csv"))
            try files.linkItem(at: inner.appending(path: "old.csv"), to: folder.appending(path: "hard.csv"))
            let line = "\(model), line: {gate: \"0,0,0,100\"}"
            let text =
                "cameras:\n  a: {input: a.mp4, \(line), \(conflict.first)}\n  b: {input: b.mp4, \(line), \(conflict.second)}\n"
            try save(text, in: folder)
            let result = try await Command.run(["watch", "cameras.yaml", "--check"], in: folder)
            #expect(result.status == 2)
            #expect(result.errors.hasPrefix("sightline: " + conflict.message), "\(result.errors)")
        }
    }

    @Test func aQueueMayServeAFileOfEventsAlone() async throws {
        let video = TestData.fixture("videos/h264-aac.mp4").path
        let text = "queue: waiting\ncameras:\n  a: {input: \(video), \(model), events: a.jsonl}\n"
        try await withTemporaryFolder { folder in
            try save(text, in: folder)
            #expect(try await Command.run(["watch", "cameras.yaml"], in: folder).status == 0)
            #expect(count("appeared", "a.jsonl", in: folder) == 2)
            try save(text.replacing(", events: a.jsonl", with: ""), in: folder)
            let result = try await Command.run(["watch", "cameras.yaml", "--check"], in: folder)
            #expect(result.status == 2)
            #expect(result.errors.contains("The entry queue belongs to mqtt, webhook and events; add one of them."))
        }
    }

    @Test func camerasMayShareAFileOfEventsUnderAllItsNames() async throws {
        let video = TestData.fixture("videos/h264-aac.mp4").path
        let text = """
            defaults: {\(model)}
            events: all.jsonl
            cameras:
              a: {input: \(video), events: ./all.jsonl}
              b: {input: \(video), events: sub/../all.jsonl}
            """
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(
                at: folder.appending(path: "sub"),
                withIntermediateDirectories: false
            )
            try save(text, in: folder)
            #expect(try await Command.run(["watch", "cameras.yaml"], in: folder).status == 0)
            #expect(events("all.jsonl", in: folder).count { $0 == "appeared" } == 4)
        }
    }

    @Test(arguments: ["events.jsonl", "events.csv"]) func eventsOfACameraFollowThoseOfEarlierRuns(name: String)
        async throws
    {
        let camera = try FixtureCamera(isStill: true)
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: name)
            func text() -> String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }
            func count() -> Int { text().split(separator: "\n").count { $0.contains("appeared") } }
            let words = ["track", camera.address, "--events", name, "--model", Command.detector]
            for run in 1...2 {
                let process = try await Command.program.start(words, in: folder)
                try await wait(while: { count() < 2 * run })
                process.send(signal: SIGKILL)
                _ = try await process.result()
                // A kill left a torn line.
                if run == 1 { try Data((text() + "appeared,torn").utf8).write(to: file) }
            }
            #expect(count() == 4 && !text().contains("torn"))
            #expect(text().components(separatedBy: "event,time,").count == (name == "events.csv" ? 2 : 1))
        }
        withExtendedLifetime(camera) {}
    }

    @Test(arguments: ["--events", "--counts", "--annotate"]) func trackRefusesOutputsWithTwoOwners(option: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            try Pictures.write(["frames/1.png": Pictures.png(), "frames/2.png": Pictures.png()], in: folder)
            let words = ["track", "frames", "--model", Command.detector, "--line", "0,0,0,9", "--output", "a.csv"]
            let result = try await Command.run(words + [option, "./a.csv"], in: folder)
            #expect(result.status == 2)
            #expect(result.errors.contains("\(option) ./a.csv would overwrite the file of --output"))
        }
    }
}
