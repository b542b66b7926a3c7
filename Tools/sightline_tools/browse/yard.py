"""A drawn yard with a gate that opens and closes, by day and by night, as a camera records it."""

import random
from pathlib import Path

from .browser import Browser
from .leaves import paint

WIDTH, HEIGHT = 320, 240
# The gate: left, top, right, bottom.
GATE = (150, 96, 280, 190)
FRAME_RATE = 25


def drawing(openness: float, night: bool, person: float | None, seed: int) -> str:
    """The yard as an SVG file.

    `openness` is 0 for a closed and 1 for an open gate, `person` where somebody stands, from 0 at the left to 1.
    """
    draw = random.Random(seed)
    left, top, right, bottom = GATE
    width = right - left
    slide = openness * width * 0.92
    bars = "".join(
        f'<rect x="{left - slide + 4 + number * width / 9:.1f}" y="{top + 8}" width="5" height="{bottom - top - 8}"/>'
        for number in range(9)
    )
    figure = ""
    if person is not None:
        x = 20 + person * 280
        figure = (
            f'<g transform="translate({x:.0f} 150)"><circle cy="-34" r="8" fill="#c99a7b"/>'
            f'<rect x="-10" y="-26" width="20" height="36" rx="6" fill="#b5483a"/>'
            f'<rect x="-9" y="8" width="8" height="34" fill="#33405e"/>'
            f'<rect x="1" y="8" width="8" height="34" fill="#33405e"/></g>'
        )
    # Leaves move in the wind, and light changes.
    leaves = "".join(
        f'<circle cx="{draw.gauss(44, 20):.0f}" cy="{draw.gauss(74, 22):.0f}" r="{draw.uniform(4, 10):.0f}" '
        f'fill="{draw.choice(["#4d7a3c", "#5c8b45", "#3f6a33"])}"/>'
        for _ in range(60)
    )
    grain = "".join(
        f'<rect x="{draw.randint(0, WIDTH)}" y="{draw.randint(0, HEIGHT)}" width="2" height="2" '
        f'fill="{draw.choice(["#fff", "#000"])}" fill-opacity="{draw.uniform(0.02, 0.14 if night else 0.06):.2f}"/>'
        for _ in range(400)
    )
    dark = draw.uniform(0.78, 0.86) if night else draw.uniform(0, 0.18)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">
<defs><radialGradient id="lamp" cx="215" cy="80" r="130" gradientUnits="userSpaceOnUse">
<stop offset="0" stop-color="#ffe9b0" stop-opacity="{0.3 if night else 0}"/>
<stop offset="1" stop-color="#ffe9b0" stop-opacity="0"/></radialGradient>
<clipPath id="view"><rect x="0" y="0" width="{right}" height="{HEIGHT}"/></clipPath></defs>
<rect width="{WIDTH}" height="110" fill="#a9c9e6"/><rect y="110" width="{WIDTH}" height="130" fill="#9aa08e"/>
<rect x="{left}" y="{top}" width="{width}" height="{bottom - top}" fill="#8a8f80"/>
<polygon fill="#5d6064"
 points="{left + 30},{bottom} {right - 30},{bottom} {right - 52},{top + 30} {left + 52},{top + 30}"/>
<rect x="{left}" y="{top}" width="{width}" height="30" fill="#7ea66c"/>
<g clip-path="url(#view)"><g fill="#2d4a3e">{bars}
<rect x="{left - slide:.1f}" y="{top + 8}" width="{width}" height="7"/>
<rect x="{left - slide:.1f}" y="{bottom - 12}" width="{width}" height="8"/></g></g>
<rect x="0" y="{top - 10}" width="{left}" height="{bottom - top + 14}" fill="#b79c82" opacity=".96"/>
<rect x="{right}" y="{top - 10}" width="40" height="{bottom - top + 14}" fill="#b79c82"/>
<rect x="{left - 8}" y="{top - 22}" width="12" height="{bottom - top + 28}" fill="#7b6652"/>
<rect x="{right - 4}" y="{top - 22}" width="12" height="{bottom - top + 28}" fill="#7b6652"/>
{leaves}{figure}<rect width="{WIDTH}" height="{HEIGHT}" fill="#070b16" fill-opacity="{dark:.2f}"/>
<rect width="{WIDTH}" height="{HEIGHT}" fill="url(#lamp)"/>{grain}</svg>"""


def is_open(second: float, period: float) -> float:
    """The openness of the gate, from 0 to 1. It moves for two seconds before the middle and the end of each period."""
    phase = second % period
    half = period / 2
    if phase < half:
        return 0 if phase < half - 2 else (phase - half + 2) / 2
    return 1 if phase < period - 2 else (period - phase) / 2


def record(browser: Browser, file: Path, seconds: int, period: float = 24, per_second: int = 5, seed: int = 0) -> None:
    """Writes a recording as Motion JPEG: the first half by day, the second by night."""
    browser.open("about:blank")
    with open(file, "wb") as made:
        for number in range(seconds * per_second):
            second = number / per_second
            walking = (second % 17) / 6
            text = drawing(
                is_open(second, period),
                second >= seconds / 2,
                walking if walking < 1 else None,
                seed * 100_000 + number,
            )
            made.write(paint(browser, text, WIDTH, HEIGHT) * (FRAME_RATE // per_second))
