import Foundation
import Testing

extension BrowserPage {
    /// Looks at the page, light and dark, narrow and wide: everything has a name, can be read, and is reached in order.
    package func checkAccessibility(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for (width, scheme) in [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")] {
            try await call(
                "Emulation.setDeviceMetricsOverride",
                ["width": .number(Double(width)), "height": 800, "deviceScaleFactor": 1, "mobile": false]
            )
            let feature: JSONValue = ["name": "prefers-color-scheme", "value": .string(scheme)]
            let still: JSONValue = ["name": "prefers-reduced-motion", "value": "reduce"]
            try await call("Emulation.setEmulatedMedia", ["features": [feature, still]])
            for problem in try await evaluate(Self.script).array {
                Issue.record("\(name), \(width) px, \(scheme): \(problem.string ?? "")", sourceLocation: sourceLocation)
            }
        }
    }

    /// Gives a sentence for everything that is wrong. The rules are those of WCAG 2.2 that a program can check.
    private static let script = #"""
        (() => {
          const problems = [];
          const say = (text, element) => problems.push(text + (element ? ": " + element.outerHTML.slice(0, 160) : ""));
          const isShown = (element) => element.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true });

          if (document.documentElement.lang !== "en") say("the page has no language");
          if (!document.title.includes("Sightline")) say("the page has no title");
          if (document.documentElement.scrollWidth > innerWidth) {
            const widest = [...document.querySelectorAll("body *")].find((one) => one.getBoundingClientRect().right > innerWidth + 1);
            say("the page scrolls sideways, " + document.documentElement.scrollWidth + " px", widest);
          }

          const ids = new Set();
          for (const element of document.querySelectorAll("[id]")) {
            if (ids.has(element.id)) say("an id is there twice", element);
            ids.add(element.id);
          }
          for (const attribute of ["aria-labelledby", "aria-describedby", "for", "list"]) {
            for (const element of document.querySelectorAll(`[${attribute}]`)) {
              for (const id of element.getAttribute(attribute).split(/\s+/)) {
                if (!document.getElementById(id)) say(`${attribute} names nothing`, element);
              }
            }
          }

          let level = 0;
          const headings = [...document.querySelectorAll("h1, h2, h3, h4")].filter(isShown);
          for (const heading of headings) {
            const own = Number(heading.localName[1]);
            if (own > level + 1) say("a heading leaves out a level", heading);
            if (!heading.textContent.trim()) say("a heading is empty", heading);
            level = own;
          }
          if (headings.filter((one) => one.localName === "h1").length !== 1) say("the page does not have one main heading");
          if (document.querySelectorAll("main").length !== 1) say("the page does not have one main part");
          for (const table of document.querySelectorAll("table")) {
            if (!table.querySelector("caption")) say("a table has no caption", table);
          }
          for (const cell of document.querySelectorAll("th")) if (!cell.scope) say("a header cell has no scope", cell);
          for (const image of document.querySelectorAll("img")) if (!image.hasAttribute("alt")) say("a picture has no alt", image);
          for (const image of document.querySelectorAll("svg[role=img]")) {
            if (!image.getAttribute("aria-label")) say("a drawing has no name", image);
          }
          for (const part of document.querySelectorAll("section, nav, [role=region], [role=search]")) {
            const isNamed = part.hasAttribute("aria-labelledby") || part.hasAttribute("aria-label");
            if (!isNamed && (part.localName === "nav" || part.hasAttribute("role"))) say("a part of the page has no name", part);
          }

          const controls = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")];
          const nameOf = (element) => {
            if (element.getAttribute("aria-label")) return element.getAttribute("aria-label");
            if (element.labels && element.labels.length > 0) return element.labels[0].textContent;
            return [...element.childNodes].map((node) => (node.nodeType === 1 && node.alt) || node.textContent).join("");
          };
          for (const control of controls) if (!nameOf(control).trim()) say("a control has no name", control);
          for (const element of document.querySelectorAll("[tabindex]")) {
            if (element.tabIndex > 0) say("an element is out of the order of the keyboard", element);
          }
          for (const control of controls.filter((one) => isShown(one) && !one.disabled && one.matches("button, select, input, textarea"))) {
            const box = control.getBoundingClientRect();
            const isSmall = box.height < 24 && !control.matches("[type=checkbox], [type=radio], [type=range], [type=file]");
            if (isSmall) say("a control is too small for a finger", control);
          }

