import Foundation
import SightlineTestSupport
import Testing

/// Drawing on the page of `sightline zones` in a real browser, with the mouse, fingers and the keyboard.
@Suite(.serialized, .hangLimit, .enabled(if: Chromium.isAvailable, Chromium.reason), WithChromium())
struct ZonesBrowserTests {
    /// A picture of 203 × 150 pixels.
    private static let picture = TestData.fixture("images/large.png")
    /// A video of 64 × 48 pixels, each of which has several in the narrowest window.
    private static let video = TestData.fixture("videos/h264-aac.mp4")

    /// Opens the page of a picture or video.
    private func draw(on file: URL = picture, _ body: (BrowserPage) async throws -> Void) async throws {
        try await ZonesServer.with([file.path]) { server in
            try await BrowserPage.with(base: server.address) { page in
                try await page.resize(width: 1280)
                try await page.open("/")
                try await body(page)
            }
        }
    }

    @Test func aLineAndAZoneBecomeOptionsAndYAML() async throws {
        try await draw { page in
            #expect(try await page.content("command") == "Draw a line or a zone.")
            for point in [(60, 10), (60, 110)] { try await page.click(point) }
            #expect(try await page.content("command") == "--line 'line 1=60,10,60,110'")
            try await page.click("Zone")
            for point in [(90, 40), (170, 44), (160, 120), (92, 121)] { try await page.click(point) }
            // The second click of a double click closes the zone.
            try await page.click((92, 121))
            try await page.type("door", into: "name-0")
            try await page.type("it's a yard", into: "name-1")
            let command = #"--line door=60,10,60,110 --zone 'it'\''s a yard=90,40 170,44 160,120 92,121'"#
            #expect(try await page.content("command") == command)
            let yaml = """
                line:
                  door: "60,10,60,110"
                zone:
                  "it's a yard": "90,40 170,44 160,120 92,121"
                """
            #expect(try await page.content("yaml") == yaml)
        }
    }

    @Test(arguments: [360, 1280, 2400]) func coordinatesArePixelsOfTheFrameInAnyWindow(width: Int) async throws {
        try await draw(on: Self.video) { page in
            try await page.resize(width: width)
            for point in [(0, 47), (63, 7)] { try await page.click(point) }
            #expect(try await page.content("command") == "--line 'line 1=0,47,63,7'")
        }
    }

    @Test func aClickBesideThePictureMeansItsEdge() async throws {
        try await draw { page in
            for point in [(100, -1), (100, 151)] { try await page.click(point) }
            #expect(try await page.content("command") == "--line 'line 1=100,0,100,150'")
        }
    }

    @Test func cornersAreDraggedAndStepsTakenBack() async throws {
        try await draw { page in
            for point in [(60, 10), (60, 110)] { try await page.click(point) }
            try await page.drag((60, 110), to: (80, 100))
            #expect(try await page.content("command") == "--line 'line 1=60,10,80,100'")
            try await page.strike("z", modifiers: 2)
            #expect(try await page.content("command") == "--line 'line 1=60,10,60,110'")
            try await page.click("Turn")
            #expect(try await page.content("command") == "--line 'line 1=60,110,60,10'")
            try await page.click("Delete")
            #expect(try await page.content("command") == "Draw a line or a zone.")
            for _ in 0..<2 { try await page.click("Undo") }
            #expect(try await page.content("command") == "--line 'line 1=60,10,60,110'")
        }
    }

    @Test func theArrowPointsToTheRightOfTheWay() async throws {
        try await draw { page in
            // Downward: right of the way is the left of the picture.
            for point in [(100, 20), (100, 110)] { try await page.click(point) }
            let place = "Number(document.querySelector('text.in').getAttribute('x'))"
            let left = try #require(try await page.evaluate(place).number)
            #expect(left < 100)
            try await page.click("Turn")
            let right = try #require(try await page.evaluate(place).number)
            #expect(right > 100)
        }
    }

