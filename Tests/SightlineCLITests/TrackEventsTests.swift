import Foundation
import SightlineTestSupport
import Testing

/// `sightline track --mqtt` and `--webhook`, on generated pictures in which the fixture detector finds red and blue.
@Suite(.hangLimit) struct TrackEventsTests {
    private func withFrames(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            for number in 1...12 {
                try Pictures.write(["yard/00\(10 + number).png": Pictures.png(red: 255)], in: folder)
            }
            try await body(folder)
        }
    }

    private let model = ["--model", Command.detector]

    /// The events and labels in bodies of requests, for example `appeared red`.
    private func events(_ payloads: [String]) throws -> [String] {
        try payloads.flatMap { payload -> [[String: Any]] in
            let value = try JSONSerialization.jsonObject(with: Data(payload.utf8))
            return value as? [[String: Any]] ?? (value as? [String: Any]).map { [$0] } ?? []
        }
        .map { "\($0["event"] as? String ?? "") \($0["label"] as? String ?? "") \($0["camera"] as? String ?? "")" }
    }

    private static let all = ["appeared red yard", "appeared blue yard", "lost red yard", "lost blue yard"]

    @Test func postsEventsToAWebhook() async throws {
        try await withFrames { folder in
            let server = try LoopbackServer { _ in LoopbackServer.Response(status: 204) }
            let secret = folder.appending(path: "secret")
            try Data("hunter2\n".utf8).write(to: secret)
            let result = try await Command.run(
                ["track", "yard", "--webhook", server.address + "/hook", "--webhook-secret-file", "secret"] + model,
                in: folder
            )
            #expect(result.status == 0 && result.errors == "")
            #expect(result.lines.last == "4 events delivered to \(server.address)")
            #expect(
                try events(server.requests.map { String(decoding: $0.body, as: UTF8.self) }).sorted()
                    == Self.all.sorted()
            )
            #expect(server.requests.allSatisfy { $0.headers["sightline-signature"]?.hasPrefix("t=") == true })
        }
    }

    @Test(.enabled(if: Broker.isInstalled, Broker.missing)) func publishesEventsAtABroker() async throws {
        try await withFrames { folder in
            try await Broker.with { broker in
                let subscriber = try await broker.subscribe("home/#")
                let address = "mqtt://127.0.0.1:\(broker.port)/home"
                let zone = "--zone=yard=0,0 4000,0 4000,4000 0,4000"
                let result = try await Command.run(
                    ["track", "yard", "--name", "back", zone, "--mqtt", address] + model,
                    in: folder
                )
                #expect(result.status == 0 && result.errors == "")
                #expect(result.lines.last == "8 events delivered to \(address)")
                try await subscriber.waitForOutput { _ in
                    subscriber.payloads("home/back/availability").last == "offline"
                }
                let payloads = subscriber.payloads("home/back/events")
                #expect(try events(payloads).filter { $0.hasPrefix("beganInside") }.count == 2)
                #expect(subscriber.payloads("home/back/state").last?.contains(#""yard":{"inside":0"#) == true)
                #expect(!subscriber.output.contains("homeassistant/"))
                _ = try await subscriber.stop()
            }
        }
    }

    @Test(.enabled(if: Broker.isInstalled, Broker.missing), arguments: [[], ["--offline"]])
    func announcesTheCameraToHomeAssistant(mode: [String]) async throws {
        try await withFrames { folder in
            try await Broker.with { broker in
                let result = try await Command.run(
                    [
                        "track", "yard", "--mqtt", "mqtt://127.0.0.1:\(broker.port)", "--home-assistant", "--line",
                        "door=5,0,5,90",
                    ]
                        + mode + model,
                    in: folder
                )
                #expect(result.status == 0 && result.errors == "")
                let subscriber = try await broker.subscribe("#")
                #expect(subscriber.output.contains("1 homeassistant/binary_sensor/"))
                #expect(subscriber.output.contains(#""name":"door in""#))
                #expect(subscriber.output.contains("1 homeassistant/image/"))
                #expect(subscriber.output.contains("1 sightline/yard/image "))
                _ = try await subscriber.stop()
            }
        }
    }

    @Test func namesOfLinesAndZonesStandInTheSummaryAndInEvents() async throws {
        try await withFrames { folder in
            let words = ["--line", "front door=0,0,0,20", "--line", "0,0,0,30", "--zone", "yard=0,0 20,0 20,20 0,20"]
            let result = try await Command.run(["track", "yard", "--events", "events.csv"] + words + model, in: folder)
            #expect(result.status == 0)
            #expect(result.lines.contains { $0.hasPrefix("front door: 0 in, 0 out") })
            #expect(result.lines.contains { $0.hasPrefix("line 2: 0 in, 0 out") })
            #expect(result.lines.contains { $0.hasPrefix("yard: 0 entered, 1 began inside (1 red)") })
            let events = try String(contentsOf: folder.appending(path: "events.csv"), encoding: .utf8)
            #expect(events.contains(",red,,yard,"))
        }
    }

    @Test func saysWhatWasNotDelivered() async throws {
        try await withFrames { folder in
            let server = try LoopbackServer { _ in LoopbackServer.Response(status: 404) }
            let result = try await Command.run(["track", "yard", "--webhook", server.address] + model, in: folder)
            #expect(result.status == 1)
            #expect(result.lines.last == "0 events delivered to \(server.address); 4 not delivered (4 refused)")
            #expect(result.errors.contains("refused events: it answered with status 404"))
        }
    }

    @Test func keepsEventsInAFolderForTheNextRun() async throws {
        try await withFrames { folder in
            let (listener, port) = try Loopback.listener()
            close(listener)
            let words = ["track", "yard", "--webhook", "http://127.0.0.1:\(port)", "--queue", "waiting"] + model
            let first = try await Command.run(words, in: folder)
            #expect(first.status == 1)
            #expect(first.lines.last?.contains("; 4 not delivered (4 wait in ") == true)
            let server = try LoopbackServer { _ in LoopbackServer.Response() }
            let next = try await Command.run(
                ["track", "yard", "--webhook", server.address, "--queue", "waiting"] + model,
                in: folder
            )
            #expect(next.status == 0)
            #expect(next.errors.contains("4 earlier events wait for \(server.address) and are sent first."))
            #expect(next.lines.last == "8 events delivered to \(server.address)")
            let sent = try events(server.requests.map { String(decoding: $0.body, as: UTF8.self) })
            #expect(sent.count == 8)
        }
    }

    @Test func losesNoEventWhenItIsKilled() async throws {
        try await withTemporaryFolder { folder in
            let (listener, port) = try Loopback.listener()
            close(listener)
            let queue = ["--queue", "waiting", "--name", "yard", "--model", Command.detector]
            let words = ["track", "-", "--webhook", "http://127.0.0.1:\(port)"] + queue
            let program = try await Command.program.start(words, in: folder)
            // The command waits for more, because its input stays open.
            try await program.send(try Data(contentsOf: TestData.fixture("videos/vp9-opus.webm")))
            let file = folder.appending(path: "waiting/webhook/00000001.events")
            func lines() -> Int { (try? Data(contentsOf: file).count { $0 == UInt8(ascii: "\n") }) ?? 0 }
            try await wait(while: { lines() < 2 })
            program.send(signal: SIGKILL)
            _ = try await program.result()
            let accepted = lines()

            let server = try LoopbackServer { _ in LoopbackServer.Response() }
            try Pictures.write(["one/1.png": Pictures.png(red: 255)], in: folder)
            let next = try await Command.run(["track", "one", "--webhook", server.address] + queue, in: folder)
            #expect(next.errors.contains("\(accepted) earlier events wait for"))
            let sent = try events(server.requests.map { String(decoding: $0.body, as: UTF8.self) })
            #expect(sent.count { $0.hasPrefix("appeared") } == accepted)
        }
    }

    @Test func readsThePasswordFromTheEnvironmentAndShowsItNowhere() async throws {
        try await withFrames { folder in
            let (listener, port) = try Loopback.listener()
            close(listener)
            let result = try await Command.run(
                ["track", "yard", "--mqtt", "mqtt://cam@127.0.0.1:\(port)", "--format", "jsonl"] + model,
                in: folder,
                environment: ["SIGHTLINE_MQTT_PASSWORD": "hunter2"]
            )
            #expect(result.status == 1)
            #expect(!result.output.contains("hunter2") && !result.errors.contains("hunter2"))
        }
    }

    @Test(
        arguments: [
            (["--mqtt", "mqtt://cam:hunter2@host"], "belongs in a file or in the environment"),
            (["--mqtt", "http://host"], "begins neither with mqtt:// nor with mqtts://"),
            (["--webhook", "mqtt://host"], "begins neither with https:// nor with http://"),
            (["--home-assistant"], "belong to --mqtt"),
            (["--webhook-secret-file", "secret"], "belongs to --webhook"),
            (["--queue", "waiting"], "belongs to --mqtt and --webhook"),
            (["--picture-limit", "5000"], "belongs to --home-assistant"),
            (["--mqtt", "mqtt://host", "--home-assistant", "--picture-limit", "7"], "it must be 2000 to 10000000"),
            (["--mqtt", "mqtt://host", "--name", "a/b"], "must not be empty or contain / + #"),
            (["--mqtt", "mqtt://host", "--mqtt-password-file", "secret"], "it names no user for the password"),
            (["--line", "=0,0,5,5"], "The name in front of = is empty"),
            (["--line", "a=0,0,5,5", "--line", "a=0,5,5,0"], "have the name a; give each a different one"),
            (["--line", "0,0,5,5", "--line", "line 1=0,5,5,0"], "have the name line 1; give each a different one"),
        ] as [([String], String)]
    )
    func refusesOptions(words: [String], message: String) async throws {
        let result = try await Command.run(["track", "yard"] + words)
        #expect(result.status == 64)
        #expect(result.errors.replacing(/\s+/, with: " ").contains(message))
        #expect(!result.errors.contains("hunter2"))
    }

    @Test func namesAFileWithoutASecret() async throws {
        try await withFrames { folder in
            let result = try await Command.run(
                ["track", "yard", "--webhook", "http://127.0.0.1:9", "--webhook-secret-file", "missing"] + model,
                in: folder
            )
            #expect(result.status == 2)
            #expect(result.errors.contains("/missing cannot be used: the file cannot be read, or is empty."))
        }
    }
}
