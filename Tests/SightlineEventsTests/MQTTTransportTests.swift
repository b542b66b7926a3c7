import Foundation
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import SightlineEvents

/// Events at a real broker, seen by a real subscriber.
@Suite(.hangLimit, .enabled(if: Broker.isInstalled, Broker.missing)) struct MQTTTransportTests {
    private let retry = RetryPolicy(base: .milliseconds(20), maximum: .milliseconds(200))

    private func outbox(
        _ broker: Broker,
        _ address: String? = nil,
        _ options: MQTTTransport.Options = MQTTTransport.Options(),
        folder: URL? = nil,
        reports: Reports = Reports()
    ) async throws -> EventOutbox {
        let address = try MQTTAddress(address ?? "mqtt://127.0.0.1:\(broker.port)/home")
        return try await EventOutbox(MQTTTransport(address, options: options), folder: folder, retry: retry) {
            reports.add($0)
        }
    }

    @Test(arguments: ["", "?version=5"])
    func publishesEventsInTheirOrder(version: String) async throws {
        try await Broker.with { broker in
            let subscriber = try await broker.subscribe("home/#")
            let outbox = try await outbox(broker, "mqtt://127.0.0.1:\(broker.port)/home\(version)")
            for id in 1...250 { await outbox.publish([Events.crossing(id)]) }
            #expect(await outbox.finish(within: .seconds(60)) == 0)
            try await subscriber.waitForOutput { _ in subscriber.payloads("home/door/events").count >= 250 }
            #expect(Events.ids(subscriber.payloads("home/door/events")) == Array(1...250))
            _ = try await subscriber.stop()
        }
    }

    @Test func writesAnEventAsDocumented() async throws {
        try await Broker.with { broker in
            let subscriber = try await broker.subscribe("home/door/events")
            let outbox = try await outbox(broker)
            var event = Events.crossing(7)
            event.id = "abc-1"
            await outbox.publish([event])
            #expect(await outbox.finish(within: .seconds(60)) == 0)
            try await subscriber.waitForOutput { $0.contains("entrance") }
            let expected =
                #"{"uid":"abc-1","camera":"door","date":"2027-01-15T08:00:07.000Z","event":"crossed","time":0.7,"id":7,"#
                + #""label":"person","line":"entrance","direction":"in"}"#
            #expect(subscriber.payloads("home/door/events") == [expected])
            _ = try await subscriber.stop()
        }
    }

    @Test func retainsStateAndAvailabilityForLateSubscribers() async throws {
        try await Broker.with { broker in
            let outbox = try await outbox(broker)
            await outbox.show(
                CameraState(
                    camera: "door",
                    objects: 2,
                    lines: [CameraState.Line(name: "entrance", inward: 3, outward: 1)],
                    zones: [CameraState.Zone(name: "yard", inside: 1, entered: 5, left: 4)]
                )
            )
            await outbox.show(picture: try Picture.jpeg(32), of: "door")
            var late = try await broker.subscribe("home/#")
            while !late.output.contains("1 home/door/image") {
                _ = try await late.stop()
                late = try await broker.subscribe("home/#")
            }
            #expect(late.output.contains("1 home/door/availability online\n"))
            let state =
                #"{"camera":"door","objects":2,"lines":{"entrance":{"in":3,"out":1}},"zones":{"yard":{"inside":1,"entered":5,"left":4}}}"#
            #expect(late.output.contains("1 home/door/state \(state)\n"))
            #expect(late.output.contains("1 home/door/image "))
            #expect(await outbox.finish(within: .seconds(60)) == 0)
            try await late.waitForOutput { _ in late.payloads("home/door/availability").last == "offline" }
            _ = try await late.stop()
        }
    }

    @Test func announcesACameraAndTakesBackWhatIsGone() async throws {
        try await Broker.with { broker in
            let subscriber = try await broker.subscribe("homeassistant/#")
            let options = MQTTTransport.Options(discoveryPrefix: "homeassistant")
            let transport = try MQTTTransport(MQTTAddress("mqtt://127.0.0.1:\(broker.port)/home"), options: options)
            var state = CameraState(
                camera: "door",
                zones: [CameraState.Zone(name: "yard", inside: 0, entered: 0, left: 0)]
            )
            try await transport.show(state)
            try await transport.show(picture: Picture.jpeg(32), of: "door")
            state.zones = []
            try await transport.show(state)
            await transport.close()
            func lines() -> [[Substring]] {
                subscriber.output.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
            }
            try await subscriber.waitForOutput { _ in lines().count { $0.count == 2 } == 2 }
            let topics = lines().filter { $0.count == 3 && $0[2].contains("unique_id") }.map { String($0[1]) }
            #expect(topics.count == 4 && Set(topics).count == 4)
            let gone = Set(lines().filter { $0.count == 2 }.map { String($0[1]) })
            #expect(gone == Set(topics.filter { $0.contains("/zones_") }))
            _ = try await subscriber.stop()
        }
    }

    @Test func leavesALastWillIfTheConnectionBreaks() async throws {
        try await Broker.with { broker in
            let subscriber = try await broker.subscribe("home/door/availability")
            // A proxy that is cut stands for a program that is killed.
            let proxy = try CutProxy(to: broker.port)
            let transport = try MQTTTransport(MQTTAddress("mqtt://127.0.0.1:\(proxy.port)/home"))
            try await transport.show(CameraState(camera: "door"))
            try await subscriber.waitForOutput { _ in subscriber.payloads("home/door/availability") == ["online"] }
            proxy.cut()
            try await subscriber.waitForOutput { _ in
                subscriber.payloads("home/door/availability") == ["online", "offline"]
            }
            await transport.close()
            _ = try await subscriber.stop()
        }
    }

    @Test func losesNothingWhileTheBrokerIsKilledTwice() async throws {
        try await Broker.with { broker in
            let outbox = try await outbox(broker)
            var seen: [Int] = []
            for round in 0..<3 {
                if round > 0 { try await broker.start() }
                // Subscribed before the publisher connects again, unless that is faster; then the events wait in the outbox's order.
                let subscriber = try await broker.subscribe("home/door/events")
                let (first, last) = (round * 40 + 1, round * 40 + 40)
                for id in first...last { await outbox.publish([Events.crossing(id)]) }
                try await subscriber.waitForOutput { _ in
                    Events.ids(subscriber.payloads("home/door/events")).contains(last)
                }
                seen += Events.ids(subscriber.payloads("home/door/events"))
                _ = try await subscriber.stop()
                try await wait { await outbox.statistics.waiting > 0 }
                if round < 2 { try await broker.kill() }
            }
            #expect(seen.withoutRepetitions == Array(1...120))
            #expect(await outbox.finish(within: .seconds(60)) == 0)
        }
    }

    @Test func restoresStateAfterABrokerThatForgotIt() async throws {
        try await Broker.with { broker in
            let outbox = try await outbox(broker)
            await outbox.show(CameraState(camera: "door", objects: 4))
            let first = try await broker.subscribe("home/door/state")
            try await first.waitForOutput { $0.contains("\"objects\":4") }
            _ = try await first.stop()
            try await broker.kill()
            try await broker.start()
            let second = try await broker.subscribe("home/door/state")
            try await second.waitForOutput { $0.contains("\"objects\":4") }
            _ = try await second.stop()
            #expect(await outbox.finish(within: .seconds(60)) == 0)
        }
    }

    @Test func saysThatACameraIsOfflineAlsoOverANewConnection() async throws {
        try await Broker.with { broker in
            let transport = try MQTTTransport(MQTTAddress("mqtt://127.0.0.1:\(broker.port)/home"))
            try await transport.show(CameraState(camera: "door"))
            try await broker.kill()
            // This broker knows no last will. It may have kept on disk that the camera is online.
            try await broker.start()
            let subscriber = try await broker.subscribe("home/door/availability")
            await transport.close()
            try await subscriber.waitForOutput { _ in subscriber.payloads("home/door/availability") == ["offline"] }
            _ = try await subscriber.stop()
        }
    }

    @Test func aConnectionThatOpensAfterTheEndIsEnded() async throws {
        try await Broker.with { broker in
            let transport = try MQTTTransport(MQTTAddress("mqtt://127.0.0.1:\(broker.port)/home"))
            let show = Task { try await transport.show(CameraState(camera: "door")) }
            await transport.close()
            _ = await show.result
            await #expect(throws: EventError.self) { try await transport.show(CameraState(camera: "yard")) }
            let subscriber = try await broker.subscribe("home/#")
            try await subscriber.waitForOutput { _ in subscriber.payloads("home/door/availability").last != "online" }
            #expect(subscriber.payloads("home/yard/availability").last != "online")
            _ = try await subscriber.stop()
        }
    }

    /// A run that ends without taking anything back, on a broker that keeps the messages of `cameras`.
    private func earlierRun(_ broker: Broker, of cameras: [String], prefix: String = "home", _ file: URL) async throws {
        let options = MQTTTransport.Options(discoveryPrefix: "homeassistant", topicsFile: file)
        let transport = try MQTTTransport(
            MQTTAddress("mqtt://127.0.0.1:\(broker.port)/\(prefix)"),
            options: options
        )
        for camera in cameras {
            try await transport.show(CameraState(camera: camera))
            try await transport.show(picture: Picture.jpeg(32), of: camera)
        }
        await transport.close()
    }

    /// The topics with retained messages, except the marks of subscribers.
    private func retained(_ broker: Broker) async throws -> Set<String> {
        let subscriber = try await broker.subscribe("#")
        let output = subscriber.output
        _ = try await subscriber.stop()
        let lines = output.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
        return Set(
            lines.filter { $0.count == 3 && $0[0] == "1" }.map { String($0[1]) }.filter { !$0.hasPrefix("ready/") }
        )
    }

    @Test func takesBackTheCamerasOfEarlierRunsThatAreGone() async throws {
        try await withTemporaryFolder { folder in
            try await Broker.with { broker in
                let file = folder.appending(path: "topics")
                try await earlierRun(broker, of: ["door", "gone"], file)
                let before = try await retained(broker)
                #expect(before.contains("home/gone/state") && before.contains("home/gone/image"))
                #expect(before.count { $0.hasPrefix("homeassistant/") } == 4)
                let options = MQTTTransport.Options(discoveryPrefix: "homeassistant", topicsFile: file)
                let outbox = try await outbox(broker, nil, options)
                await outbox.show(CameraState(camera: "door"))
                await outbox.retire(allBut: ["door"])
                #expect(await outbox.finish(within: .seconds(60)) == 0)
                let after = try await retained(broker)
                #expect(after == before.filter { !$0.contains("gone") })
                #expect(try !String(contentsOf: file, encoding: .utf8).contains("gone"))
            }
        }
    }

    @Test func takesBackWhatACameraHadUnderAnotherPrefixOrAsADevice() async throws {
        try await withTemporaryFolder { folder in
            try await Broker.with { broker in
                let file = folder.appending(path: "topics")
                try await earlierRun(broker, of: ["door"], prefix: "old", file)
                let outbox = try await outbox(broker, nil, MQTTTransport.Options(topicsFile: file))
                await outbox.show(CameraState(camera: "door"))
                #expect(await outbox.finish(within: .seconds(60)) == 0)
                #expect(try await retained(broker) == ["home/door/state", "home/door/availability"])
            }
        }
    }

    @Test(arguments: ["", "{", "[]", "{\"door\": 3}", "\u{0}"]) func aDamagedFileOfTopicsIsEmpty(text: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "topics")
            try Data(text.utf8).write(to: file)
            let topics = RetainedTopics(file)
            #expect(await topics.cameras.isEmpty)
            await topics.add(["home/door/state"], of: "door")
            #expect(await RetainedTopics(file).topics(of: "door") == ["home/door/state"])
            await topics.remove(["home/door/state"], of: "door")
            #expect(await RetainedTopics(file).cameras.isEmpty)
        }
    }

    @Test func keepsEventsUntilABrokerComes() async throws {
        try await Broker.with(isStarted: false) { broker in
            let reports = Reports()
            let outbox = try await outbox(broker, reports: reports)
            await outbox.publish(Events.crossings(1...5))
            try await wait { reports.all.isEmpty }
            let place = "mqtt://127.0.0.1:\(broker.port)/home"
            #expect(
                reports.all == [
                    "\(place) does not accept events now: Connection refused; check the server and the network. Events wait, and are sent later."
                ]
            )
            #expect(await outbox.finish(within: .milliseconds(50)) == 5)
        }
    }

    @Test func signsInWithAPassword() async throws {
        try await withTemporaryFolder { folder in
            let passwords = folder.appending(path: "passwords").path
            let made = try await Program(URL(filePath: "/usr/bin/mosquitto_passwd")).run([
                "-b", "-c", passwords, "cam", "hunter2",
            ])
            #expect(made.status == 0)
            try await Broker.with(["allow_anonymous false", "password_file \(passwords)"]) { broker in
                let address = "mqtt://cam@127.0.0.1:\(broker.port)/home"
                let subscriber = try await broker.subscribe("home/door/events", ["-u", "cam", "-P", "hunter2"])
                let outbox = try await outbox(broker, address, MQTTTransport.Options(password: "hunter2"))
                await outbox.publish([Events.crossing(1)])
                #expect(await outbox.finish(within: .seconds(60)) == 0)
                try await subscriber.waitForOutput { $0.contains("entrance") }
                _ = try await subscriber.stop()

                let reports = Reports()
                let wrong = try await self.outbox(
                    broker,
                    address,
                    MQTTTransport.Options(password: "wrong"),
                    reports: reports
                )
                await wrong.publish([Events.crossing(2)])
                try await wait { reports.all.isEmpty }
                #expect(await wrong.finish(within: .milliseconds(50)) == 1)
                #expect(reports.all.count == 1)
                #expect(
                    reports.all[0].contains("the broker refused the connection (not ")
                )
            }
        }
    }

    /// The settings of a broker with TLS.
    private func secured(by certificate: TestCertificate) -> [String] {
        ["allow_anonymous true", "certfile \(certificate.certificate)", "keyfile \(certificate.key)"]
    }

    @Test func trustsAnAuthorityInAFileAndNoOther() async throws {
        try await withTemporaryFolder { folder in
            let certificate = try TestCertificate(in: folder)
            try await Broker.with(secured(by: certificate)) { broker in
                let address = "mqtts://127.0.0.1:\(broker.port)/home"
                let trust = ["--cafile", certificate.certificate]
                let subscriber = try await broker.subscribe("home/door/events", trust)
                let options = MQTTTransport.Options(authorities: URL(filePath: certificate.certificate))
                let outbox = try await outbox(broker, address, options)
                await outbox.publish([Events.crossing(1)])
                #expect(await outbox.finish(within: .seconds(60)) == 0)
                try await subscriber.waitForOutput { $0.contains("entrance") }
                _ = try await subscriber.stop()

                let reports = Reports()
                let wary = try await self.outbox(broker, address, reports: reports)
                await wary.publish([Events.crossing(2)])
                try await wait { reports.all.isEmpty }
                #expect(await wary.finish(within: .milliseconds(50)) == 1)
                #expect(reports.all[0].contains("no known authority signed the broker's certificate"))
            }
        }
    }

    @Test func losesNothingWhileABrokerWithTLSIsKilled() async throws {
        try await withTemporaryFolder { folder in
            let certificate = try TestCertificate(in: folder)
            try await Broker.with(secured(by: certificate)) { broker in
                let options = MQTTTransport.Options(authorities: URL(filePath: certificate.certificate))
                let outbox = try await outbox(broker, "mqtts://127.0.0.1:\(broker.port)/home", options)
                let picture = try Picture.jpeg(320)
                var seen: [Int] = []
                for round in 0..<3 {
                    if round > 0 { try await broker.start() }
                    let trust = ["--cafile", certificate.certificate]
                    let subscriber = try await broker.subscribe("home/door/events", trust)
                    await outbox.publish(Events.crossings(round * 20 + 1...round * 20 + 20))
                    try await subscriber.waitForOutput { _ in
                        Events.ids(subscriber.payloads("home/door/events")).contains(round * 20 + 20)
                    }
                    seen += Events.ids(subscriber.payloads("home/door/events"))
                    _ = try await subscriber.stop()
                    try await wait { await outbox.statistics.waiting > 0 }
                    // Something is on its way when the connection breaks.
                    await outbox.show(picture: picture, of: "door")
                    if round < 2 { try await broker.kill() }
                }
                #expect(seen.withoutRepetitions == Array(1...60))
                #expect(await outbox.finish(within: .seconds(60)) == 0)
            }
        }
    }

    @Test func publishesEventsWhereStateIsRefused() async throws {
        try await withTemporaryFolder { folder in
            let rules = folder.appending(path: "acl")
            try Data("topic readwrite home/+/events\ntopic readwrite ready/#\n".utf8).write(to: rules)
            try await Broker.with(["allow_anonymous true", "acl_file \(rules.path)"]) { broker in
                let reports = Reports()
                let subscriber = try await broker.subscribe("home/door/events")
                let outbox = try await outbox(
                    broker,
                    "mqtt://127.0.0.1:\(broker.port)/home?version=5",
                    reports: reports
                )
                await outbox.show(CameraState(camera: "door"))
                await outbox.publish(Events.crossings(1...3))
                try await subscriber.waitForOutput { _ in subscriber.payloads("home/door/events").count >= 3 }
                #expect(Events.ids(subscriber.payloads("home/door/events")) == [1, 2, 3])
                #expect(await outbox.finish(within: .seconds(60)) == 0)
                #expect(reports.all.contains { $0.contains("the broker refused a message") })
                _ = try await subscriber.stop()
            }
        }
    }

    @Test func saysWhichMessagesABrokerOfVersion5Refuses() async throws {
        try await withTemporaryFolder { folder in
            let rules = folder.appending(path: "acl")
            try Data("topic write home/+/availability\n".utf8).write(to: rules)
            try await Broker.with(["allow_anonymous true", "acl_file \(rules.path)"], isStarted: true) { broker in
                let reports = Reports()
                let outbox = try await outbox(
                    broker,
                    "mqtt://127.0.0.1:\(broker.port)/home?version=5",
                    reports: reports
                )
                await outbox.publish([Events.crossing(1)])
                #expect(await outbox.finish(within: .seconds(60)) == 1)
                #expect(
                    reports.all.count == 1 && reports.all[0].contains("the broker refused a message (not authorized)")
                )
            }
        }
    }
}

