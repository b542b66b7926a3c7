/// Divides the bytes of a broker into packets.
///
/// It keeps no more than ``mostBodyBytes`` of a packet, whatever the broker announces: that is enough for the topic of a message, and
/// nobody here reads more.
struct MQTTPacketReader {
    /// The most bytes of a body that are kept: a topic, its length, and the length of properties.
    static let mostBodyBytes = 65_535 + 2 + 4

    /// The bytes of a broker are not those of the protocol.
    struct Malformation: Error {}

    private var buffer: [UInt8] = []
    /// The place in the buffer where the next packet begins.
    private var start = 0
    /// The number of bytes behind the buffer that belong to the last packet and are not kept.
    private var skipped = 0

    /// Adds the next bytes of a broker.
    mutating func append(_ bytes: some Collection<UInt8>) {
        buffer.removeFirst(start)
        start = 0
        let past = min(skipped, bytes.count)
        skipped -= past
        buffer += bytes.dropFirst(past)
    }

    /// The next packet; nil if more bytes have to come.
    ///
    /// - Throws: ``Malformation``. The reader cannot be used after that.
    mutating func next() throws(Malformation) -> MQTTPacket? {
        guard start < buffer.count else { return nil }
        guard let kind = MQTTPacket.Kind(rawValue: buffer[start] >> 4) else { throw Malformation() }
        var (length, place, shift) = (0, start + 1, 0)
        while true {
            guard shift < 28 else { throw Malformation() }
            guard place < buffer.count else { return nil }
            let byte = buffer[place]
            length |= Int(byte & 127) << shift
            (place, shift) = (place + 1, shift + 7)
            if byte < 128 { break }
        }
        let end = place + min(length, Self.mostBodyBytes)
        guard end <= buffer.count else { return nil }
        let packet = MQTTPacket(
            kind,
            flags: buffer[start] & 15,
            body: Array(buffer[place..<end]),
            missingBytes: length - (end - place)
        )
        let next = end + packet.missingBytes
        start = min(next, buffer.count)
        skipped = next - start
        return packet
    }
}
