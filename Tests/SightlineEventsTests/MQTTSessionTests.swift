import Foundation
import Testing

@testable import SightlineEvents

/// The bytes that a client sends to a broker, and its reading of any answer.
@Suite struct MQTTSessionTests {
    private static let accepted: [MQTTAddress.Version: [UInt8]] = [.v3: [0x20, 2, 0, 0], .v5: [0x20, 3, 0, 0, 0]]
    private let now = ContinuousClock.now

    private func session(_ version: MQTTAddress.Version = .v3, user: String? = nil, password: String? = nil) throws
        -> MQTTSession
    {
        let will = MQTTMessage("d/availability", "offline", isRetained: true)
        return try MQTTSession(version, .init(identifier: "me", user: user, password: password, will: will), at: now)
    }

    /// A session that a broker has accepted, and whose bytes were sent.
    private func open(_ version: MQTTAddress.Version = .v3, answer: [UInt8]? = nil) throws -> MQTTSession {
        var session = try session(version)
        _ = session.takeOutput(at: now)
        #expect(try session.receive(try answer ?? #require(Self.accepted[version])) == [.opened])
        return session
    }

    /// A message of the broker.
    private func message(_ topic: String, _ version: MQTTAddress.Version = .v3, flags: UInt8 = 1) -> [UInt8] {
        let none: [UInt8] = version == .v5 ? [0] : []
        let body = MQTTPacket.field(topic.utf8) + none + Array("{}".utf8)
        return MQTTPacket(.publish, flags: flags, body: body).bytes
    }

    /// The packets that a client sends.
    private func packets(_ bytes: [UInt8]) throws -> [MQTTPacket] {
        var reader = MQTTPacketReader()
        var packets: [MQTTPacket] = []
        reader.append(bytes)
        while let packet = try reader.next() { packets.append(packet) }
        return packets
    }

    // MARK: - What is sent

    @Test func introducesItselfWithALastWill() throws {
        var session = try session(.v3, user: "cam", password: "key")
        let fields = ["me", "d/availability", "offline", "cam", "key"].flatMap { MQTTPacket.field($0.utf8) }
        let body = MQTTPacket.field("MQTT".utf8) + [4, 0xEE, 0, 20] + fields
        #expect(session.takeOutput(at: now) == [0x10, UInt8(body.count)] + body)
        #expect(session.takeOutput(at: now) == [])
    }

    @Test func sendsAPasswordWithoutAUserInVersion5Only() throws {
        var old = try session(.v3, password: "key")
        var new = try session(.v5, password: "key")
        #expect(!old.takeOutput(at: now).contains(Array("key".utf8)))
        #expect(new.takeOutput(at: now).contains(Array("key".utf8)))
    }