/// Brokers that are none, or that do not answer.
@Suite(.hangLimit, .enabled(if: Broker.isInstalled, Broker.missing)) struct HostileBrokerTests {
    /// The error of a transport at a server that answers a connection with some bytes.
    private func failure(_ answer: [UInt8], closes: Bool) async throws -> EventError? {
        let server = try AnsweringServer(answer, closes: closes)
        let options = MQTTTransport.Options(timeout: .milliseconds(700))
        let transport = try MQTTTransport(MQTTAddress("mqtt://127.0.0.1:\(server.port)/home"), options: options)
        var failure: EventError?
        do throws(EventError) { try await transport.deliver([Events.crossing(1)]) } catch { failure = error }
        await transport.close()
        return failure
    }

    @Test(
        arguments: [
            ([], true), ([], false), (Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), true),
            // An answer that is longer than any broker's, a publication before the answer, and a length that does not end.
            ([0x20, 0xFF, 0xFF, 0xFF, 0x7F], false), ([0x30, 0x05, 0x00, 0x03, 0x61, 0x2F, 0x62], false),
            ([0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], false), ([0x20, 0x02, 0x00, 0x05], false),
            ([0x20, 0x02, 0x00, 0xFF], false),
        ] as [([UInt8], Bool)]
    )
    func giveAnErrorThatAsksToTryAgain(answer: [UInt8], closes: Bool) async throws {
        guard case .unreachable(_, let reason, nil) = try await failure(answer, closes: closes) else {
            Issue.record("no such error")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test(arguments: ["[::1]", "[::1%25lo]", "LOCALHOST", "bücher.invalid", "a%20b.invalid", "a%40127.0.0.1"])
    func areFoundByAnyFormOfAHost(host: String) async throws {
        let transport = try MQTTTransport(MQTTAddress("mqtt://\(host):1/home"))
        let error = await #expect(throws: EventError.self) { try await transport.deliver([Events.crossing(1)]) }
        guard case .unreachable(_, let reason, nil) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let isThisMachine = host.hasPrefix("[") || host == "LOCALHOST"
        #expect(isThisMachine ? !reason.contains("URL") && !reason.contains("resolve") : reason != "Connection refused")
    }

    @Test func leaveAMessageWithoutAnAcknowledgment() async throws {
        // The connection is accepted, and then nothing comes.
        let failure = try await failure([0x20, 0x02, 0x00, 0x00], closes: false)
        #expect(failure?.description.contains("the broker did not answer within") == true)
    }
}