    @Test func theKeyboardAloneIsEnough() async throws {
        try await draw { page in
            try await page.click("Zone")
            try await page.evaluate("document.getElementById('insert').focus()")
            try await page.strike("Enter", text: "\r")
            // The first corner of the new zone has the focus.
            try await page.strike("ArrowRight")
            try await page.strike("ArrowDown", modifiers: 8)
            #expect(try await page.content("command") == "--zone 'zone 1=72,63 132,53 132,98 71,98'")
            let label = try await page.evaluate("document.activeElement.getAttribute('aria-label')").string
            #expect(label == "zone 1, corner 1 of 4: 72, 63")
            try await page.strike("Tab")
            try await page.strike("Delete")
            #expect(try await page.content("command") == "--zone 'zone 1=72,63 132,98 71,98'")
        }
    }

    @Test func enterClosesAZoneAndEscapeGivesItUp() async throws {
        try await draw { page in
            try await page.click("Zone")
            for point in [(10, 10), (50, 10), (50, 50)] { try await page.click(point) }
            try await page.strike("Enter", text: "\r")
            #expect(try await page.content("command") == "--zone 'zone 1=10,10 50,10 50,50'")
            for point in [(100, 10), (150, 10)] { try await page.click(point) }
            try await page.strike("Enter", text: "\r")
            #expect(try await page.content("status").contains("at least three corners"))
            try await page.strike("Escape")
            #expect(try await page.content("command") == "--zone 'zone 1=10,10 50,10 50,50'")
        }
    }

    @Test func fingersDrawAndDrag() async throws {
        try await draw(on: Self.video) { page in
            try await page.resize(width: 360, mobile: true)
            try await page.call("Emulation.setTouchEmulationEnabled", ["enabled": true])
            for point in [(12, 8), (50, 8)] { try await page.tap(point) }
            #expect(try await page.content("command") == "--line 'line 1=12,8,50,8'")
            try await page.swipe((50, 8), to: (42, 36))
            #expect(try await page.content("command") == "--line 'line 1=12,8,42,36'")
        }
    }

    @Test func aNameIsThereOnceAndIsNeverEmpty() async throws {
        try await draw { page in
            for point in [(60, 10), (60, 110), (90, 10), (90, 110)] { try await page.click(point) }
            try await page.type("line 1", into: "name-1")
            #expect(try await page.content("wrong-1").contains("Another line or zone has this name."))
            let command = "--line 'line 1=60,10,60,110' --line 'line 2=90,10,90,110'"
            #expect(try await page.content("command") == command)
            try await page.type("yes", into: "name-1")
            try await page.type(" ", into: "name-0")
            #expect(
                try await page.content("yaml") == "line:\n  \"line 1\": \"60,10,60,110\"\n  \"yes\": \"90,10,90,110\""
            )
            // The field shows the name that holds as soon as it is left.
            try await page.evaluate("document.getElementById('name-0').blur()")
            #expect(try await page.evaluate("document.getElementById('name-0').value").string == "line 1")
        }
    }

    @Test func theTextsAreCopied() async throws {
        try await draw { page in
            for point in [(60, 10), (60, 110)] { try await page.click(point) }
            try await page.evaluate(
                "window.copied = []; navigator.clipboard.writeText = async (text) => copied.push(text)"
            )
            try await page.click("Copy the options")
            try await page.click("Copy the entries")
            try await page.wait(for: "copied.length === 2")
            let copied = try await page.evaluate("copied").array.map(\.string)
            #expect(copied == ["--line 'line 1=60,10,60,110'", "line:\n  \"line 1\": \"60,10,60,110\""])
        }
    }

    @Test func everybodyCanReadAndReachEverything() async throws {
        try await draw { page in
            for point in [(60, 10), (60, 110)] { try await page.click(point) }
            try await page.click("Zone")
            for point in [(90, 40), (170, 44), (160, 120), (90, 40)] { try await page.click(point) }
            try await page.checkAccessibility("zones")
            // The keyboard would continue from the last click.
            try await page.evaluate("location.hash = 'top'")
            try await page.checkKeyboard("zones")
        }
    }
}

