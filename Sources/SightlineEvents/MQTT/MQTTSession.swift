import TextFormatting

/// The client's side of one connection to a broker, apart from the network: bytes of the broker go in, and bytes for it come out.
///
/// Everything that a broker can make this keep is bounded: a packet by ``MQTTPacketReader``, retained topics by ``mostRetainedBytes``,
/// and all else by the messages that were published.
struct MQTTSession {
    /// An answer of the broker.
    enum Event: Sendable, Hashable {
        /// The broker has accepted the connection.
        case opened
        /// The broker has acknowledged a message, or refused it for a reason.
        case acknowledged(UInt16, refusal: String?)
    }

    /// The connection is of no use any longer.
    struct Failure: Error, Sendable, Hashable {
        var reason: String

        static let malformed = Self(reason: "the broker sent something that is not MQTT")
        static let silent = Self(reason: "the broker does not answer")
    }

    /// The name and the password of a client, and the message that the broker publishes if the connection breaks.
    struct Introduction {
        var identifier: String
        var user: String?
        var password: String?
        var will: MQTTMessage
    }

    /// The most messages that wait for an acknowledgment at a time. More wait here.
    private static let mostUnacknowledged = 20
    /// The most bytes of topics that are remembered as retained. A client that takes these back learns of others with its next connection.
    static let mostRetainedBytes = 1 << 20

    private let version: MQTTAddress.Version
    /// The length of no properties, which a packet of version 5 has; empty in version 3.1.1.
    private let noProperties: [UInt8]
    private var reader = MQTTPacketReader()
    private var output: [UInt8]
    /// Whether the broker has accepted the connection.
    private(set) var isOpen = false
    /// Whether this client ends the connection, which the broker closes then.
    private(set) var isEnding = false

    /// The numbers of messages without an acknowledgment, also of those in `queue`, and of subscriptions.
    private var numbers: Set<UInt16> = []
    private var lastNumber: UInt16 = 0
    /// The numbers of messages that were sent.
    private var unacknowledged: Set<UInt16> = []
    private var queue: ArraySlice<(number: UInt16, packet: [UInt8])> = []

    /// The limits of the broker.
    private var mostAtATime = mostUnacknowledged
    private var mostPacketBytes = MQTTPacket.mostBytes
    private var retainsMessages = true

    /// The topics of ``subscribe(to:)`` at which the broker has retained messages.
    private(set) var retained: Set<String> = []
    private var retainedBytes = 0

    /// The time after which the client gives a sign; nil for never.
    private var keepAlive: Duration?
    private var lastSent: ContinuousClock.Instant
    /// The time since which the broker owes a sign.
    private var asked: ContinuousClock.Instant?

    /// Begins a connection.
    ///
    /// - Parameter keepAlive: the time in seconds after which the client gives a sign.
    /// - Throws: ``MQTTFailure`` if a text is too long for the protocol.
    init(
        _ version: MQTTAddress.Version,
        _ client: Introduction,
        keepAlive: UInt16 = 20,
        at now: ContinuousClock.Instant
    ) throws(MQTTFailure) {
        (self.version, self.keepAlive, lastSent) = (version, .seconds(Int(keepAlive)), now)
        noProperties = version == .v5 ? [0] : []
        // Version 3.1.1 has no password without a user.
        let password = client.user == nil && version == .v3 ? nil : client.password
        let will = client.will
        let fields = [Array(client.identifier.utf8), Array(will.topic.utf8), will.payload]
        let more = [client.user, password].compactMap { $0.map { Array($0.utf8) } }
        guard (fields + more).allSatisfy({ $0.count <= UInt16.max }) else {
            throw .refused(reason: "a topic, user or password has more than 65,535 bytes")
        }
        // A clean session, with a last will that is acknowledged.
        var flags: UInt8 = 0x02 | 0x04 | 0x08
        if will.isRetained { flags |= 0x20 }
        if client.user != nil { flags |= 0x80 }
        if password != nil { flags |= 0x40 }
        var body = MQTTPacket.field("MQTT".utf8) + [version == .v5 ? 5 : 4, flags]
        body += [UInt8(keepAlive >> 8), UInt8(keepAlive & 255)] + noProperties
        body += MQTTPacket.field(fields[0])
        body += noProperties + MQTTPacket.field(fields[1]) + MQTTPacket.field(fields[2])
        for field in more { body += MQTTPacket.field(field) }
        output = MQTTPacket(.connect, body: body).bytes
    }

