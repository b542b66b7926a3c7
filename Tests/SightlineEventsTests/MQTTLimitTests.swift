import Foundation
import ModelHubProtocol
import SightlineEvents
import SightlineTestSupport
import Testing

/// Brokers that take small messages only, or not all topics, and what they retain of cameras that are gone.
@Suite(.hangLimit, .enabled(if: Broker.isInstalled, Broker.missing)) struct MQTTLimitTests {
    private let retry = RetryPolicy(base: .milliseconds(20), maximum: .milliseconds(200))
    private let small = ["allow_anonymous true", "max_packet_size 20000"]

    private func transport(_ broker: Broker, _ query: String = "", pictureLimit: Int = 100_000) throws -> MQTTTransport
    {
        let options = MQTTTransport.Options(discoveryPrefix: "homeassistant", pictureLimit: pictureLimit)
        return try MQTTTransport(MQTTAddress("mqtt://127.0.0.1:\(broker.port)/home\(query)"), options: options)
    }

    private func outbox(_ broker: Broker, _ query: String = "", _ reports: Reports = Reports()) async throws
        -> EventOutbox
    {
        try await EventOutbox(transport(broker, query), retry: retry) { reports.add($0) }
    }

    /// The lines of a subscriber that subscribes now.
    private func retained(_ broker: Broker, _ topics: String) async throws -> [Substring] {
        let late = try await broker.subscribe(topics)
        _ = try await late.stop()
        return late.output.split(separator: "\n").filter { !$0.contains(" ready/") }
    }

    @Test(arguments: ["", "?version=5"])
    func picturesThatTheBrokerDoesNotTakeStopNothing(query: String) async throws {
        try await Broker.with(small) { broker in
            let subscriber = try await broker.subscribe("home/door/events")
            let outbox = try await outbox(broker, query)
            let picture = try Picture.jpeg(640)
            await outbox.show(CameraState(camera: "door"))
            for id in 1...8 {
                await outbox.publish([Events.crossing(id)])
                await outbox.show(picture: picture, of: "door")
                try await wait { await outbox.statistics.delivered < id }
            }
            #expect(await outbox.finish(within: .seconds(60)) == 0)
            try await subscriber.waitForOutput { _ in
                Set(Events.ids(subscriber.payloads("home/door/events"))).count >= 8
            }
            #expect(Events.ids(subscriber.payloads("home/door/events")).withoutRepetitions == Array(1...8))
            _ = try await subscriber.stop()
        }
    }

    @Test(arguments: ["", "?version=5"])
    func picturesBecomeAsSmallAsTheBrokerTakes(query: String) async throws {
        try await Broker.with(small) { broker in
            let subscriber = try await broker.subscribe("home/door/image")
            let outbox = try await outbox(broker, query)
            let picture = try Picture.jpeg(640)
            try await wait {
                await outbox.show(picture: picture, of: "door")
                return !subscriber.output.contains("home/door/image")
            }
            _ = await outbox.finish(within: .seconds(60))
            _ = try await subscriber.stop()
        }
    }

    @Test(arguments: ["", "?version=5"])
    func aStateThatTheBrokerDoesNotTakeDoesNotStopEvents(query: String) async throws {
        try await Broker.with(small) { broker in
            let reports = Reports()
            let outbox = try await outbox(broker, query, reports)
            let zone = CameraState.Zone(name: String(repeating: "z", count: 30_000), inside: 0, entered: 0, left: 0)
            await outbox.show(CameraState(camera: "door", zones: [zone]))
            await outbox.publish(Events.crossings(1...3))
            #expect(await outbox.finish(within: .seconds(60)) == 0)
            #expect(await outbox.statistics.delivered == 3)
            #expect(reports.all.contains { $0.contains("refused a state or picture") && $0.contains("bytes") })
        }
    }

    @Test(arguments: ["", "?version=5"])
    func anEventThatTheBrokerDoesNotTakeStopsNoOther(query: String) async throws {
        try await Broker.with(small) { broker in
            let subscriber = try await broker.subscribe("home/#")
            let outbox = try await outbox(broker, query)
            var events = Events.crossings(1...20)
            events[6].id = String(repeating: "x", count: 30_000)
            events[11].camera = "yard"
            await outbox.publish(events)
            #expect(await outbox.finish(within: .seconds(60)) == 1)
            #expect(await outbox.statistics.refused == 1)
            try await subscriber.waitForOutput { _ in Events.ids(subscriber.payloads("home/door/events")).contains(20) }
            let ids = Events.ids(subscriber.payloads("home/door/events")).withoutRepetitions
            #expect(ids == (1...20).filter { $0 != 7 && $0 != 12 })
            #expect(Set(Events.ids(subscriber.payloads("home/yard/events"))) == [12])
            _ = try await subscriber.stop()
        }
    }

    @Test func refusedEventsOfACameraDoNotTakeThoseOfAnother() async throws {
        try await withTemporaryFolder { folder in
            let rules = folder.appending(path: "acl")
            try Data("topic readwrite home/yard/#\ntopic write home/door/availability\ntopic readwrite ready/#\n".utf8)
                .write(to: rules)
            try await Broker.with(["allow_anonymous true", "acl_file \(rules.path)"]) { broker in
                let outbox = try await outbox(broker, "?version=5")
                await outbox.publish((1...10).map { Events.crossing($0, of: $0 % 2 == 0 ? "yard" : "door") })
                #expect(await outbox.finish(within: .seconds(60)) == 5)
                #expect(await outbox.statistics.delivered == 5)
            }
        }
    }

    @Test func zonesOfAnEarlierRunVanish() async throws {
        try await Broker.with { broker in
            let zones = ["yard", "gate"].map { CameraState.Zone(name: $0, inside: 0, entered: 0, left: 0) }
            let first = try transport(broker)
            try await first.show(CameraState(camera: "door", zones: zones))
            try await first.show(CameraState(camera: "other", zones: zones))
            try await first.show(picture: Picture.jpeg(64), of: "door")
            await first.close()
            let before = try await retained(broker, "homeassistant/#")
            #expect(before.count == 11)

            let outbox = try await outbox(broker)
            await outbox.show(CameraState(camera: "door", zones: [zones[1]]))
            // The picture and the other camera stay.
            try await wait { try await retained(broker, "homeassistant/#").count != 9 }
            let left = try await retained(broker, "homeassistant/#")
            #expect(left.count { $0.contains("\"yard ") } == 2)
            #expect(left.count { $0.contains("/image/") } == 1)
            #expect(await outbox.finish(within: .seconds(60)) == 0)
        }
    }

    @Test func picturesOfAnEarlierRunVanishIfNoneAreSent() async throws {
        try await Broker.with { broker in
            let first = try transport(broker)
            try await first.show(CameraState(camera: "door"))
            try await first.show(picture: Picture.jpeg(64), of: "door")
            await first.close()
            #expect(try await retained(broker, "home/door/image").isEmpty == false)
            let next = try await EventOutbox(transport(broker, pictureLimit: 0), retry: retry)
            await next.show(CameraState(camera: "door"))
            try await wait { try await !retained(broker, "home/door/image").isEmpty }
            try await wait { try await retained(broker, "homeassistant/#").contains { $0.contains("/image/") } }
            #expect(await next.finish(within: .seconds(60)) == 0)
        }
    }

    @Test(arguments: [true, false])
    func nothingOfARetiredCameraStays(wasShown: Bool) async throws {
        try await Broker.with { broker in
            let zone = CameraState.Zone(name: "yard", inside: 0, entered: 0, left: 0)
            let first = try await outbox(broker)
            await first.show(CameraState(camera: "yard"))
            await first.show(CameraState(camera: "door", zones: [zone]))
            await first.show(picture: try Picture.jpeg(64), of: "door")
            if wasShown { await first.retire("door") }
            #expect(await first.finish(within: .seconds(60)) == 0)
            if !wasShown {
                let next = try await outbox(broker)
                await next.retire("door")
                #expect(await next.finish(within: .seconds(60)) == 0)
            }
            #expect(try await retained(broker, "home/door/#").isEmpty)
            let left = try await retained(broker, "homeassistant/#")
            #expect(left.count == 1 && left[0].contains("\"name\":\"yard\""))
            #expect(try await retained(broker, "home/yard/#").contains("1 home/yard/availability offline"))
        }
    }

    @Test func aQuietCameraConnectsAgainWhileAnotherIsBusy() async throws {
        try await Broker.with { broker in
            let outbox = try await outbox(broker)
            await outbox.show(CameraState(camera: "yard"))
            await outbox.publish([Events.crossing(1)])
            try await wait { await outbox.statistics.delivered < 1 }
            try await broker.kill()
            try await broker.start()
            let subscriber = try await broker.subscribe("home/yard/state")
            let busy = Task {
                var id = 1
                while !Task.isCancelled {
                    id += 1
                    await outbox.publish([Events.crossing(id)])
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
            try await subscriber.waitForOutput { _ in !subscriber.payloads("home/yard/state").isEmpty }
            busy.cancel()
            await busy.value
            #expect(await outbox.finish(within: .seconds(60)) == 0)
            _ = try await subscriber.stop()
        }
    }
}