extension BrowserPage {
    fileprivate func resize(width: Int, mobile: Bool = false) async throws {
        try await call(
            "Emulation.setDeviceMetricsOverride",
            ["width": .number(Double(width)), "height": 800, "deviceScaleFactor": 1, "mobile": .bool(mobile)]
        )
    }

    /// The text of an element.
    fileprivate func content(_ id: String) async throws -> String {
        try await evaluate("document.getElementById(\(Self.quoted(id))).textContent").string ?? ""
    }

    /// Types a text into a field in the place of its own.
    fileprivate func type(_ text: String, into id: String) async throws {
        try await evaluate("document.getElementById(\(Self.quoted(id))).focus(); document.activeElement.select()")
        try await call("Input.insertText", ["text": .string(text)])
    }

    /// The place of a pixel of the frame in the window.
    private func place(_ point: (Int, Int)) async throws -> (x: JSONValue, y: JSONValue) {
        let place = try await evaluate(
            """
            (() => {
              const picture = document.getElementById("picture");
              picture.scrollIntoView({ block: "nearest" });
              const corner = new DOMPoint(\(point.0), \(point.1)).matrixTransform(picture.getScreenCTM());
              return [corner.x, corner.y];
            })()
            """
        ).array
        return (try #require(place.first), try #require(place.last))
    }

    private func mouse(_ type: String, _ place: (x: JSONValue, y: JSONValue)) async throws {
        try await call(
            "Input.dispatchMouseEvent",
            [
                "type": .string(type), "x": place.x, "y": place.y, "button": "left", "clickCount": 1,
                "buttons": type == "mouseReleased" ? 0 : 1,
            ]
        )
    }

    fileprivate func click(_ point: (Int, Int)) async throws {
        let place = try await place(point)
        try await mouse("mousePressed", place)
        try await mouse("mouseReleased", place)
    }

    fileprivate func drag(_ start: (Int, Int), to end: (Int, Int)) async throws {
        try await mouse("mousePressed", place(start))
        for step in 1...4 {
            let way = (start.0 + (end.0 - start.0) * step / 4, start.1 + (end.1 - start.1) * step / 4)
            try await mouse("mouseMoved", place(way))
        }
        try await mouse("mouseReleased", place(end))
    }

    private func touch(_ type: String, _ points: [(Int, Int)]) async throws {
        var places: [JSONValue] = []
        for point in points {
            let place = try await place(point)
            places.append(["x": place.x, "y": place.y])
        }
        try await call("Input.dispatchTouchEvent", ["type": .string(type), "touchPoints": .array(places)])
    }

    fileprivate func tap(_ point: (Int, Int)) async throws {
        try await touch("touchStart", [point])
        try await touch("touchEnd", [])
    }

    fileprivate func swipe(_ start: (Int, Int), to end: (Int, Int)) async throws {
        try await touch("touchStart", [start])
        for step in 1...4 {
            try await touch(
                "touchMove",
                [(start.0 + (end.0 - start.0) * step / 4, start.1 + (end.1 - start.1) * step / 4)]
            )
        }
        try await touch("touchEnd", [])
    }

    /// Presses a key: with modifiers 2 for Control and 8 for Shift.
    fileprivate func strike(_ key: String, modifiers: Int = 0, text: String? = nil) async throws {
        let codes = [
            "Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
            "Delete": 46, "z": 90,
        ]
        var event: [String: JSONValue] = [
            "key": .string(key), "code": .string(key == "z" ? "KeyZ" : key),
            "windowsVirtualKeyCode": .number(Double(codes[key] ?? 0)), "modifiers": .number(Double(modifiers)),
        ]
        if let text { event["text"] = .string(text) }
        for type in ["keyDown", "keyUp"] {
            event["type"] = .string(type)
            try await call("Input.dispatchKeyEvent", event)
        }
    }
}
