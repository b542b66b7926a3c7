#!/usr/bin/env python3
"""Draws what `sightline track --counts` wrote: bars of what entered and left in each period, for each line and zone.

    Examples/draw_counts.py [COUNTS.csv [PICTURE.svg]]

Without arguments it draws Examples/counts.csv, a made-up day at a shop, into counts.svg. It needs Python 3.11 alone.
The picture opens in every browser.

Prints:
door: 151 entered, 151 left
till: 82 entered, 82 left
"""

import csv
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import escape
from pathlib import Path

COLUMNS = ["start", "end", "place", "label", "entered", "left"]
# The sizes of the picture, in its own units.
LEFT, RIGHT, TOP, HEIGHT, GAP, PERIOD = 56, 16, 76, 150, 70, 26
STYLE = """
text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: #18202c; }
.title { font-size: 16px; font-weight: 600; } .minor { fill: #556070; } .grid { stroke: #d6dce6; }
.page { fill: #ffffff; } .entered { fill: #0b5fd0; } .left { fill: #e08a00; }
@media (prefers-color-scheme: dark) {
  text { fill: #e7ecf4; } .minor { fill: #a4afc0; } .grid { stroke: #2c3645; } .page { fill: #0e131b; }
  .entered { fill: #7fb2ff; } .left { fill: #ffb84d; }
}
"""


@dataclass
class Counts:
    """The counts of a file: the periods in order, and for each place what entered and left in them."""

    periods: list[tuple[str, str]] = field(default_factory=list)
    places: dict[str, dict[tuple[str, str], list[int]]] = field(default_factory=dict)


def read(path: Path) -> Counts:
    """Reads a file of counts. The labels of a place are added up."""
    counts = Counts()
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (rows.fieldnames or [])]
        if missing:
            raise ValueError(f"has no column {missing[0]}; name a file of `sightline track --counts`")
        for row in rows:
            period = (row["start"], row["end"])
            if not counts.periods or counts.periods[-1] != period:
                counts.periods.append(period)
            # A name that a spreadsheet would run has an apostrophe in front.
            name = row["place"][1:] if row["place"][:2] in ("'=", "'+", "'-", "'@") else row["place"]
            sums = counts.places.setdefault(name, defaultdict(lambda: [0, 0]))[period]
            sums[0] += int(row["entered"])
            sums[1] += int(row["left"])
    if not counts.periods:
        raise ValueError("has no rows; the first one comes when a period has ended")
    return counts


def clock(time: str) -> str:
    """A time on the axis: an hour of the day where the file has dates, otherwise the time of the video."""
    if "T" in time:
        return f"{datetime.fromisoformat(time).astimezone():%H:%M}"
    whole = timedelta(seconds=round(float(time)))
    return str(whole) if whole >= timedelta(hours=1) else str(whole)[2:]


def step(largest: int) -> int:
    """The distance of grid lines: 1, 2 or 5 times a power of ten, four or five of them."""
    power = int(10 ** max(len(str(largest)) - 2, 0))
    return next(power * factor for factor in (1, 2, 5, 10, 20, 50) if power * factor * 5 >= largest)


def draw(counts: Counts) -> str:
    """The picture as SVG, with a chart for each place."""
    width = LEFT + PERIOD * max(len(counts.periods), 12) + RIGHT
    height = TOP + (HEIGHT + GAP) * len(counts.places) - 24
    largest = max(max(sums) for place in counts.places.values() for sums in place.values()) or 1
    distance = step(largest)
    top = -(-largest // distance) * distance
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f'<style>{STYLE}</style><rect class="page" width="{width}" height="{height}"/>',
        f'<rect class="entered" x="{LEFT}" y="16" width="14" height="14"/><text x="{LEFT + 20}" y="28">entered</text>',
        f'<rect class="left" x="{LEFT + 100}" y="16" width="14" height="14"/><text x="{LEFT + 120}" y="28">left</text>',
    ]
    for number, (name, place) in enumerate(counts.places.items()):
        base = TOP + number * (HEIGHT + GAP) + HEIGHT
        parts.append(f'<text class="title" x="{LEFT}" y="{base - HEIGHT - 14}">{escape(name)}</text>')
        for value in range(0, top + 1, distance):
            y = base - HEIGHT * value / top
            parts.append(f'<line class="grid" x1="{LEFT}" x2="{width - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
            parts.append(f'<text class="minor" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value}</text>')
        for index, period in enumerate(counts.periods):
            x = LEFT + PERIOD * index
            # A time takes the room of two periods.
            if index % 2 == 0:
                parts.append(f'<text class="minor" x="{x}" y="{base + 20}">{clock(period[0])}</text>')
            for side, kind in enumerate(("entered", "left")):
                value = place[period][side]
                tip = f"{clock(period[0])} to {clock(period[1])}: {value} {kind}"
                parts.append(
                    f'<rect class="{kind}" x="{x + 3 + 10 * side}" y="{base - HEIGHT * value / top:.1f}" width="9" '
                    f'height="{HEIGHT * value / top:.1f}"><title>{tip}</title></rect>'
                )
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    """Runs the program."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "counts.csv"
    try:
        counts = read(source)
        Path(sys.argv[2] if len(sys.argv) > 2 else "counts.svg").write_text(draw(counts), encoding="utf-8")
    except OSError as error:
        sys.exit(f"error: {error.filename}: {error.strerror}.")
    except ValueError as error:
        sys.exit(f"error: {source}: {error}.")
    for name, place in counts.places.items():
        entered, left = (sum(sums[side] for sums in place.values()) for side in (0, 1))
        print(f"{name}: {entered} entered, {left} left")


if __name__ == "__main__":
    main()
