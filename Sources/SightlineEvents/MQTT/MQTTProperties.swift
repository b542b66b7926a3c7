/// The properties of a packet of version 5 that are numbers (section 2.2.2).
struct MQTTProperties {
    /// A property that matters here.
    enum Name: UInt8 {
        case serverKeepAlive = 0x13
        case receiveMaximum = 0x21
        case maximumQoS = 0x24
        case retainAvailable = 0x25
        case maximumPacketSize = 0x27
    }

    private var numbers: [UInt8: Int] = [:]

    /// Reads the properties with their length in front; nil if they are damaged, or one is unknown.
    init?(_ body: inout MQTTBodyReader) {
        guard let count = body.length(), let bytes = body.take(count) else { return nil }
        var rest = MQTTBodyReader(bytes)
        while let name = rest.byte() {
            switch name {
            case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A:
                guard let number = rest.byte() else { return nil }
                numbers[name] = Int(number)
            case 0x13, 0x21, 0x22, 0x23:
                guard let number = rest.number() else { return nil }
                numbers[name] = Int(number)
            case 0x02, 0x11, 0x18, 0x27:
                guard let number = rest.longNumber() else { return nil }
                numbers[name] = Int(number)
            case 0x0B:
                guard rest.length() != nil else { return nil }
            case 0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F:
                guard rest.field() != nil else { return nil }
            case 0x26:
                guard rest.field() != nil, rest.field() != nil else { return nil }
            default:
                return nil
            }
        }
    }

    /// The number of a property; nil if the packet does not have it.
    subscript(name: Name) -> Int? { numbers[name.rawValue] }
}