    // MARK: - Toward the broker

    /// The bytes to send now, once.
    mutating func takeOutput(at now: ContinuousClock.Instant) -> [UInt8] {
        guard !output.isEmpty else { return [] }
        lastSent = now
        defer { output = [] }
        return output
    }

    /// Sends a message as soon as the broker takes it, and returns the number of its acknowledgment.
    mutating func publish(_ message: MQTTMessage) throws(MQTTFailure) -> UInt16 {
        guard isOpen else { throw .away(reason: "the connection is closed") }
        guard Self.isTopic(message.topic) else { throw .refused(reason: "the topic cannot be used") }
        guard retainsMessages || !message.isRetained else { throw .refused(reason: "the broker retains no messages") }
        let topic = MQTTPacket.field(message.topic.utf8)
        let count = topic.count + 2 + noProperties.count + message.payload.count
        guard count <= MQTTPacket.mostBytes, 1 + MQTTPacket.length(count).count + count <= mostPacketBytes else {
            let limit = "(it takes packets of up to \(NumberText.count(mostPacketBytes, "byte")))"
            throw .refused(
                reason: "the broker does not take a message of \(message.payload.count) bytes \(limit)",
                isTooLarge: true
            )
        }
        let number = try nextNumber()
        let body = topic + Self.bytes(number) + noProperties + message.payload
        let packet = MQTTPacket(.publish, flags: message.isRetained ? 3 : 2, body: body)
        queue.append((number, packet.bytes))
        sendQueue()
        return number
    }

    /// Asks for the messages of a topic with wildcards, at most once each. ``retained`` has the topics of those that are retained.
    mutating func subscribe(to topics: String) throws(MQTTFailure) {
        guard isOpen, topics.utf8.count <= UInt16.max else { return }
        let body = Self.bytes(try nextNumber()) + noProperties + MQTTPacket.field(topics.utf8) + [0]
        output += MQTTPacket(.subscribe, flags: 2, body: body).bytes
    }

    /// Sends the end of the connection, after which the broker publishes no last will.
    mutating func disconnect() {
        guard isOpen, !isEnding else { return }
        isEnding = true
        output += MQTTPacket(.disconnect).bytes
    }

    /// Asks the broker for a sign if nothing was sent for some time.
    mutating func checkSilence(at now: ContinuousClock.Instant) throws(Failure) {
        guard isOpen, let keepAlive else { return }
        if let asked {
            guard now - asked < keepAlive else { throw .silent }
        } else if now - lastSent >= keepAlive {
            output += MQTTPacket(.ping).bytes
            asked = now
        }
    }

    /// Forgets retained messages that were taken back.
    mutating func forgetRetained(_ topics: some Sequence<String>) {
        for topic in topics where retained.remove(topic) != nil { retainedBytes -= topic.utf8.count }
    }

    private mutating func sendQueue() {
        while unacknowledged.count < mostAtATime, let next = queue.popFirst() {
            unacknowledged.insert(next.number)
            output += next.packet
        }
        // A slice keeps what was taken from its beginning.
        if queue.isEmpty { queue = [] }
    }

    private mutating func nextNumber() throws(MQTTFailure) -> UInt16 {
        guard numbers.count < UInt16.max else { throw .away(reason: "too many messages wait for the broker") }
        repeat { lastNumber = lastNumber == .max ? 1 : lastNumber + 1 } while !numbers.insert(lastNumber).inserted
        return lastNumber
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

    /// Whether a text names one topic.
    private static func isTopic(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= UInt16.max
            && !text.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }
    }

    // MARK: - From the broker

