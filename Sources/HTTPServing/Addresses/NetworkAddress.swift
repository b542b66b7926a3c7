import Foundation
import NIOCore

/// An address that a host's name stands for.
package struct NetworkAddress: Sendable, Hashable {
    /// The address as text, such as `192.0.2.1`.
    package let text: String
    private let bytes: [UInt8]

    /// The address of a socket; nil if it is not one of the Internet.
    package init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        self.text = text
        switch address {
        case .v4(let address): bytes = withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address): bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
        case .unixDomainSocket: return nil
        }
    }

    /// Whether the address belongs to a host of the public Internet (RFC 6890, IANA's registries of special addresses).
    package var isPublic: Bool {
        bytes.count == 4 ? Self.isPublic(ipv4: bytes[...]) : Self.isPublic(ipv6: bytes)
    }

    private static func isPublic(ipv4 bytes: ArraySlice<UInt8>) -> Bool {
        let number = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return !specialIPv4.contains { number >> (32 - $0.bits) == $0.prefix >> (32 - $0.bits) }
    }

    private static let specialIPv4: [(prefix: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
        (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
        (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
    ]

    private static func isPublic(ipv6 bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return false }
        // Addresses that contain an IPv4 address: mapped and translated ones, and those of 6to4.
        if bytes[0..<10].allSatisfy({ $0 == 0 }), bytes[10...11].allSatisfy({ $0 == 0xFF }) {
            return isPublic(ipv4: bytes[12...])
        }
        if bytes[0..<12].elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
            return isPublic(ipv4: bytes[12...])
        }
        if bytes[0..<2].elementsEqual([0x20, 0x02]) { return isPublic(ipv4: bytes[2..<6]) }
        // 2000::/3 without documentation and Teredo.
        return bytes[0] >> 5 == 1 && !bytes[0..<4].elementsEqual([0x20, 0x01, 0x0D, 0xB8])
            && !bytes[0..<4].elementsEqual([0x20, 0x01, 0, 0])
    }

    /// The addresses of a host. Waits for the system's resolver, so call it from ``NameLookUps`` alone.
    package static func addresses(of host: String) -> [NetworkAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        // The list and its addresses live until `freeaddrinfo`. An address has the type that its family says.
        return sequence(first: list, next: { $0?.pointee.ai_next }).prefix { $0 != nil }.compactMap { entry in
            guard let entry, let raw = UnsafeRawPointer(entry.pointee.ai_addr) else { return nil }
            switch entry.pointee.ai_family {
            case AF_INET: return NetworkAddress(SocketAddress(raw.load(as: sockaddr_in.self)))
            case AF_INET6: return NetworkAddress(SocketAddress(raw.load(as: sockaddr_in6.self)))
            default: return nil
            }
        }
    }
}
