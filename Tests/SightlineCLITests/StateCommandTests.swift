import Foundation
import SightlineTestSupport
import Testing

/// The state of a thing in `sightline track` and `sightline watch`: a gate that is red while closed and green while open.
@Suite(.hangLimit) struct StateCommandTests {
    private static let start = TestData.fixture("models/classifier_float_metadata.tflite").path
    private static let region = "5,5,30,30"

    /// Writes pictures as frames of 1/30 s: each letter is a second of a red (c), green (o) or black (x) picture.
    private func frames(_ letters: String, in folder: URL) throws {
        var files: [String: Data] = [:]
        for (second, letter) in letters.enumerated() {
            for frame in 0..<30 {
                let number = String(1_000_000 + second * 30 + frame)
                let shade = UInt8(200 + frame)
                files["frames/\(number).png"] = try Pictures.png(
                    red: letter == "c" ? shade : 0,
                    green: letter == "o" ? shade : 0
                )
            }
        }
        try Pictures.write(files, in: folder)
    }

    /// Trains the labeler of the gate in `gate`.
    private func train(_ labels: [String] = ["closed", "open"], in folder: URL) async throws {
        var files: [String: Data] = [:]
        for number in 0..<6 {
            let shade = UInt8(170 + 15 * number)
            files["photos/\(labels[0])/\(number).png"] = try Pictures.png(red: shade, blue: UInt8(number))
            files["photos/\(labels[1])/\(number).png"] = try Pictures.png(green: shade, blue: UInt8(number))
        }
        try Pictures.write(files, in: folder)
        let made = try await Command.run(
            ["train", "labels", "photos", "--output", "gate", "--start", Self.start],
            in: folder
        )
        #expect(made.status == 0, "\(made.errors)")
    }

    private func gate(_ parts: String = "") -> String {
        "gate: {region: \"\(Self.region)\", model: gate, every: 0.1s, for: 0.4s\(parts)}"
    }

    private func states(_ name: String, in folder: URL) throws -> [[String: Any]] {
        try String(decoding: Data(contentsOf: folder.appending(path: name)), as: UTF8.self).split(separator: "\n")
            .map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
            .filter { $0["event"] as? String == "state" }
    }

