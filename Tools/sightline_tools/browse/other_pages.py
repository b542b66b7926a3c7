"""Pages beside the way of a stranger: that of `sightline zones`, reports, and confidences by week."""

import contextlib
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from ..clocks import Clock
from ..hubs import Place
from ..places import FIXTURES
from ..programs import output
from ..simulate.devices import Device
from .browser import Browser, PageError
from .stranger import Look, Photos
from .yard import GATE, is_open, record

WEEK = 7 * 24 * 3600
# A hundred reports of a version are compared; half of the devices have each.
WEEKS, DEVICES = 4, 240
SECONDS, PERIOD, CLICKS = 96, 24, 20


def reports(programs: Path, folder: Path, browser: Browser, photos: Photos, look: Look) -> None:
    """The reports that commands write as files."""
    for label, files in photos.items():
        (folder / "photos" / label).mkdir(parents=True)
        for file in files[:12]:
            (folder / "photos" / label / file.name).write_bytes(file.read_bytes())
    command = programs / "sightline"
    output([command, "train", "labels", "photos", "--output", "leaves"], folder)
    browser.open((folder / "leaves/report.html").as_uri())
    look(browser, "report-of-a-training")
    output([command, "evaluate", "labels", "photos", "--model", "leaves", "--html", "report.html"], folder)
    browser.open((folder / "report.html").as_uri())
    look(browser, "report-of-an-evaluation")


@contextlib.contextmanager
def zones_page(programs: Path, folder: Path, recording: Path) -> Iterator[str]:
    """The address of the page of `sightline zones`."""
    command = [str(programs / "sightline"), "zones", str(recording), "--models", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder)
    assert process.stdout is not None
    try:
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "http://" in line:
                threading.Thread(target=process.stdout.read, daemon=True).start()
                yield "http://" + line.partition("http://")[2].split()[0].rstrip("/;.,")
                return
        raise PageError(f"sightline zones did not start: {''.join(lines)}")
    finally:
        process.terminate()
        process.wait()


def seconds_of(text: str) -> float:
    """The seconds of a time such as 1:23.4."""
    found = 0.0
    for part in text.strip().split(":"):
        found = 60 * found + float(part)
    return found


def state_of_a_thing(programs: Path, folder: Path, browser: Browser, look: Look) -> str:
    """Twenty clicks that make a sensor of a gate; returns what the page says about it."""
    recording = folder / "yard.mjpeg"
    record(browser, recording, SECONDS, PERIOD)
    with zones_page(programs, folder, recording) as address:
        browser.open(address + "/")
        look(browser, "zones")
        # The mouse reaches what the window shows.
        browser.look("light", 1280)
        browser.evaluate("scrollTo(0, 0)")
        browser.click("Zone")
        left, top, right, bottom = GATE
        box = browser.evaluate("""(() => {
          const picture = document.getElementById("picture"), frame = picture.getBoundingClientRect();
          return [frame.left, frame.top, frame.width / picture.viewBox.baseVal.width];
        })()""")
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        for x, y in [*corners, corners[0]]:
            for kind in ("mousePressed", "mouseReleased"):
                browser.call(
                    "Input.dispatchMouseEvent",
                    type=kind,
                    x=box[0] + x * box[2],
                    y=box[1] + y * box[2],
                    button="left",
                    clickCount=1,
                )
        browser.wait("document.getElementById('state-zone').options.length === 1")
        browser.fill("name-0", "gate")
        browser.wait("document.getElementById('state-zone').value === 'gate'")
        browser.click("Find moments")
        browser.wait("document.querySelectorAll('[data-moment]').length === 20")
        clicked, seen = 0, 0
        while True:
            moments = browser.evaluate("""[...document.querySelectorAll("[data-moment]")]
              .map((one) => [one.dataset.moment, one.querySelector("p").textContent])""")
            for number, text in moments[seen:]:
                openness = is_open(seconds_of(text), PERIOD)
                # What is not clear is left out.
                if openness in (0, 1) and clicked < CLICKS:
                    browser.click("open" if openness else "closed", f"[data-moment='{number}']")
                    clicked += 1
            seen = len(moments)
            if clicked == CLICKS or seen > 60:
                break
            browser.click("Show more moments")
            browser.wait(f"document.querySelectorAll('[data-moment]').length > {seen}")
        look(browser, "zones-moments")
        browser.click(f"Train with {clicked} moments")
        browser.wait("!document.getElementById('learned').hidden")
        look(browser, "zones-learned")
        return str(browser.evaluate("document.getElementById('figures').textContent"))


def confidences(programs: Path, folder: Path, browser: Browser, look: Look) -> None:
    """Weeks of reports, the last two of which are less sure."""
    clock = Clock(folder)
    place = Place(programs / "sightline-hub", ["--data", folder / "weeks"], clock.variables)
    clock.set((1 - WEEKS) * WEEK)
    place.run("project", "create", "my-garden")
    key = place.run("key", "create", "--api-key", "app").strip()
    for options in ([], ["--stage"]):
        name = "classifier_uint8_metadata.tflite" if options else "classifier_float_metadata.tflite"
        place.run("publish", "leaves", FIXTURES / "models" / name, *options)
    place.run("rollout", "start", "leaves", "--to", "2", "--steps", "50", "--every", "90d", "--guard", "confidence")
    hub = place.serve("--rate-limit", "0")
    try:
        for week in range(WEEKS):
            clock.set((week + 1 - WEEKS) * WEEK)
            # Those of a week, since the token of an installation ends after one.
            for number in range(DEVICES):
                device = Device(hub, key, number, 1, "my-garden", "leaves")
                device.confidence = (0.9 if week < WEEKS - 2 else 0.62) + (number % 5 - 2) * 0.03
                device.work()
        clock.set(0)
        browser.open(place.run("console").strip())
        browser.press("Sign in")
        browser.press("leaves")
        browser.press("Evaluate", "nav.parts")
        end = time.monotonic() + 60
        while not browser.evaluate("document.body.innerText.includes('by week')"):
            if time.monotonic() > end:
                raise PageError("the page has no confidences by week")
            time.sleep(1)
            browser.open(browser.evaluate("location.href"))
        look(browser, "confidences-by-week")
    finally:
        hub.stop()
