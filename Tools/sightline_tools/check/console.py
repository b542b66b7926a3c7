"""Goes the way of a stranger from photos to a rollout in a browser, with a real hub and a real server, and checks each
page on the way with axe-core: light and dark, 1280 and 360 pixels wide. Then it checks the pages of other programs.

    Scripts/tools check console [--pictures FOLDER] [--photos FOLDER] [--train-from MODEL] [--bin .build/debug]

With --pictures, a screenshot of each page in each form is in that folder. The photos are drawn, unless --photos names a
folder that has a folder of photos for each label. pip installs axe-core into .build on the first run.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..browse.axe import axe_script, findings
from ..browse.browser import Browser, PageError
from ..browse.leaves import write_photos
from ..browse.other_pages import confidences, reports, state_of_a_thing
from ..browse.stranger import COUNTS, Photos, Stranger
from ..places import ROOT, temporary_folder

FORMS = [("light", 1280), ("dark", 1280), ("light", 360), ("dark", 360)]
PICTURES = {".jpg", ".jpeg", ".png", ".webp"}


class Inspector:
    """Looks at pages with axe-core, and keeps what it finds."""

    def __init__(self, pictures: Path | None) -> None:
        self.script = axe_script()
        self.pictures = pictures
        self.problems: list[str] = []
        self.count = 0
        if pictures:
            pictures.mkdir(parents=True, exist_ok=True)

    def look(self, browser: Browser, name: str) -> None:
        """Inspects the shown page in all forms."""
        self.count += 1
        print(f"        {name}", flush=True)
        base = browser.evaluate("location.origin")
        for scheme, width in FORMS:
            browser.look(scheme, width)
            where = f"{name}, {scheme}, {width} px"
            found = findings(browser, self.script)
            wide = browser.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                found.append(f"the page is {wide} px wide")
            for problem in found:
                print(f"FOUND   {where}: {problem}", flush=True)
            self.problems += [f"{where}: {problem}" for problem in found]
            if self.pictures:
                browser.screenshot(self.pictures / f"{self.count:02}-{name}-{scheme}-{width}.png")
        browser.look("light", 1280)
        for problem in browser.problems(base):
            print(f"FOUND   {name}: {problem}", flush=True)
            self.problems.append(f"{name}: {problem}")


def labeled(folder: Path) -> Photos:
    """The photos of a folder, by label; labels with too few photos are left out."""
    found: Photos = {}
    for label in sorted(one for one in folder.iterdir() if one.is_dir()):
        files = sorted(one for one in label.iterdir() if one.suffix.lower() in PICTURES)
        if len(files) >= sum(COUNTS) * 2 - COUNTS[0]:
            found[label.name] = files
    if len(found) < 2:
        sys.exit(f"error: {folder} has fewer than two folders with enough photos.")
    return dict(list(found.items())[:3])


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--pictures", type=Path, help="the folder for screenshots")
    parser.add_argument("--photos", type=Path, help="a folder of photos for each label (drawn ones)")
    parser.add_argument("--train-from", type=Path, help="the classifier whose network trainings use")
    parser.add_argument("--bin", type=Path, default=ROOT / ".build/debug", help="the folder of the programs")
    parts = ["way", "reports", "zones", "weeks"]
    parser.add_argument("--only", choices=parts, help="only the way, or one kind of the other pages")
    options = parser.parse_args(words)
    inspector = Inspector(options.pictures)
    with temporary_folder("console") as folder, Browser() as browser:
        photos = (
            labeled(options.photos) if options.photos else write_photos(browser, folder, sum(COUNTS) + COUNTS[2], "1")
        )
        stranger = Stranger(options.bin.resolve(), folder, browser, photos, inspector.look)
        start = ["--train-from", options.train_from] if options.train_from else []
        hub = stranger.place.serve("--rate-limit", "0", *start)
        programs = options.bin.resolve()
        try:
            if not options.only or options.only == "way":
                stranger.walk(hub)
            if not options.only or options.only == "reports":
                reports(programs, folder, browser, photos, inspector.look)
            if not options.only or options.only == "zones":
                print("passed  " + state_of_a_thing(programs, folder, browser, inspector.look), flush=True)
            if not options.only or options.only == "weeks":
                confidences(programs, folder, browser, inspector.look)
        except PageError as error:
            if inspector.pictures:
                browser.screenshot(inspector.pictures / "failed.png")
            sys.exit(f"error: {error}")
        finally:
            hub.stop()
    if inspector.problems:
        sys.exit(f"error: {len(inspector.problems)} problems on {inspector.count} pages.")
    print(f"passed  {inspector.count} pages in {len(FORMS)} forms, without a finding")
