import NIOCore

/// The origin of a request.
package struct ClientAddress: Sendable, CustomStringConvertible {
    private enum Source {
        case socket(SocketAddress?)
        case forwarded(String)
        case machine
    }

    private let source: Source
    /// The network by which limits count the client.
    package let network: ClientNetwork

    /// Creates the address of the other end of a connection.
    package init(_ address: SocketAddress?) {
        source = .socket(address)
        network = ClientNetwork(address)
    }

    /// Creates the address of a client from `X-Forwarded-For` of a trusted proxy: an address, with or without a port.
    package init(forwarded text: String) {
        source = .forwarded(text)
        network = ClientNetwork(text)
    }

    private init(_ source: Source) {
        self.source = source
        network = .named("")
    }

    /// The address of a command on the server's own machine.
    package static let local = ClientAddress(.machine)

    /// Whether a command on the server's machine sends the request, with all rights and without a network.
    package var isLocal: Bool {
        if case .machine = source { true } else { false }
    }

    /// Whether the request comes from a program on the server's machine, and not through a proxy that names its client.
    package var isThisMachine: Bool {
        switch source {
        case .machine: true
        case .forwarded, .socket(nil): false
        case .socket(let address?):
            switch (network, address) {
            case (.ipv4(let number), _): number >> 24 == 127
            case (.ipv6, .v6): address.ipAddress == "::1"
            default: false
            }
        }
    }

    /// The address as written to the log.
    package var description: String {
        switch source {
        case .socket(let address): address?.ipAddress ?? "unknown"
        case .forwarded(let text): text
        case .machine: "local"
        }
    }
}

/// The part of an address that identifies a client: an IPv4 address, or the first 64 bits of an IPv6 address. Clients
/// choose the other 64 bits themselves.
package enum ClientNetwork: Hashable, Sendable {
    case ipv4(UInt32)
    case ipv6(UInt64)
    case named(String)

    package init(_ address: SocketAddress?) {
        switch address {
        case .v4(let address): self = .ipv4(UInt32(bigEndian: address.address.sin_addr.s_addr))
        case .v6(let address):
            self = withUnsafeBytes(of: address.address.sin6_addr) { Self(ipv6: Array($0)) }
        case .unixDomainSocket, nil: self = .named("")
        }
    }

    package init(_ text: String) {
        if let address = try? SocketAddress(ipAddress: Self.withoutPort(text), port: 0) {
            self.init(address)
        } else {
            self = .named(text)
        }
    }

    /// - Parameter bytes: The 16 bytes of the address.
    private init(ipv6 bytes: [UInt8]) {
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        // ::ffff:a.b.c.d is an IPv4 client of a socket that accepts both.
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11].allSatisfy { $0 == 0xFF }
        self =
            isMapped ? .ipv4(UInt32(truncatingIfNeeded: number(bytes[12...]))) : .ipv6(number(bytes.prefix(8)))
    }

    /// Removes brackets and the port from `192.0.2.1:443` and `[2001:db8::1]:443`.
    private static func withoutPort(_ text: String) -> String {
        if text.first == "[" { return String(text.dropFirst().prefix { $0 != "]" }) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : text
    }
}
