import Foundation

@testable import SightlineEvents

extension FuzzTarget {
    /// The bytes of a broker of MQTT, in pieces of any size: the first byte is the version and the size of a piece.
    static let mqtt = FuzzTarget(name: "mqtt") { data in
        let version: MQTTAddress.Version = (data.first ?? 0) & 1 == 0 ? .v3 : .v5
        let whole = try Answers(data.dropFirst(), version, size: max(data.count, 1))
        let inPieces = try Answers(data.dropFirst(), version, size: Int(data.first ?? 0) / 2 % 40 + 1)
        require(whole == inPieces, "the answers of a broker are the same in pieces")
    }

    /// The answers that a session reads of a broker.
    private struct Answers: Equatable {
        var events: [MQTTSession.Event] = []
        var retained: Set<String> = []
        var failure: MQTTSession.Failure?

        init(_ bytes: Data, _ version: MQTTAddress.Version, size: Int) throws {
            let will = MQTTMessage("home/door/availability", "offline", isRetained: true)
            var session = try MQTTSession(version, .init(identifier: "a", will: will), at: .now)
            var rest = bytes
            do throws(MQTTSession.Failure) {
                // Byte by byte until the broker accepts, so that what it answers to is the same.
                while !session.isOpen, let byte = rest.popFirst() { try session.receive([byte], events: &events) }
                try? session.subscribe(to: "homeassistant/#")
                for id in 1...30 { _ = try? session.publish(MQTTMessage("home/door/events", "\(id)")) }
                while !rest.isEmpty {
                    try session.receive(rest.prefix(size), events: &events)
                    rest = rest.dropFirst(size)
                }
            } catch {
                failure = error
            }
            retained = session.retained
        }
    }
}
