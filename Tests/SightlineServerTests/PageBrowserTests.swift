import Foundation
import SightlineServer
import SightlineTestSupport
import SightlineTesting
import Testing

/// The page that tries the server, in a real browser.
@Suite(.serialized, .hangLimit, .enabled(if: Chromium.isAvailable, Chromium.reason), WithChromium())
struct PageBrowserTests {
    private func browse(_ body: @escaping @Sendable (BrowserPage) async throws -> Void) async throws {
        let browser = WithChromium.browser
        try await TestServer.with { server in
            let port = try #require(server.client.port)
            try await WithChromium.$browser.withValue(browser) {
                try await BrowserPage.with(base: "http://127.0.0.1:\(port)") { page in
                    try await page.open("/")
                    try await page.wait(for: "document.querySelector('#model').options.length > 1")
                    try await body(page)
                }
            }
        }
    }

    @Test func aDroppedPhotoIsDrawnWithItsObjects() async throws {
        try await browse { page in
            try await page.checkAccessibility("the page before a photo")
            try await page.drop(try TestScene.two.png(), named: "blocks.png", on: "file")
            try await page.wait(for: "!document.querySelector('#results').hidden")
            #expect(try await page.text().contains("2 objects in "))
            let names = try await page.evaluate(
                "[...document.querySelectorAll('#boxes text')].map((one) => one.textContent)"
            )
            #expect(names.array.compactMap(\.string) == ["green", "red"])
            try await page.checkAccessibility("the page with a photo")
        }
    }

    @Test func aFileThatIsNoPhotoHasASentence() async throws {
        try await browse { page in
            try await page.drop(Data("hello".utf8), named: "a.txt", on: "file")
            try await page.wait(for: "document.querySelector('#status').classList.contains('error')")
            let status = try await page.evaluate("document.querySelector('#status').textContent").string ?? ""
            #expect(status.contains("this is plain text"), "\(status)")
        }
    }
}
