"""Makes the pictures of README.md again: a drawn scene with the objects that `sightline detect` finds in it, the report
of `sightline evaluate`, and the console of a hub.

    Scripts/tools make pictures [PROGRAMS]

It needs Chromium and the commands, in the folder PROGRAMS or as `swift build` builds them. The drawings are in
Documentation/Pictures/scene.svg.
"""

import argparse
import base64
import http.server
import json
import random
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..hubs import Place
from ..places import ROOT, temporary_folder
from ..programs import Word

PICTURES = ROOT / "Documentation/Pictures"
LABELS = {"plant": "Plant", "tulips": "Plant", "bowl": "Home good", "mug": "Home good", "bag": "Fashion good"}
# The middle of each drawing in the scene's coordinates, and its size.
PLACES = {
    "plant": (220, 370, 500),
    "tulips": (1075, 390, 430),
    "bowl": (570, 470, 440),
    "mug": (880, 480, 330),
    "bag": (200, 230, 340),
}


ROOMS = [("#dfe6ea", "#a5794b"), ("#f3ead7", "#7c8a5c"), ("#c8d8e8", "#8a8f98"), ("#efe3e3", "#b9a58f")]
# Paints each drawing on a canvas and adds it to the page as a PNG.
PAINTER = """<!doctype html><meta charset="utf-8"><body><script>
const drawings = DRAWINGS;
(async () => {
  for (const [name, text] of Object.entries(drawings)) {
    const drawing = new Image(240, 240);
    drawing.src = "data:image/svg+xml," + encodeURIComponent(text);
    await drawing.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 240;
    canvas.getContext("2d").drawImage(drawing, 0, 0);
    const picture = document.createElement("img");
    picture.alt = name;
    picture.src = canvas.toDataURL();
    document.body.append(picture);
  }
})();
</script>"""


def run(arguments: Sequence[Word], **options: Any) -> str:
    done = subprocess.run([str(part) for part in arguments], check=True, text=True, stdout=subprocess.PIPE, **options)
    return str(done.stdout)


