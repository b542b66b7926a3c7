/// A packet of MQTT: its kind, the flags beside it, and its body.
///
/// The formats are those of version 3.1.1 (https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/mqtt-v3.1.1.html) and 5
/// (https://docs.oasis-open.org/mqtt/mqtt/v5.0/mqtt-v5.0.html).
struct MQTTPacket: Sendable, Hashable {
    /// The kind of a packet.
    enum Kind: UInt8, Sendable {
        case connect = 1
        case connectionAnswer, publish, publishAnswer, publishReceived, publishRelease, publishComplete
        case subscribe, subscribeAnswer, unsubscribe, unsubscribeAnswer, ping, pingAnswer, disconnect, authenticate
    }

    var kind: Kind
    var flags: UInt8 = 0
    /// The body; its beginning if it is longer than ``MQTTPacketReader/mostBodyBytes``.
    var body: [UInt8]
    /// The number of bytes of the body that ``body`` lacks.
    var missingBytes = 0

    /// The greatest body that the format can express, in bytes.
    static let mostBytes = 268_435_455

    init(_ kind: Kind, flags: UInt8 = 0, body: [UInt8] = [], missingBytes: Int = 0) {
        (self.kind, self.flags, self.body, self.missingBytes) = (kind, flags, body, missingBytes)
    }

    /// The packet as it is sent.
    var bytes: [UInt8] { [kind.rawValue << 4 | flags] + Self.length(body.count) + body }

    /// A number in as many bytes as it needs, seven bits in each (section 1.5.5 of version 5).
    static func length(_ number: Int) -> [UInt8] {
        var (rest, bytes) = (number, [UInt8]())
        repeat {
            let isLast = rest < 128
            bytes.append(UInt8(rest & 127) | (isLast ? 0 : 128))
            rest >>= 7
        } while rest > 0
        return bytes
    }

    /// Bytes with their number in front, in two bytes.
    static func field(_ bytes: some Collection<UInt8>) -> [UInt8] {
        [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }
}

/// Reads the body of a packet from its beginning to its end. A number or a field that the body does not have is nil.
struct MQTTBodyReader {
    private var rest: ArraySlice<UInt8>

    init(_ body: ArraySlice<UInt8>) { rest = body }

    /// The number of bytes that are left.
    var count: Int { rest.count }

    mutating func byte() -> UInt8? { rest.popFirst() }

    /// A number of two bytes, the greater one first.
    mutating func number() -> UInt16? {
        guard let high = byte(), let low = byte() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    /// A number of four bytes, the greatest one first.
    mutating func longNumber() -> UInt32? {
        guard let high = number(), let low = number() else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    /// A number in up to four bytes of seven bits.
    mutating func length() -> Int? {
        var number = 0
        for shift in stride(from: 0, to: 28, by: 7) {
            guard let byte = byte() else { return nil }
            number |= Int(byte & 127) << shift
            if byte < 128 { return number }
        }
        return nil
    }

    /// Bytes that have their number in front.
    mutating func field() -> ArraySlice<UInt8>? {
        guard let count = number() else { return nil }
        return take(Int(count))
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