    @Test func aRecordingShowsWhenTheStateChanged() async throws {
        try await withTemporaryFolder { folder in
            try await train(in: folder)
            try frames("ccoc", in: folder)
            let result = try await Command.run(
                [
                    "track", "frames", "--model", Command.detector, "--events", "events.jsonl", "--counts",
                    "counts.csv",
                    "--state", "gate: region=\(Self.region); model=gate; every=0.1s; for=0.4s",
                ],
                in: folder
            )
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("gate: closed "), "\(result.output)")
            #expect(result.output.contains("; 2 changes"))
            let states = try states("events.jsonl", in: folder)
            #expect(states.compactMap { $0["label"] as? String } == ["closed", "open", "closed"])
            #expect(states.map { $0["earlier"] as? String } == [nil, "closed", "open"])
            #expect(states.allSatisfy { $0["thing"] as? String == "gate" && $0["id"] as? Int == 0 })
            let times = states.compactMap { $0["time"] as? Double }
            for (time, change) in zip(times, [0.0, 2, 3]) {
                #expect((change...change + 0.2).contains(time), "\(times)")
            }
            let counts = try String(contentsOf: folder.appending(path: "counts.csv"), encoding: .utf8)
            let rows = counts.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
            #expect(rows.dropFirst().map { $0[3] } == ["closed", "open", "unknown"], "\(counts)")
            let shares = rows.dropFirst().compactMap { Double($0[6]) }
            #expect(abs(shares.reduce(0, +) - 1) < 0.01 && shares[0] > 0.5 && shares[2] < 0.2, "\(counts)")
            #expect(rows.dropFirst().map { Array($0[4...5]) } == [["1", "1"], ["1", "1"], ["0", "0"]])
        }
    }

    @Test(arguments: [true, false]) func aRestartRepeatsNoEventIfThereIsAQueue(hasQueue: Bool) async throws {
        try await withTemporaryFolder { folder in
            try await train(in: folder)
            try frames("coc", in: folder)
            let text = """
                events: events.jsonl
                \(hasQueue ? "queue: queue" : "")
                cameras:
                  yard:
                    input: frames
                    model: \(Command.detector)
                    state:
                      \(gate())
                """
            try Data(text.utf8).write(to: folder.appending(path: "cameras.yaml"))
            for _ in 0..<2 {
                let result = try await Command.run(["watch", "cameras.yaml"], in: folder)
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.output.contains("yard: gate is open, and was closed"), "\(result.output)")
            }
            let states = try states("events.jsonl", in: folder)
            let second = hasQueue ? ["open", "closed"] : ["closed", "open", "closed"]
            #expect(states.compactMap { $0["label"] as? String } == ["closed", "open", "closed"] + second)
        }
    }

    @Test(.enabled(if: Broker.isInstalled, Broker.missing))
    func homeAssistantHasASensorThatIsUnknownWhileTheCameraIsLost() async throws {
        try await withTemporaryFolder { folder in
            // The camera shows black pictures.
            var files: [String: Data] = [:]
            for number in 0..<6 {
                files["photos/closed/\(number).png"] = try Pictures.png(blue: UInt8(number))
                files["photos/open/\(number).png"] = try Pictures.png(red: 200, green: UInt8(150 + 10 * number))
            }
            try Pictures.write(files, in: folder)
            let made = try await Command.run(
                ["train", "labels", "photos", "--output", "gate", "--start", Self.start],
                in: folder
            )
            #expect(made.status == 0, "\(made.errors)")
            var camera: FixtureCamera? = try FixtureCamera(isStill: true)
            let address = try #require(camera?.address)
            try await Broker.with { broker in
                let text = """
                    mqtt: mqtt://127.0.0.1:\(broker.port)/home
                    home-assistant: true
                    cameras:
                      yard:
                        input: "\(address)"
                        model: \(Command.detector)
                        state: {gate: {region: "2,2,10,10", model: gate, every: 0.1s, for: 0.2s}}
                    """
                try Data(text.utf8).write(to: folder.appending(path: "cameras.yaml"))
                let subscriber = try await broker.subscribe("#")
                let process = try await Command.program.start(["watch", "cameras.yaml"], in: folder)
                func state() -> String { subscriber.payloads("home/yard/state").last ?? "" }
                try await subscriber.waitForOutput { _ in state().contains(#""states":{"gate":"closed"}"#) }
                let later = try await broker.subscribe("#")
                try await later.waitForOutput { _ in
                    later.payloads("home/yard/state").last?.contains(#""gate":"closed""#) == true
                }
                let sensor = try #require(later.output.split(separator: "\n").first { $0.contains("/states_gate_") })
                #expect(sensor.hasPrefix("1 homeassistant/sensor/"))
                #expect(sensor.contains(#""device_class":"enum""#) && sensor.contains(#""options":["closed","open"]"#))
                camera = nil
                try await subscriber.waitForOutput { _ in
                    state().contains(#""states":{"gate":null}"#)
                        && subscriber.payloads("home/yard/availability").last == "offline"
                }
                _ = try await process.stop()
                _ = try await later.stop()
                _ = try await subscriber.stop()
            }
            withExtendedLifetime(camera) {}
        }
    }

    @Test(arguments: [
        ("{region: \"5,5,30,30\"}", "4", "needs a model"),
        ("{model: gate}", "4", "needs a region"),
        ("{region: \"5,5,0,30\", model: gate}", "4", "neither x,y,width,height nor at least three corners"),
        ("{region: \"5,5 9,9\", model: gate}", "4", "neither x,y,width,height nor at least three corners"),
        ("{region: \"5,5,30,30\", model: gate, every: often}", "4", "The time every of the state gate"),
        ("{region: \"5,5,30,30\", model: gate, zone: 3}", "4", "has no entry zone"),
        ("{region: \"5,5,30,30\", model: missing}", "2", "missing"),
        ("{region: \"5,5,30,30\", model: DETECTOR}", "2", "finds objects instead of naming pictures"),
        ("{region: \"5,5,30,30\", model: built-in}", "2", "built-in"),
        ("closed", "4", "needs entries"),
    ]) func aStateThatCannotBeReadIsRefusedWithItsLine(value: String, line: String, words: String) async throws {
        try await withTemporaryFolder { folder in
            let value = value.replacing("DETECTOR", with: "\"\(Command.detector)\"")
            let text = """
                cameras:
                  yard: {input: frames, model: \(Command.detector), state: {
                    # The gate.
                    gate: \(value)}}
                """
            try Data(text.utf8).write(to: folder.appending(path: "cameras.yaml"))
            try frames("c", in: folder)
            let result = try await Command.run(["watch", "cameras.yaml", "--check"], in: folder)
            #expect(result.status == 2 && result.output == "")
            #expect(
                result.errors.contains("cameras.yaml:\(line): ") && result.errors.contains(words),
                "\(result.errors)"
            )
        }
    }

    @Test(arguments: [
        (["--state", "gate"], "A state has a name and a colon in front"),
        (["--state", "gate: region=1,1,2,2; model=m; region=3,3,4,4"], "each at most once"),
        (["--state", "g: region=1,1,2,2; model=m", "--state", "g: region=1,1,2,2; model=m"], "have the name g"),
        (["--state", "g: region=1,1,2,2; model=m", "--offline"], "leave out --offline"),
    ]) func aWrongOptionHasOneSentence(arguments: [String], words: String) async throws {
        let result = try await Command.run(["track", "a.mp4"] + arguments)
        #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
    }

    @Test func aRegionOutsideThePictureIsSaidAndUnknown() async throws {
        try await withTemporaryFolder { folder in
            try await train(in: folder)
            try frames("c", in: folder)
            let result = try await Command.run(
                [
                    "track", "frames", "--model", Command.detector, "--state",
                    "gate: region=500,5 600,5 600,90; model=gate; every=0.1s; for=0s",
                ],
                in: folder
            )
            #expect(result.status == 0)
            #expect(result.errors.contains("The region of gate lies outside the frame of"), "\(result.errors)")
            #expect(result.output.contains("gate: unknown"))
        }
    }
}