def chromium(*arguments: Word) -> str:
    """Runs Chromium without a window."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        sys.exit("error: Chromium is missing; install the package chromium.")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=20000"]
    return run([program, *options, *arguments], stderr=subprocess.DEVNULL)


def screenshot(address: str, target: Path, width: int, height: int) -> None:
    """Renders a page or an SVG file."""
    chromium(f"--window-size={width},{height}", f"--screenshot={target}", address)


def found(pattern: str, text: str) -> str:
    """The last group of the first match, or all of it."""
    match = re.search(pattern, text, re.S)
    if match is None:
        sys.exit(f"error: nothing matches {pattern} in {text[:200]}")
    return match[match.lastindex or 0]


def group(scene: str, name: str) -> str:
    """The drawing with an id: a group, which may contain others."""
    start, depth = scene.index(f'<g id="{name}">'), 0
    for tag in re.finditer(r"<(/?)g[ >]", scene[start:]):
        depth += -1 if tag.group(1) else 1
        if depth == 0:
            return scene[start : start + tag.end()].replace(f' id="{name}"', "")
    sys.exit(f"error: the scene has no complete drawing {name}.")


def classifier(folder: Path) -> Path:
    """The built-in classifier as its own file: the detector's file with the classifier's sidecar."""
    resources = ROOT / "Sources/Sightline/Resources"
    sidecar = json.loads((resources / "coarse_classifier.sightline.json").read_text())
    detector = resources / sidecar.pop("model")
    with zipfile.ZipFile(detector) as archive:
        start = min(file.header_offset for file in archive.infolist())
        files = {name: archive.read(name) for name in archive.namelist()}
    target = folder / "goods.tflite"
    target.write_bytes(detector.read_bytes()[:start])
    with zipfile.ZipFile(target, "a") as archive:
        for name, content in (files | {"sightline.json": json.dumps(sidecar)}).items():
            archive.writestr(name, content)
    return target


def labeled_pictures(folder: Path, count: int) -> None:
    """Draws pictures of single objects into a folder for each label, all of them in one run of Chromium."""
    scene = (PICTURES / "scene.svg").read_text()
    definitions = found(r"<defs>.*?</defs>", scene)
    draw = random.Random(1)
    drawings = {}
    for name, label in LABELS.items():
        drawing = group(scene, name)
        (folder / label).mkdir(exist_ok=True)
        for number in range(count):
            x, y, size = PLACES[name]
            scale = draw.uniform(0.75, 1.2) * 240 / size
            flip = draw.choice([-1, 1])
            wall, floor = draw.choice(ROOMS)
            drawings[f"{label}/{name}-{number}.png"] = (
                f'<svg xmlns="http://www.w3.org/2000/svg" width="240" height="240">{definitions}'
                f'<rect width="240" height="240" fill="{wall}"/><rect y="165" width="240" height="75" fill="{floor}"/>'
                f'<g transform="translate({120 + draw.uniform(-20, 20)} {120 + draw.uniform(-15, 15)}) '
                f"rotate({draw.uniform(-12, 12)}) scale({flip * scale} {scale}) "
                f'translate({-x} {-y})">{drawing}</g></svg>'
            )
    page = folder / "page.html"
    page.write_text(PAINTER.replace("DRAWINGS", json.dumps(drawings).replace("</", "<\\/")))
    painted = chromium("--dump-dom", page.as_uri())
    page.unlink()
    pictures = re.findall(r'<img alt="([^"]+)" src="data:image/png;base64,([^"]+)">', painted)
    if len(pictures) != len(drawings):
        sys.exit(f"error: Chromium painted {len(pictures)} of {len(drawings)} pictures.")
    for name, content in pictures:
        (folder / name).write_bytes(base64.b64decode(content))


class Hub:
    """A hub on loopback with a signed-in session of its console."""

    def __init__(self, program: Path, data: Path) -> None:
        self.place = Place(program, ["--data", data])
        self.place.run("project", "create", "my-shop")
        self.serving = self.place.serve("--rate-limit", "0")
        self.address = self.serving.address

    def sign_in(self) -> None:
        """Signs in with the link of `sightline hub console`."""
        link = found(r"\?code=(\S+)", self.place.run("console"))
        opener = urllib.request.build_opener(KeepRedirect)
        form = urllib.parse.urlencode({"code": urllib.parse.unquote(link)}).encode()
        answer = opener.open(
            urllib.request.Request(f"{self.address}/console/sign-in", data=form, headers=self.origin())
        )
        self.cookie = answer.headers["Set-Cookie"].split(";")[0]

    def origin(self) -> dict[str, str]:
        return {"Origin": self.address, "Sec-Fetch-Site": "same-origin"}

    def get(self, path: str) -> Any:
        request = urllib.request.Request(self.address + path, headers={"Cookie": self.cookie})
        return urllib.request.urlopen(request)

    def upload(self, path: str, field: str, name: str, content: bytes) -> str:
        """Sends a file with the form of a page."""
        token = found(r'name="form_token" value="([^"]+)"', self.get(path).read().decode())
        parts = [
            f'Content-Disposition: form-data; name="form_token"\r\n\r\n{token}'.encode(),
            f'Content-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'.encode() + content,
        ]
        body = b"".join(b"--boundary\r\n" + part + b"\r\n" for part in parts) + b"--boundary--\r\n"
        headers = {"Cookie": self.cookie, "Content-Type": "multipart/form-data; boundary=boundary", **self.origin()}
        opener = urllib.request.build_opener(KeepRedirect)
        answer = opener.open(urllib.request.Request(f"{self.address}{path}/evaluations", data=body, headers=headers))
        return str(answer.headers["Location"])

    def proxy(self) -> str:
        """A server that shows the console's pages to Chromium as the signed-in user."""
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with hub.get(self.path) as answer:
                    content = answer.read()
                    self.send_response(answer.status)
                    self.send_header("Content-Type", answer.headers["Content-Type"])
                    self.end_headers()
                    self.wfile.write(content)

            def log_message(self, *arguments: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"


class KeepRedirect(urllib.request.HTTPRedirectHandler):
    """Returns redirects to the caller."""

    def redirect_request(self, *arguments: object) -> None:
        return None

    def http_error_303(
        self, request: urllib.request.Request, answer: Any, code: int, message: str, headers: Any
    ) -> Any:
        return answer


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("programs", metavar="PROGRAMS", nargs="?", type=Path)
    options = parser.parse_args(words)
    programs = options.programs or Path(run(["swift", "build", "--show-bin-path"], cwd=ROOT).strip())
    with temporary_folder("pictures") as folder:
        scene = PICTURES / "scene.png"
        screenshot((PICTURES / "scene.svg").as_uri(), scene, 720, 456)
        print(
            run(
                [
                    programs / "sightline",
                    "detect",
                    scene,
                    "--classification-threshold",
                    "0.5",
                    "--annotate",
                    PICTURES / "detect.png",
                ]
            ),
            end="",
        )

        pictures = folder / "goods"
        pictures.mkdir()
        labeled_pictures(pictures, 12)
        model = classifier(folder)
        arguments: list[Word] = ["evaluate", "labels", pictures, "--model", model, "--html", folder / "report.html"]
        print(run([programs / "sightline", *arguments]), end="")
        screenshot((folder / "report.html").as_uri(), PICTURES / "report.png", 1000, 760)

        hub = Hub(programs / "sightline-hub", folder / "hub")
        try:
            hub.place.run("publish", "goods", model)
            hub.sign_in()
            archive = folder / "goods.zip"
            with zipfile.ZipFile(archive, "w") as zipped:
                for file in sorted(pictures.rglob("*.png")):
                    zipped.write(file, file.relative_to(pictures.parent))
            models = hub.get("/console/models").read().decode()
            path = found(r'href="(/console/models/\d+)"', models)
            evaluation = hub.upload(path, "pictures", "goods.zip", archive.read_bytes())
            for _ in range(600):
                if "Average precision" in hub.get(evaluation).read().decode():
                    break
                time.sleep(0.5)
            screenshot(hub.proxy() + evaluation, PICTURES / "console.png", 1000, 860)
        finally:
            hub.serving.stop()
