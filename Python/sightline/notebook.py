"""Findings as notebooks and terminals show them. Names of files and labels are not trusted: they are escaped."""

from __future__ import annotations

import base64
import contextlib
import html
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .images import Image

if TYPE_CHECKING:
    from .results import Label, Object

# The findings that are shown, and the longer side of a picture in pixels.
MAXIMUM_SHOWN, MAXIMUM_TABLE, MAXIMUM_SIDE = 4, 20, 480
# Colors of boxes that people with color blindness can tell apart (Okabe and Ito, 2008).
_COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442")


def short(kind: str, findings: Sequence[Object | Label], image: str, size: tuple[int, int]) -> str:
    """One line with the first findings."""
    shown = ", ".join(f"{_name(found)} {found.confidence:.2f}" for found in findings[:MAXIMUM_SHOWN])
    more = f", and {len(findings) - MAXIMUM_SHOWN} more" if len(findings) > MAXIMUM_SHOWN else ""
    return f"{kind}({image!r}, {size[0]} × {size[1]}: {shown or 'none'}{more})"


def labels(found: Sequence[Label], image: str) -> str:
    """A table of labels."""
    rows = [(_name(label), f"{label.confidence:.2f}") for label in found]
    return _table(image, ("label", "confidence"), rows)


def objects(found: Sequence[Object], caption: str, size: tuple[int, int], image: str | Image | None) -> str:
    """A picture with boxes, small, and a table of objects.

    Args:
        found: the objects.
        caption: the name of the picture.
        size: the size of the upright picture.
        image: the picture, or its path; None if it is not at hand.
    """
    head: tuple[str, ...] = ("label", "confidence", "x", "y", "width", "height")
    rows: list[tuple[str, ...]] = []
    for one in found:
        box = one.box
        numbers = (f"{number:.0f}" for number in (box.x, box.y, box.width, box.height))
        rows.append((_name(one), f"{one.confidence:.2f}", *numbers))
    ids = [getattr(one, "id", None) for one in found]
    if any(number is not None for number in ids):
        head, rows = ("id", *head), [(str(number), *row) for number, row in zip(ids, rows)]
    return _picture(found, image, size) + _table(caption, head, rows)


def _name(found: Object | Label) -> str:
    text = found.text if hasattr(found, "text") else found.label
    return text or "object"


def _table(caption: str, head: Iterable[str], rows: Sequence[Iterable[str]]) -> str:
    def row(cells: Iterable[str], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in cells) + "</tr>"

    more = len(rows) - MAXIMUM_TABLE
    end = f"<p>and {more} more</p>" if more > 0 else ""
    body = "".join(row(cells, "td") for cells in rows[:MAXIMUM_TABLE])
    return f"<table><caption>{html.escape(caption)}</caption>{row(head, 'th')}{body}</table>{end}"


def _picture(found: Sequence[Object], image: str | Image | None, size: tuple[int, int]) -> str:
    width, height = size
    if width < 1 or height < 1:
        return ""
    scale = min(MAXIMUM_SIDE / max(size), 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * scale:.0f}" height="{height * scale:.0f}" '
        f'viewBox="0 0 {width} {height}">',
        f'<rect width="{width}" height="{height}" fill="#ddd"/>',
    ]
    if thumbnail := _thumbnail(image):
        parts.append(f'<image width="{width}" height="{height}" href="data:image/jpeg;base64,{thumbnail}"/>')
    colors: dict[str, str] = {}
    for one in found:
        color = colors.setdefault(one.label, _COLORS[len(colors) % len(_COLORS)])
        box = one.box
        title = html.escape(f"{_name(one)} {one.confidence:.2f}")
        parts.append(
            f'<rect x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}" fill="none" '
            f'stroke="{color}" stroke-width="{2 / scale:g}"><title>{title}</title></rect>'
        )
    return "".join(parts) + "</svg>"


def _thumbnail(image: str | Image | None) -> str | None:
    """The picture as a small JPEG in Base64; None if it is not there or cannot be read, or Pillow is missing."""
    if image is None:
        return None
    with contextlib.suppress(Exception):
        import PIL.Image
        import PIL.ImageOps

        with PIL.Image.open(image) if isinstance(image, str) else image.to_pillow() as file:
            file.draft("RGB", (MAXIMUM_SIDE, MAXIMUM_SIDE))
            upright = PIL.ImageOps.exif_transpose(file)
            upright.thumbnail((MAXIMUM_SIDE, MAXIMUM_SIDE))
            data = io.BytesIO()
            upright.convert("RGB").save(data, "JPEG", quality=80)
        return base64.b64encode(data.getvalue()).decode()
    return None
