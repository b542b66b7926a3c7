import SightlineTestSupport
import Testing

@testable import ModelCatalog

/// Where models may be downloaded from.
@Suite(.hangLimit)
struct DownloadAddressTests {
    @Test(arguments: [
        "https://example.org/m.tflite", "HTTPS://example.org/m.tflite?x=1", "http://127.0.0.1:8080/m",
        "http://localhost/m",
        "http://[::1]:80/m", "http://127.9.9.9/m",
    ])
    func httpsAnywhereAndHTTPOnThisMachine(address: String) throws {
        #expect(try DownloadAddress(address).text == address)
    }

    @Test(arguments: [
        "http://example.org/m", "http://127.0.0.1.example.org/m", "http://127.0.0.1@example.org/m",
        "ftp://example.org/m",
        "file:///etc/passwd", "https://", "https:///m", "https://user:secret@example.org/m", "m.tflite", "",
        "https://example.org/a b", "http://127.0.0/m", "http://128.0.0.1/m", "http://10.0.0.1/m",
    ])
    func nothingElse(address: String) {
        #expect(throws: ModelCatalogError.self) { try DownloadAddress(address) }
    }

    @Test(arguments: ["http://example.org/m", "http://127.0.0.1/m", "ftp://example.org/m", "file:///m"])
    func httpsNeverRedirectsToAnythingElse(target: String) throws {
        let secure = try DownloadAddress("https://example.org/m")
        #expect(throws: ModelCatalogError.insecureRedirect(from: secure.text, to: target)) {
            try secure.redirected(to: target)
        }
    }

    @Test func redirectsBetweenSecureAddressesAreFollowed() throws {
        let secure = try DownloadAddress("https://example.org/m")
        #expect(try secure.redirected(to: "https://cdn.example.org/m").text == "https://cdn.example.org/m")
        let local = try DownloadAddress("http://127.0.0.1/m")
        #expect(try local.redirected(to: "http://127.0.0.1/n").isLocal)
    }
}
