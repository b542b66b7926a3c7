import HTTPServing
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct HTTPServiceTests {
    @Test func onlyALoopbackServerNeedsNoEncryption() {
        var options = HTTPService.Options()
        for (host, isExposed) in [
            ("127.0.0.1", false), ("localhost", false), ("::1", false), ("0.0.0.0", true), ("::", true),
            ("192.0.2.1", true),
        ] {
            options.host = host
            #expect(options.isExposedWithoutTLS == isExposed, "\(host)")
        }
        options.trustsProxy = true
        #expect(!options.isExposedWithoutTLS)
        options.trustsProxy = false
        options.tls = .init(certificates: "", key: "")
        #expect(!options.isExposedWithoutTLS)
    }
}
