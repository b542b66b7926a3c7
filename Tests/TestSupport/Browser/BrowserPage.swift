import Foundation
import Testing

/// A page of a browser that shares nothing with other pages.
package struct BrowserPage {
    let browser: Chromium
    let session: String
    let context: String
    let base: String

    /// Calls `body` with a new page, and checks afterwards that nothing was written on its console and that it asked no other
    /// host for anything.
    package static func with(
        base: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (BrowserPage) async throws -> Void
    ) async throws {
        let browser = try #require(WithChromium.browser)
        let context = try await browser.call("Target.createBrowserContext")["browserContextId"]?.string ?? ""
        let target = try await browser.call(
            "Target.createTarget",
            ["url": "about:blank", "browserContextId": .string(context)]
        )
        let session = try await browser.call(
            "Target.attachToTarget",
            ["targetId": target["targetId"] ?? .null, "flatten": true]
        )["sessionId"]?.string
        let page = BrowserPage(browser: browser, session: try #require(session), context: context, base: base)
        for domain in ["Page", "Runtime", "Log", "Network", "DOM"] { try await page.call("\(domain).enable") }
        do {
            try await body(page)
            try page.checkEvents(sourceLocation)
        } catch {
            _ = try? await browser.call("Target.disposeBrowserContext", ["browserContextId": .string(context)])
            throw error
        }
        _ = try await browser.call("Target.disposeBrowserContext", ["browserContextId": .string(context)])
    }

    @discardableResult
    package func call(_ method: String, _ parameters: [String: JSONValue] = [:]) async throws -> JSONValue {
        try await browser.call(method, parameters, session: session)
    }

    /// The value of an expression in the page; promises are waited for.
    @discardableResult
    package func evaluate(_ expression: String, sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> JSONValue
    {
        let reply = try await call(
            "Runtime.evaluate",
            ["expression": .string(expression), "returnByValue": true, "awaitPromise": true, "userGesture": true]
        )
        if let exception = reply["exceptionDetails"] {
            let text = exception["exception"]?["description"]?.string ?? "\(exception)"
            throw Chromium.Failure(description: "\(expression.prefix(120)): \(text)")
        }
        return reply["result"]?["value"] ?? .null
    }

    /// Waits until an expression is true. The page may go to another address meanwhile.
    package func wait(for expression: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let end = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < end {
            // While a page is left there is nothing that could evaluate.
            if let value = try? await evaluate("document.readyState === 'complete' && !!(\(expression))").bool, value {
                return
            }
            try await Task.sleep(for: .milliseconds(25))
        }
        let text = (try? await evaluate("location.href + '\\n' + document.body.innerText").string) ?? ""
        Issue.record("never true: \(expression)\n\(text.prefix(1500))", sourceLocation: sourceLocation)
        throw Chromium.Failure(description: "never true: \(expression)")
    }

    package func open(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        // So that waiting does not end at the page before.
        try await evaluate("window.isOld = true")
        try await call("Page.navigate", ["url": .string(base + path)])
        try await wait(for: "!window.isOld", sourceLocation: sourceLocation)
    }

    /// Presses the button or link with a text, and waits for the page that comes of it.
    package func press(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await evaluate("window.isOld = true")
        try await click(text)
        try await wait(for: "!window.isOld", sourceLocation: sourceLocation)
    }

    /// Presses the button or link with a text.
    package func click(_ text: String) async throws {
        try await evaluate(
            """
            (() => {
              const all = [...document.querySelectorAll("button, a, summary")];
              const found = all.filter((one) => one.textContent.trim() === \(Self.quoted(text)) && one.checkVisibility());
              if (found.length !== 1) throw new Error(found.length + " controls say " + \(Self.quoted(text)));
              found[0].click();
            })()
            """
        )
    }

    /// Fills in a field with an id.
    package func fill(_ id: String, _ value: String) async throws {
        try await evaluate(
            """
            (() => {
              const field = document.getElementById(\(Self.quoted(id)));
              field.value = \(Self.quoted(value));
              field.dispatchEvent(new Event("input", { bubbles: true }));
              field.dispatchEvent(new Event("change", { bubbles: true }));
            })()
            """
        )
    }

    /// Drops a file on the place around a file field, as somebody does with the mouse.
    package func drop(_ data: Data, named name: String, on id: String) async throws {
        try await evaluate(
            """
            (() => {
              const bytes = Uint8Array.from(atob("\(data.base64EncodedString())"), (one) => one.charCodeAt(0));
              const transfer = new DataTransfer();
              transfer.items.add(new File([bytes], \(Self.quoted(name))));
              const place = document.getElementById(\(Self.quoted(id))).closest("[data-drop]");
              for (const type of ["dragenter", "dragover", "drop"]) {
                place.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }));
              }
            })()
            """
        )
    }

    /// The text of the page's content.
    package func text() async throws -> String {
        try await evaluate("document.querySelector('main').innerText").string ?? ""
    }

    package static func quoted(_ text: String) -> String {
        (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }

    private func checkEvents(_ sourceLocation: SourceLocation) throws {
        for event in browser.takeEvents(of: session) {
            let parameters = event["params"] ?? .null
            switch event["method"]?.string {
            case "Runtime.exceptionThrown", "Runtime.consoleAPICalled":
                Issue.record("on the console: \(parameters)", sourceLocation: sourceLocation)
            case "Log.entryAdded":
                // An answer that says what is wrong is not a mistake of the page.
                let entry = parameters["entry"]
                if entry?["level"]?.string == "error", entry?["source"]?.string != "network" {
                    Issue.record("on the console: \(parameters)", sourceLocation: sourceLocation)
                }
            case "Network.requestWillBeSent":
                let address = parameters["request"]?["url"]?.string ?? ""
                if !address.hasPrefix(base + "/"), !["data:", "blob:"].contains(where: address.hasPrefix),
                    address != "about:blank"
                {
                    Issue.record("asked another host: \(address)", sourceLocation: sourceLocation)
                }
            default: break
            }
        }
    }
}