    /// Reads the next bytes of the broker.
    ///
    /// - Parameter events: Receives the answers in them, also those before an error.
    mutating func receive(_ bytes: some Collection<UInt8>, events: inout [Event]) throws(Failure) {
        reader.append(bytes)
        while let packet = try nextPacket() {
            guard packet.kind == .publish || packet.flags == 0 && packet.missingBytes == 0 else { throw .malformed }
            if let event = try handle(packet) { events.append(event) }
        }
    }

    private mutating func nextPacket() throws(Failure) -> MQTTPacket? {
        do { return try reader.next() } catch { throw .malformed }
    }

    private mutating func handle(_ packet: MQTTPacket) throws(Failure) -> Event? {
        var body = MQTTBodyReader(packet.body[...])
        guard isOpen else {
            guard packet.kind == .connectionAnswer else { throw .malformed }
            try accept(&body)
            return .opened
        }
        switch packet.kind {
        case .publish:
            try readMessage(packet, &body)
            return nil
        case .publishAnswer:
            return try readAcknowledgment(&body)
        case .subscribeAnswer:
            guard body.number() != nil else { throw .malformed }
            return nil
        case .pingAnswer:
            asked = nil
            return nil
        case .disconnect where version == .v5:
            throw Failure(reason: "the broker ended the connection (\(MQTTReason.text(body.byte() ?? 0)))")
        default:
            throw .malformed
        }
    }

    private mutating func accept(_ body: inout MQTTBodyReader) throws(Failure) {
        guard body.byte() != nil, let code = body.byte() else { throw .malformed }
        guard code == 0 else {
            throw Failure(reason: "the broker refused the connection (\(MQTTReason.connection(code)))")
        }
        if version == .v5 {
            guard let properties = MQTTProperties(&body) else { throw .malformed }
            try apply(properties)
        }
        isOpen = true
    }

    /// Keeps to the limits of a broker (section 3.2.2.3 of version 5).
    private mutating func apply(_ properties: MQTTProperties) throws(Failure) {
        if let most = properties[.receiveMaximum] {
            guard most > 0 else { throw .malformed }
            mostAtATime = min(mostAtATime, most)
        }
        if let most = properties[.maximumPacketSize] {
            guard most > 0 else { throw .malformed }
            mostPacketBytes = most
        }
        guard properties[.maximumQoS] != 0 else {
            throw Failure(reason: "the broker gives no acknowledgments (QoS 1)")
        }
        retainsMessages = properties[.retainAvailable] != 0
        if let seconds = properties[.serverKeepAlive] { keepAlive = seconds > 0 ? .seconds(seconds) : nil }
    }

    /// Notes the topic of a retained message. The broker sends messages without a number, as it was asked to.
    private mutating func readMessage(_ packet: MQTTPacket, _ body: inout MQTTBodyReader) throws(Failure) {
        guard packet.flags & ~1 == 0, let bytes = body.field(), let topic = String(validating: bytes, as: UTF8.self),
            Self.isTopic(topic)
        else { throw .malformed }
        var rest = 0
        if version == .v5 {
            guard let count = body.length() else { throw .malformed }
            rest = count
        }
        rest = body.count + packet.missingBytes - rest
        guard rest >= 0 else { throw .malformed }
        guard packet.flags == 1, rest > 0, retainedBytes + bytes.count <= Self.mostRetainedBytes else { return }
        if retained.insert(topic).inserted { retainedBytes += topic.utf8.count }
    }

    private mutating func readAcknowledgment(_ body: inout MQTTBodyReader) throws(Failure) -> Event? {
        guard let number = body.number(), version == .v5 || body.count == 0 else { throw .malformed }
        let code = body.byte() ?? 0
        // A broker may acknowledge a message again.
        guard unacknowledged.remove(number) != nil else { return nil }
        numbers.remove(number)
        sendQueue()
        let refusal = code < 128 ? nil : "the broker refused a message (\(MQTTReason.text(code)))"
        return .acknowledged(number, refusal: refusal)
    }
}
