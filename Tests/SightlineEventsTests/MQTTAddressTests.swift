import SightlineEvents
import Testing

/// Addresses of brokers, and the topics below them.
@Suite struct MQTTAddressTests {
    @Test func readsAllParts() throws {
        let address = try MQTTAddress("mqtts://cam@broker.local:8884/home/yard?version=5")
        #expect(address.host == "broker.local" && address.port == 8884 && address.isSecure)
        #expect(address.user == "cam" && address.prefix == "home/yard" && address.version == .v5)
        #expect("\(address)" == "mqtts://broker.local:8884/home/yard")
    }

    @Test func hasDefaults() throws {
        let plain = try MQTTAddress("mqtt://10.0.0.2")
        #expect(
            plain.port == 1883 && !plain.isSecure && plain.user == nil && plain.prefix == "sightline"
                && plain.version == .v3
        )
        #expect(try MQTTAddress("mqtts://broker/").port == 8883)
    }

    @Test func readsAnAddressOfIPv6() throws {
        let address = try MQTTAddress("mqtt://[::1]:1884/x")
        #expect(address.host == "::1" && address.port == 1884 && "\(address)" == "mqtt://[::1]:1884/x")
    }

    @Test(arguments: [
        ("broker.local", "it is not of the form mqtt://host/prefix"),
        ("http://broker.local/x", "it begins neither with mqtt:// nor with mqtts://"),
        ("mqtt:///x", "it is not of the form mqtt://host/prefix"),
        ("mqtt://broker.local:70000/x", "it has no such port"),
        ("mqtt://broker.local/a+b", "its prefix contains +, # or a control character"),
        ("mqtt://broker.local/a?version=4", "its query is neither version=3 nor version=5"),
        ("mqtt://broker.local/a#b", "it contains the character #"),
    ])
    func refuses(text: String, reason: String) {
        #expect(throws: EventError.invalidAddress(text, reason: reason)) { try MQTTAddress(text) }
    }

    @Test func neverRepeatsAPassword() {
        let error = #expect(throws: EventError.self) { try MQTTAddress("mqtt://cam:hunter2@broker.local/x") }
        #expect(error?.description.contains("hunter2") == false)
        #expect(error?.description.contains("belongs in a file or in the environment") == true)
    }

    @Test func keepsNamesOfCamerasInTheirLevel() throws {
        let address = try MQTTAddress("mqtt://broker.local/home")
        #expect(address.topic(ofCamera: "front door") == "home/front door")
        #expect(address.topic(ofCamera: "a/b+c#\u{0}") == "home/a_b_c__")
        #expect(address.topic(ofCamera: "") == "home/_")
    }
}
