"""Makes the pictures of FromPhotosToARollout.md and StateOfAThing.md again, with drawn photos, a real hub and a real
server: it goes the way of `Scripts/tools check console`.

    Scripts/tools make way [PROGRAMS]

It needs Chromium and the programs, in the folder PROGRAMS or in .build/debug.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..browse.browser import Browser, PageError
from ..browse.leaves import write_photos
from ..browse.other_pages import state_of_a_thing
from ..browse.stranger import COUNTS, Stranger
from ..places import ROOT, temporary_folder

PICTURES = ROOT / "Documentation/Pictures"
WIDTH, SCALE = 1080, 0.6
# By the name of a page: the file, the part with which the picture begins, and its height.
SHOWN = {
    "dataset": ("way-photos.png", "main", 880),
    "trained-1": ("way-doubts.png", "[aria-labelledby=doubtful-title]", 560),
    "evaluation": ("way-evaluation.png", "html", 790),
    "shadows-added": ("way-shadow.png", "#add", 470),
    "different-answers": ("way-different.png", "[aria-labelledby=shadow-title]", 230),
    "rollout": ("way-rollout.png", "html", 800),
    "model": ("way-model.png", "html", 660),
    "zones-moments": ("state-moments.png", "#states", 570),
}


def show(browser: Browser, name: str) -> None:
    """Writes the picture of a page that the documentation shows."""
    if name in SHOWN:
        file, part, height = SHOWN[name]
        browser.look("light", WIDTH)
        browser.screenshot(PICTURES / file, part, height, SCALE)
        browser.look("light", 1280)


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("programs", metavar="PROGRAMS", nargs="?", type=Path, default=ROOT / ".build/debug")
    options = parser.parse_args(words)
    programs = options.programs.resolve()
    with temporary_folder("way") as folder, Browser() as browser:
        photos = write_photos(browser, folder, sum(COUNTS) + COUNTS[2], "1")
        stranger = Stranger(programs, folder, browser, photos, show)
        hub = stranger.place.serve("--rate-limit", "0")
        try:
            stranger.walk(hub)
            print(state_of_a_thing(programs, folder, browser, show))
        except PageError as error:
            sys.exit(f"error: {error}")
        finally:
            hub.stop()