          // Contrast of every text with what is behind it.
          const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
          const rgba = (text) => {
            canvas.clearRect(0, 0, 1, 1);
            canvas.fillStyle = text;
            canvas.fillRect(0, 0, 1, 1);
            const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
            return [red, green, blue, alpha / 255];
          };
          const over = (top, bottom) => top.slice(0, 3).map((one, index) => one * top[3] + bottom[index] * (1 - top[3])).concat(1);
          const backgroundOf = (element) => {
            const layers = [];
            for (let one = element; one; one = one.parentElement) {
              const color = rgba(getComputedStyle(one).backgroundColor);
              if (color[3] > 0) layers.push(color);
              if (color[3] === 1) break;
            }
            return layers.reduceRight((bottom, top) => over(top, bottom), [255, 255, 255, 1]);
          };
          const luminance = (color) => {
            const parts = color.slice(0, 3).map((one) => {
              const value = one / 255;
              return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
          };
          const contrast = (first, second) => {
            const [light, dark] = [luminance(first), luminance(second)].sort((one, other) => other - one);
            return (light + 0.05) / (dark + 0.05);
          };
          const seen = new Set();
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const element = walker.currentNode.parentElement;
            if (!walker.currentNode.data.trim() || seen.has(element) || !isShown(element)) continue;
            seen.add(element);
            if (element.closest(".unseen, option, datalist, script, noscript, :disabled")) continue;
            const style = getComputedStyle(element);
            const isDrawn = element.closest("svg") !== null;
            const page = backgroundOf(isDrawn ? element.closest("svg").parentElement : element);
            // A drawn text may have a plate behind it.
            const plate = isDrawn && element.previousElementSibling?.matches("rect") ? element.previousElementSibling : null;
            const background = plate ? over(rgba(getComputedStyle(plate).fill), page) : page;
            const ratio = contrast(over(rgba(isDrawn ? style.fill : style.color), background), background);
            if (ratio < 4.5) say(`the contrast of a text is ${ratio.toFixed(2)}`, element);
          }
          for (const field of controls.filter((one) => one.matches("input, select, textarea") && isShown(one))) {
            const style = getComputedStyle(field);
            if (parseFloat(style.borderTopWidth) === 0) continue;
            const behind = backgroundOf(field.parentElement);
            const ratio = contrast(over(rgba(style.borderTopColor), behind), behind);
            if (ratio < 3) say(`the contrast of a field's edge is ${ratio.toFixed(2)}`, field);
          }
          return problems;
        })()
        """#

    /// Goes through the page with the tabulator key: everything gets the focus in the order of the page, and shows it.
    package func checkKeyboard(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        let expected = try await evaluate(
            """
            window.stops = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
              .filter((one) => one.checkVisibility() && !one.disabled); window.stops.length
            """
        ).number
        for index in 0..<Int(min(expected ?? 0, 60)) {
            for type in ["keyDown", "keyUp"] {
                try await call(
                    "Input.dispatchKeyEvent",
                    ["type": .string(type), "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9]
                )
            }
            let state = try await evaluate(
                """
                (() => {
                  const focused = document.activeElement, style = getComputedStyle(focused);
                  const isFirstSkip = \(index) > 0 || focused.classList.contains("skip");
                  return [window.stops.indexOf(focused), style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2, isFirstSkip,
                    focused.outerHTML.slice(0, 120)];
                })()
                """
            ).array
            #expect(state[0].number == Double(index), "\(name): \(state)", sourceLocation: sourceLocation)
            #expect(state[1].bool == true, "\(name), focus is not seen: \(state)", sourceLocation: sourceLocation)
            #expect(state[2].bool == true, "\(name), no link to the content: \(state)", sourceLocation: sourceLocation)
        }
    }
}