    @Test func textsThatDoNotFitAreRefused() {
        #expect(throws: MQTTFailure.self) {
            try session(.v3, user: String(repeating: "u", count: 65_536))
        }
    }

    @Test func sendsTwentyMessagesAtATime() throws {
        var session = try open()
        let numbers = try (1...50).map { try session.publish(MQTTMessage("a", "\($0)")) }
        #expect(numbers == Array(1...50))
        #expect(try packets(session.takeOutput(at: now)).count == 20)
        #expect(try session.receive([0x40, 2, 0, 3]) == [.acknowledged(3, refusal: nil)])
        let next = try packets(session.takeOutput(at: now))
        #expect(next.map { $0.body.suffix(2) } == [Array("21".utf8)[...]])
    }

    @Test func keepsToTheLimitsOfABroker() throws {
        // At most 1 message at a time, 60 bytes, and nothing retained.
        var session = try open(.v5, answer: [0x20, 13, 0, 0, 10, 0x21, 0, 1, 0x27, 0, 0, 0, 60, 0x25, 0])
        _ = try session.publish(MQTTMessage("a", "1"))
        _ = try session.publish(MQTTMessage("a", "2"))
        #expect(try packets(session.takeOutput(at: now)).count == 1)
        #expect {
            try session.publish(MQTTMessage("a", String(repeating: "x", count: 60)))
        } throws: {
            guard case .refused(_, isTooLarge: true) = $0 as? MQTTFailure else { return false }
            return true
        }
        #expect(throws: MQTTFailure.refused(reason: "the broker retains no messages")) {
            try session.publish(MQTTMessage("a", "1", isRetained: true))
        }
    }

    @Test(arguments: ["", "a/+", "#", "a\u{0}"]) func refusesTopicsThatAreNone(topic: String) throws {
        var session = try open()
        #expect(throws: MQTTFailure.refused(reason: "the topic cannot be used")) {
            try session.publish(MQTTMessage(topic, "1"))
        }
    }

    @Test func givesASignAfterSomeTime() throws {
        var session = try open()
        try session.checkSilence(at: now + .seconds(19))
        #expect(session.takeOutput(at: now + .seconds(19)) == [])
        try session.checkSilence(at: now + .seconds(20))
        #expect(session.takeOutput(at: now + .seconds(20)) == [0xC0, 0])
        #expect(try session.receive([0xD0, 0]) == [])
        try session.checkSilence(at: now + .seconds(45))
        #expect(session.takeOutput(at: now + .seconds(45)) == [0xC0, 0])
        #expect(throws: MQTTSession.Failure.silent) { try session.checkSilence(at: now + .seconds(66)) }
    }

    @Test func endsOnce() throws {
        var session = try open()
        session.disconnect()
        session.disconnect()
        #expect(session.isEnding && session.takeOutput(at: now) == [0xE0, 0])
    }

    @Test func numbersAreNotUsedTwiceAtATime() throws {
        var session = try open()
        var last: UInt16 = 0
        // The message with the number 1 is never acknowledged.
        _ = try session.publish(MQTTMessage("a", "1"))
        for _ in 0..<70_000 {
            last = try session.publish(MQTTMessage("a", "2"))
            #expect(last != 1)
            _ = try session.receive([0x40, 2, UInt8(last >> 8), UInt8(last & 255)])
            _ = session.takeOutput(at: now)
        }
    }

    // MARK: - What is received

    @Test(arguments: [MQTTAddress.Version.v3, .v5]) func readsAnswersInPiecesOfAnySize(version: MQTTAddress.Version)
        throws
    {
        let answers =
            message("h/a", version) + [0x90, 3, 0, 9, 0] + [0x40, 2, 0, 1] + [0xD0, 0] + message("h/b", version)
        for size in 1...answers.count {
            var session = try open(version)
            _ = try session.publish(MQTTMessage("a", "1"))
            var events: [MQTTSession.Event] = []
            for start in stride(from: 0, to: answers.count, by: size) {
                events += try session.receive(answers[start..<min(start + size, answers.count)])
            }
            #expect(events == [.acknowledged(1, refusal: nil)])
            #expect(session.retained == ["h/a", "h/b"])
        }
    }

    @Test func remembersOnlySoManyRetainedTopics() throws {
        var session = try open()
        let filler = String(repeating: "x", count: 1000)
        for number in 0..<3000 { _ = try session.receive(message("\(filler)\(number)")) }
        #expect(session.retained.count > 1000)
        #expect(session.retained.reduce(0) { $0 + $1.utf8.count } <= MQTTSession.mostRetainedBytes)
        // Topics that were taken back make room.
        session.forgetRetained(session.retained)
        _ = try session.receive(message("h/a"))
        #expect(session.retained == ["h/a"])
    }

    @Test func skipsWhatItDoesNotReadOfALargeMessage() throws {
        var session = try open()
        let topic = MQTTPacket.field("h/a".utf8)
        let count = 40_000_000
        _ = try session.receive([0x31] + MQTTPacket.length(count) + topic)
        let piece = [UInt8](repeating: 0xFF, count: 1 << 20)
        var rest = count - topic.count
        while rest > 0 {
            _ = try session.receive(piece.prefix(rest))
            rest -= min(rest, piece.count)
        }
        #expect(try session.receive(message("h/b")) == [])
        #expect(session.retained == ["h/a", "h/b"])
    }

    @Test func neitherAMessageOfNowNorAnEmptyOneIsRetained() throws {
        var session = try open()
        _ = try session.receive(message("h/a", flags: 0))
        _ = try session.receive(MQTTPacket(.publish, flags: 1, body: MQTTPacket.field("h/b".utf8)).bytes)
        #expect(session.retained == [])
    }

    @Test(
        arguments: [
            // A kind 0, a length without an end, a flag, and an answer before the connection is accepted.
            (.v3, [0x00, 0]), (.v3, [0x40, 0xFF, 0xFF, 0xFF, 0xFF]), (.v3, [0x41, 2, 0, 1]), (.v3, [0x20, 2, 0, 0]),
            // Messages with a number, without a topic, with wildcards, with a topic that is too short or no UTF-8.
            (.v3, [0x33, 5, 0, 1, 0x61, 0, 1]), (.v3, [0x31, 2, 0, 0]), (.v3, [0x31, 3, 0, 1, 0x23]),
            (.v3, [0x31, 3, 0, 9, 0x61]), (.v3, [0x31, 3, 0, 1, 0xFF]),
            // Properties that are longer than the packet, an acknowledgment with a code of the other version, and packets of a client.
            (.v5, [0x31, 4, 0, 1, 0x61, 9]), (.v3, [0x40, 3, 0, 1, 0]), (.v3, [0x82, 2, 0, 1]), (.v3, [0xE0, 0]),
            (.v3, [0x50, 2, 0, 1]), (.v5, [0xF0, 2, 24, 0]), (.v3, [0x40, 1, 0]), (.v3, [0x90, 1, 0]),
        ] as [(MQTTAddress.Version, [UInt8])]
    )
    func whatIsNotMQTTEndsTheConnection(version: MQTTAddress.Version, bytes: [UInt8]) throws {
        var session = try open(version)
        #expect(throws: MQTTSession.Failure.malformed) { try session.receive(bytes) }
    }

    @Test(
        arguments: [
            // Version 5: no properties, an unknown one, one that is cut, and limits of nothing.
            [0x20, 2, 0, 0], [0x20, 5, 0, 0, 2, 0x7E, 0], [0x20, 4, 0, 0, 1, 0x21], [0x20, 6, 0, 0, 3, 0x21, 0, 0],
            [0x20, 8, 0, 0, 5, 0x27, 0, 0, 0, 0], [0x20, 6, 0, 0, 3, 0x1F, 0, 9], [0x20, 7, 0, 0, 4, 0x26, 0, 0, 0],
            [0x31, 2, 0, 0],
        ] as [[UInt8]]
    )
    func anAnswerToTheConnectionThatIsDamagedEndsIt(bytes: [UInt8]) throws {
        var session = try session(.v5)
        #expect(throws: MQTTSession.Failure.malformed) { try session.receive(bytes) }
        #expect(!session.isOpen)
    }

    @Test(
        arguments: [
            (.v3, [0x20, 2, 0, 5], "not authorized"), (.v5, [0x20, 3, 0, 0x87, 0], "not authorized"),
            (.v5, [0x20, 2, 0, 1], "does not speak this version"), (.v3, [0x20, 2, 0, 99], "code 99"),
            (.v5, [0x20, 5, 0, 0, 2, 0x24, 0], "no acknowledgments"),
        ] as [(MQTTAddress.Version, [UInt8], String)]
    )
    func aBrokerSaysWhyItRefusesAConnection(version: MQTTAddress.Version, bytes: [UInt8], reason: String) throws {
        var session = try session(version)
        #expect { try session.receive(bytes) } throws: {
            ($0 as? MQTTSession.Failure)?.reason.contains(reason) == true
        }
    }

    @Test func aBrokerOfVersion5SaysWhyItRefusesAMessageOrEnds() throws {
        var session = try open(.v5)
        _ = try session.publish(MQTTMessage("a", "1"))
        #expect(
            try session.receive([0x40, 4, 0, 1, 0x97, 0])
                == [.acknowledged(1, refusal: "the broker refused a message (a quota is used up)")]
        )
        #expect(throws: MQTTSession.Failure(reason: "the broker ended the connection (it shuts down)")) {
            try session.receive([0xE0, 1, 0x8B])
        }
    }

    @Test func anAcknowledgmentBeforeDamageCounts() throws {
        var session = try open()
        _ = try session.publish(MQTTMessage("a", "1"))
        var events: [MQTTSession.Event] = []
        #expect(throws: MQTTSession.Failure.malformed) {
            try session.receive([0x40, 2, 0, 1, 0x00, 0], events: &events)
        }
        #expect(events == [.acknowledged(1, refusal: nil)])
    }

    @Test func anAcknowledgmentOfNothingIsNone() throws {
        var session = try open()
        #expect(try session.receive([0x40, 2, 0, 7]) == [])
        _ = try session.publish(MQTTMessage("a", "1"))
        #expect(try session.receive([0x40, 2, 0, 1, 0x40, 2, 0, 1]) == [.acknowledged(1, refusal: nil)])
    }

    @Test func randomBytesNeverTrap() throws {
        var generator = SystemRandomNumberGenerator()
        for round in 0..<3000 {
            let version: MQTTAddress.Version = round % 2 == 0 ? .v3 : .v5
            var session = try open(version)
            for _ in 1...10 { _ = try session.publish(MQTTMessage("a", "1")) }
            var bytes = message("h/a", version) + [0x40, 4, 0, 1, 0x97, 0] + [0x90, 3, 0, 1, 0]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: .min ... .max, using: &generator)
            }
            do throws(MQTTSession.Failure) {
                let events = try session.receive(bytes)
                #expect(events.count <= 3, "\(bytes)")
            } catch {
                #expect(!error.reason.isEmpty)
            }
        }
    }
}

extension MQTTSession {
    /// The answers in bytes of a broker.
    fileprivate mutating func receive(_ bytes: some Collection<UInt8>) throws(Failure) -> [Event] {
        var events: [Event] = []
        try receive(bytes, events: &events)
        return events
    }
}
