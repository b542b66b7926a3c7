/// The meanings of the codes with which a broker refuses.
enum MQTTReason {
    /// The codes of version 5 for the reasons for which a broker of version 3.1.1 refuses a connection (table 3.1 of version 3.1.1).
    private static let codes: [UInt8: UInt8] = [1: 0x84, 2: 0x85, 3: 0x88, 4: 0x86, 5: 0x87]

    /// The meaning of a code in the answer to a connection, of either version.
    static func connection(_ code: UInt8) -> String { text(codes[code] ?? code) }

    /// The meaning of a code of version 5 (section 2.4).
    static func text(_ code: UInt8) -> String {
        switch code {
        case 0x00: "it ends normally"
        case 0x81: "malformed packet"
        case 0x82: "protocol error"
        case 0x84: "it does not speak this version"
        case 0x85: "it does not take the identifier of this client"
        case 0x86: "bad user name or password"
        case 0x87: "not authorized"
        case 0x88: "the service is unavailable"
        case 0x89: "it is busy"
        case 0x8A: "this client is banned"
        case 0x8B: "it shuts down"
        case 0x8D: "it missed a sign of this client"
        case 0x8E: "another client has the same identifier"
        case 0x90: "it does not take this topic"
        case 0x93: "too many messages at a time"
        case 0x95: "the packet is too large"
        case 0x96: "too many messages"
        case 0x97: "a quota is used up"
        case 0x98: "somebody ended the connection"
        case 0x99: "it does not take such a payload"
        case 0x9A: "it retains no messages"
        case 0x9B: "it gives no acknowledgments"
        case 0x9C, 0x9D: "another server is in charge"
        case 0x9F: "too many connections"
        default: "code \(code)"
        }
    }
}
