import HTTPServing
import NIOCore
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct ClientAddressTests {
    @Test func anIPv6ClientIsItsNetwork() {
        #expect(ClientNetwork("2001:db8:1:2::1") == ClientNetwork("2001:db8:1:2:ffff:1:2:3"))
        #expect(ClientNetwork("2001:db8:1:2::1") != ClientNetwork("2001:db8:1:3::1"))
        #expect(ClientNetwork("192.0.2.1") != ClientNetwork("192.0.2.2"))
        #expect(ClientNetwork("::ffff:192.0.2.1") == ClientNetwork("192.0.2.1"))
        // Some proxies add the port.
        #expect(ClientNetwork("192.0.2.1:443") == ClientNetwork("192.0.2.1"))
        #expect(ClientNetwork("[2001:db8:1:2::1]:443") == ClientNetwork("2001:db8:1:2::9"))
        #expect(ClientNetwork("unknown") == ClientNetwork("unknown"))
        #expect(ClientNetwork("unknown") != ClientNetwork("other"))
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.5.6.7", true), ("::1", true), ("::ffff:127.0.0.1", true), ("192.0.2.1", false),
        ("::ffff:192.0.2.1", false), ("2001:db8::1", false), ("::2", false), ("0.0.0.0", false),
    ])
    func loopbackIsThisMachine(address: String, isThisMachine: Bool) throws {
        let client = ClientAddress(try SocketAddress(ipAddress: address, port: 1))
        #expect(client.isThisMachine == isThisMachine)
        #expect(!ClientAddress(forwarded: address).isThisMachine)
    }
}
