/// Divides the bytes of a broker into packets.
///
/// The reader keeps no more than ``mostBodyBytes`` of a packet, whatever the broker announces. A message has its topic in these, and the
/// rest of a message is not needed.
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
        var rest = MQTTBodyReader(buffer[(start + 1)...])
        guard let length = rest.length() else {
            guard rest.count == 0, buffer.count - start <= 4 else { throw Malformation() }
            return nil
        }
        let place = buffer.count - rest.count
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
