"""Drawn photos of leaves, for pictures that the documentation may show."""

import base64
import math
import random
from pathlib import Path

from .browser import Browser

KINDS = ("clover", "fern", "ivy")
SIDE = 320
GROUNDS = {
    "wood": ("#b98a5e", "#a87749"),
    "soil": ("#5d4030", "#6d4c38"),
    "stone": ("#c3bdb4", "#aca59b"),
    "grass": ("#6f8a55", "#7d9a5e"),
    "snow": ("#dfe9f0", "#cddbe6"),
}
GREENS = ("#2f8f3a", "#3fa34d", "#256d3c", "#5b8f35", "#4a7a2e")


def leaf(kind: str, draw: random.Random, color: str) -> str:
    """A leaf around the origin, about 100 units tall."""
    vein = 'stroke="#ffffff" stroke-opacity=".45" stroke-width="1.6" fill="none"'
    if kind == "clover":
        count = draw.choice([3, 3, 3, 4])
        parts = [
            f'<g transform="rotate({360 * number / count})"><path d="M0 0C-34 -14 -30 -52 -11 -48Q-3 -47 0 -40Q3 -47 '
            f'11 -48C30 -52 34 -14 0 0" fill="{color}"/><path d="M0 -4V-36" {vein}/></g>'
            for number in range(count)
        ]
        return (
            f'<path d="M0 0Q6 34 {draw.randint(-8, 14)} 62" stroke="{color}" stroke-width="4" fill="none"/>'
            + "".join(parts)
        )
    if kind == "fern":
        parts = [f'<path d="M0 58Q4 0 0 -58" stroke="{color}" stroke-width="3" fill="none"/>']
        for number in range(12):
            y, length = 46 - 9 * number, 34 * math.sin(math.pi * (number + 1.5) / 14)
            for side in (-1, 1):
                parts.append(
                    f'<path d="M0 {y}Q{side * length * 0.6:.1f} {y - 13} {side * length:.1f} {y - 12}'
                    f'Q{side * length * 0.5:.1f} {y - 1} 0 {y}" fill="{color}"/>'
                )
        return "".join(parts)
    points = []
    for number in range(10):
        angle = math.pi * (number / 5 - 0.5)
        radius = draw.uniform(44, 56) if number % 2 == 0 else draw.uniform(20, 26)
        points.append(f"{radius * math.cos(angle):.1f},{radius * math.sin(angle):.1f}")
    veins = "".join(
        f'<path d="M0 6L{0.8 * float(x):.1f} {0.8 * float(y):.1f}" {vein}/>'
        for x, y in (p.split(",") for p in points[::2])
    )
    return (
        f'<path d="M0 10Q4 36 {draw.randint(-10, 10)} 64" stroke="#6b5a35" stroke-width="3.5" fill="none"/>'
        f'<polygon points="{" ".join(points)}" fill="{color}" stroke="{color}" stroke-width="6" '
        f'stroke-linejoin="round"/>{veins}'
    )


def scene(kind: str, seed: str) -> str:
    """An SVG file of one or two leaves on some ground."""
    draw = random.Random(f"{kind} {seed}")
    ground, spot = GROUNDS[draw.choice(list(GROUNDS))]
    spots = "".join(
        f'<ellipse cx="{draw.randint(0, SIDE)}" cy="{draw.randint(0, SIDE)}" rx="{draw.randint(4, 22)}" '
        f'ry="{draw.randint(3, 12)}" fill="{spot}" fill-opacity="{draw.uniform(0.3, 0.9):.2f}"/>'
        for _ in range(90)
    )
    leaves = "".join(
        f'<g transform="translate({draw.randint(110, 210)} {draw.randint(110, 210)}) rotate({draw.randint(-70, 70)}) '
        f'scale({draw.uniform(1.1, 1.9):.2f})">{leaf(kind, draw, draw.choice(GREENS))}</g>'
        for _ in range(draw.choice([1, 1, 2]))
    )
    light = draw.uniform(0, 0.3)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}"><rect width="{SIDE}" height="{SIDE}" '
        f'fill="{ground}"/>{spots}{leaves}<rect width="{SIDE}" height="{SIDE}" fill="#10131c" '
        f'fill-opacity="{light:.2f}"/></svg>'
    )


def paint(browser: Browser, drawing: str, width: int = SIDE, height: int = SIDE, kind: str = "image/jpeg") -> bytes:
    """An SVG file as a picture file."""
    text = base64.b64encode(drawing.encode()).decode()
    painted = browser.evaluate(f"""(async () => {{
      const drawing = new Image({width}, {height});
      drawing.src = "data:image/svg+xml;base64,{text}";
      await drawing.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [{width}, {height}];
      canvas.getContext("2d").drawImage(drawing, 0, 0);
      return canvas.toDataURL("{kind}", .85).split(",")[1];
    }})()""")
    return base64.b64decode(painted)


def write_photos(browser: Browser, folder: Path, count: int, series: str) -> dict[str, list[Path]]:
    """Draws photos of each kind, and names them as a camera does."""
    browser.open("about:blank")
    made: dict[str, list[Path]] = {}
    for index, kind in enumerate(KINDS):
        made[kind] = []
        for number in range(count):
            file = folder / f"IMG_{index + 1}{number + 1:03}.jpg"
            file.write_bytes(paint(browser, scene(kind, f"{series} {number}")))
            made[kind].append(file)
    return made
