"""A headless Chromium that tools drive over its debugging pipe, as the tests of the console do."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# Nothing that a page does takes longer.
SECONDS = 240


class PageError(Exception):
    """Something that was expected of a page did not happen."""


class Browser:
    """A Chromium with one page. Its file descriptor 3 takes commands, and 4 has answers."""

    def __init__(self) -> None:
        names = ("chromium", "chromium-browser", "google-chrome")
        program = next((found for name in names if (found := shutil.which(name))), None)
        if program is None:
            sys.exit("error: Chromium is missing; install the package chromium.")
        self.profile = tempfile.TemporaryDirectory(prefix="sightline-browser-", ignore_cleanup_errors=True)
        take, self.input = os.pipe()
        self.output, give = os.pipe()
        options = [
            *("--headless=new", "--no-sandbox", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}"),
            *("--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-sync"),
            *("--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "about:blank"),
        ]
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$0" "$@" 3<&{take} 4>&{give}', program, *options],
            pass_fds=(take, give),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(take)
        os.close(give)
        self.numbers = itertools.count(1)
        self.received = b""
        self.events: list[dict[str, Any]] = []
        self.session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """Ends the browser."""
        self.process.kill()
        self.process.wait()
        os.close(self.input)
        os.close(self.output)
        self.profile.cleanup()

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def message(self) -> dict[str, Any]:
        """The next message; each one ends with a zero byte."""
        while b"\0" not in self.received:
            piece = os.read(self.output, 1 << 20)
            if not piece:
                raise PageError("Chromium ended.")
            self.received += piece
        text, _, self.received = self.received.partition(b"\0")
        return dict(json.loads(text))

    def send(self, method: str, parameters: dict[str, Any]) -> int:
        """Sends a command; returns its number."""
        number = next(self.numbers)
        words: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self.session:
            words["sessionId"] = self.session
        rest = json.dumps(words).encode() + b"\0"
        while rest:
            rest = rest[os.write(self.input, rest) :]
        return number

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Calls a method of Chrome's DevTools protocol, and waits for its result."""
        number = self.send(method, parameters)
        while True:
            message = self.message()
            if message.get("id") == number:
                if "error" in message:
                    raise PageError(f"{method}: {message['error']['message']}")
                return dict(message["result"])
            if message.get("method") == "Page.javascriptDialogOpening":
                # A page whose changes are not saved asks before it is left.
                self.send("Page.handleJavaScriptDialog", {"accept": True})
            elif "method" in message:
                self.events.append(message)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page; promises are waited for."""
        options = {"returnByValue": True, "awaitPromise": True, "userGesture": True}
        reply = self.call("Runtime.evaluate", expression=expression, **options)
        if problem := reply.get("exceptionDetails"):
            raise PageError(f"{expression[:120]}: {problem.get('exception', {}).get('description', problem['text'])}")
        return reply["result"].get("value")

    def wait(self, expression: str, seconds: float = SECONDS) -> None:
        """Waits until an expression is true. The page may go to another address meanwhile."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.evaluate(f"document.readyState === 'complete' && !!({expression})"):
                    return
            except PageError:
                # While a page is left there is nothing that could evaluate.
                if self.process.poll() is not None:
                    raise
            time.sleep(0.05)
        text = self.evaluate("location.href + '\\n' + document.body.innerText")
        raise PageError(f"never true: {expression}\n{text[:2000]}")

    def wait_for(self, text: str) -> None:
        """Waits until the page has a text."""
        self.wait(f"document.body.innerText.includes({json.dumps(text)})")

    def new_page(self, act: Callable[[], object]) -> None:
        """Does something, and waits for the page that comes of it."""
        self.evaluate("window.isOld = true")
        act()
        self.wait("!window.isOld")

    def open(self, address: str) -> None:
        """Goes to an address."""
        self.new_page(lambda: self.call("Page.navigate", url=address))

    def click(self, text: str, within: str = "body") -> None:
        """Clicks the visible button, link or summary with a text."""
        self.evaluate(f"""(() => {{
          const places = [...document.querySelectorAll({json.dumps(within)})];
          const all = places.flatMap((one) => [...one.querySelectorAll("button, a, summary")]);
          const found = all.filter((one) => one.textContent.trim() === {json.dumps(text)} && one.checkVisibility());
          if (found.length !== 1) throw new Error(found.length + " controls say " + {json.dumps(text)});
          found[0].scrollIntoView({{ block: "center" }});
          found[0].click();
        }})()""")

    def press(self, text: str, within: str = "body") -> None:
        """Clicks, and waits for the page that comes of it."""
        self.new_page(lambda: self.click(text, within))

    def fill(self, name: str, value: str) -> None:
        """Fills in the field with an id."""
        self.evaluate(f"""(() => {{
          const field = document.getElementById({json.dumps(name)});
          field.value = {json.dumps(value)};
          if (field.value !== {json.dumps(value)}) throw new Error("the field does not offer " + {json.dumps(value)});
          for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, {{ bubbles: true }}));
        }})()""")

    def pick(self, name: str, text: str) -> None:
        """Chooses the entry with a text in the menu with an id."""
        value = self.evaluate(f"""[...document.getElementById({json.dumps(name)}).options]
          .find((one) => one.textContent.trim() === {json.dumps(text)}).value""")
        self.fill(name, value)

    def choose(self, name: str, files: Sequence[Path]) -> None:
        """Chooses files in the field with an id, as the dialog of the browser does."""
        node = self.call("Runtime.evaluate", expression=f"document.getElementById({json.dumps(name)})")["result"]
        self.call("DOM.setFileInputFiles", files=[str(file) for file in files], objectId=node["objectId"])

    def look(self, scheme: str, width: int, height: int = 800) -> None:
        """Shows the page in a color scheme and a size."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.call("Emulation.setEmulatedMedia", features=features)
        # So that lazy pictures of the whole page are there.
        self.evaluate("""(async () => {
          for (const one of document.images) one.loading = "eager";
          await Promise.all([...document.images].map((one) => one.decode().catch(() => {})));
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        })()""")

    def screenshot(self, target: Path, part: str = "html", height: float = 16_000, scale: float = 1) -> None:
        """Writes a picture of the page, from the beginning of a part of it on."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        top = self.evaluate(f"document.querySelector({json.dumps(part)}).getBoundingClientRect().top + scrollY")
        rest = min(size["height"] - top, height)
        clip = {"x": 0, "y": top, "width": size["width"], "height": rest, "scale": scale}
        shot = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        target.write_bytes(base64.b64decode(shot["data"]))

    def problems(self, base: str) -> list[str]:
        """Messages on the page's console, and requests to other hosts, since the last call."""
        found = []
        for event in self.events:
            details = event.get("params", {})
            if event["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
                found.append(f"on the console: {json.dumps(details)[:300]}")
            elif event["method"] == "Network.requestWillBeSent":
                address = details["request"]["url"]
                if not address.startswith((base, "data:", "blob:", "about:", "file:")):
                    found.append(f"a request to another host: {address}")
            elif event["method"] == "Log.entryAdded":
                entry = details["entry"]
                if entry["level"] == "error" and entry["source"] != "network":
                    found.append(f"on the console: {entry['text'][:300]}")
        self.events = []
        return found
