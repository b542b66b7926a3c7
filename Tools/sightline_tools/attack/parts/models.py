"""Attacks with models, labels and pictures that strangers upload."""

import contextlib
import io
import re
import struct
import threading
import time
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from ...hubs import Response
from ...places import FIXTURES
from ..attacked import MODEL, PROJECT, HealthProbe, Hub, attack

MODELS = f"/v1beta2/projects/{PROJECT}/models"


class Browser:
    """The console, signed in with a token."""

    def __init__(self, hub: Hub, role: str = "publish") -> None:
        self.hub = hub
        body = f"token={hub.token(role)}".encode()
        status, _, headers = hub.request(
            "POST", "/console/sign-in", body, headers={"Content-Type": "application/x-www-form-urlencoded"}
        )
        assert status == 303, f"signing in gives {status}"
        self.cookie = headers["Set-Cookie"].split(";")[0]

    def get(self, path: str, timeout: float = 60) -> Response:
        return self.hub.request("GET", path, headers={"Cookie": self.cookie}, timeout=timeout)

    def upload(
        self, path: str, fields: Mapping[str, str], files: Mapping[str, tuple[str, bytes]], timeout: float = 120
    ) -> Response:
        page = self.get("/console/models")[1].decode()
        found = re.search(r'name="form_token" value="([^"]+)"', page)
        assert found, "the page has no form"
        boundary = "----attack"
        body = b""
        for name, value in {"form_token": found[1], **fields}.items():
            body += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, (file_name, data) in files.items():
            head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{file_name}"\r\n\r\n'
            body += head.encode() + data + b"\r\n"
        body += f"--{boundary}--\r\n".encode()
        fields = {"Cookie": self.cookie, "Content-Type": f"multipart/form-data; boundary={boundary}"}
        return self.hub.request("POST", path, body, headers=fields, timeout=timeout)


def upload_with_labels(hub: Hub, name: str, model: bytes) -> tuple[int, str, str]:
    """Uploads a model with labels in the console and checks that the hub neither ends nor grows."""
    browser = Browser(hub)
    before = hub.memory()
    with HealthProbe(hub) as probe:
        status, page, _ = browser.upload(
            "/console/models", {"name": name}, {"model": ("m.tflite", model), "labels": ("dict.txt", b"a\nb\n")}
        )
    assert hub.is_alive, "the hub ended"
    grown = hub.memory() - before
    assert grown < 300, f"the hub grew by {grown:.0f} MB"
    assert probe.failures == 0, f"{probe.failures} checks of the hub's health failed"
    return status, page.decode(errors="replace"), f"the hub grew by {grown:.0f} MB; {probe}"


@attack()
def packed_files_that_share_bytes(hub: Hub) -> str | None:
    """76 kB that say they are 200 files of 64 MiB each, all of which are the same bytes."""
    content = zlib.compressobj(9, zlib.DEFLATED, -15)
    size = 64 << 20
    packed = content.compress(bytes(size)) + content.flush()
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 0x21, zlib.crc32(bytes(size)), len(packed), size, 1, 0)
    archive = local + b"f" + packed
    directory = b""
    for number in range(200):
        name = f"f{number}".encode()
        directory += (
            struct.pack(
                "<IHHHHHHIIIHHHHHII",
                0x02014B50,
                20,
                20,
                0,
                8,
                0,
                0x21,
                zlib.crc32(bytes(size)),
                len(packed),
                size,
                len(name),
                0,
                0,
                0,
                0,
                0,
                len(MODEL),
            )
            + name
        )
    start = len(MODEL) + len(archive)
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 200, 200, len(directory), start, 0)
    status, page, detail = upload_with_labels(hub, "overlap", MODEL + archive + directory + end)
    assert (status == 400 and "in total" in page) or "share bytes" in page, f"the upload gives {status}"
    return detail


def shared_tensors(count: int, name_bytes: int) -> bytes:
    """A model whose tensors are one table with one name."""
    data = struct.pack("<I4sHHHHHH", 20, b"TFL3", 10, 12, 4, 0, 8, 0) + struct.pack("<III", 12, 3, 4)
    data += struct.pack("<II", 1, 12) + struct.pack("<HHHH", 6, 8, 4, 0) + struct.pack("<II", 8, 4)
    start = len(data)
    tensor = start + 4 + 4 * count + 12
    data += struct.pack("<I", count)
    data += b"".join(struct.pack("<I", tensor - (start + 4 + 4 * index)) for index in range(count))
    data += struct.pack("<HHHHHH", 12, 8, 0, 0, 0, 4) + struct.pack("<III", 12, 4, name_bytes)
    return data + b"a" * name_bytes + b"\0"


@attack()
def names_that_share_bytes(hub: Hub) -> str | None:
    """480 kB with 20,000 tensors, all with the same name of 400 kB: 8 GB when each is copied."""
    status, page, detail = upload_with_labels(hub, "names", shared_tensors(20_000, 400_000))
    assert status == 400 and "names and texts" in page, f"the upload gives {status}"
    return detail


@attack()
def a_large_model_with_labels(hub: Hub) -> str | None:
    """A model of 60 MiB with labels takes no memory of the hub's."""
    status, _, detail = upload_with_labels(hub, "large", MODEL + bytes(60 << 20))
    assert status in (303, 400), f"the upload gives {status}"
    return detail


def slow_model(count: int) -> bytes:
    """A sound model of so many additions of large tensors, which takes a while to run."""
    chunks, position = [], 0

    def put(data: bytes) -> int:
        nonlocal position
        chunks.append(data)
        position += len(data)
        return position - len(data)

    # Everything is laid out in two passes: sizes are the same in both.
    def build(places: dict[str, int]) -> tuple[bytes, dict[str, int]]:
        nonlocal chunks, position
        chunks, position = [], 0
        found = {}
        put(struct.pack("<I4s", places.get("root", 8), b"TFL3"))

        def table(key: str, slots: int, fields: list[tuple[int, str, int | str]]) -> None:
            """Fields: (slot, kind, value), kinds i (4 bytes), o (offset to a key)."""
            offsets, size = [0] * slots, 4
            for slot, _, _ in fields:
                offsets[slot] = size
                size += 4
            listing = struct.pack(f"<HH{slots}H", 4 + 2 * slots, size, *offsets)
            listing += b"\0" * (-len(listing) % 4)
            at = put(listing)
            found[key] = position
            body = struct.pack("<i", position - at)
            for index, (_, kind, value) in enumerate(fields):
                here = position + 4 + 4 * index
                body += struct.pack("<I", value if kind == "i" else max(places.get(str(value), here + 4) - here, 0))
            put(body)

        def offsets(key: str, targets: list[str]) -> None:
            found[key] = position
            body = struct.pack("<I", len(targets))
            for index, target in enumerate(targets):
                here = position + 4 + 4 * index
                body += struct.pack("<I", max(places.get(target, here + 4) - here, 0))
            put(body)

        def numbers(key: str, values: list[int]) -> None:
            found[key] = position
            put(struct.pack(f"<I{len(values)}i", len(values), *values))

        table("root", 5, [(0, "i", 3), (1, "o", "codes"), (2, "o", "graphs"), (4, "o", "buffers")])
        offsets("codes", ["code"])
        table("code", 4, [(3, "i", 0)])
        offsets("buffers", ["buffer"])
        table("buffer", 1, [])
        offsets("graphs", ["graph"])
        table("graph", 4, [(0, "o", "tensors"), (1, "o", "inputs"), (2, "o", "outputs"), (3, "o", "operators")])
        offsets("tensors", ["x"] + [f"t{index % 2}" for index in range(count)])
        numbers("inputs", [0])
        numbers("outputs", [count])
        for key in ["x", "t0", "t1"]:
            table(key, 4, [(0, "o", "shape"), (3, "o", "name " + key)])
        for key in ["x", "t0", "t1"]:
            found["name " + key] = position
            put(struct.pack("<I", len(key)) + key.encode() + b"\0" * (4 - len(key) % 4))
        numbers("shape", [1, 8192, 4096])
        offsets("operators", [f"op{index}" for index in range(count)])
        for index in range(count):
            table(f"op{index}", 3, [(0, "i", 0), (1, "o", f"in{index}"), (2, "o", f"out{index}")])
            numbers(f"in{index}", [index, 0])
            numbers(f"out{index}", [index + 1])
        return b"".join(chunks), found

    _, places = build({})
    return build(places)[0]


@attack()
def slow_models_do_not_make_the_hub_unready(hub: Hub) -> str | None:
    """Four models that take long to look at: /readyz and another project's model do not wait behind them."""
    token = hub.token("publish")
    hub.run("project", "create", "other-project")
    other = hub.run(
        "key", "create", "--token", "other-token", "--role", "publish", "--project", "other-project"
    ).strip()
    hub.request("GET", "/readyz")

    def send(project: str, name: str, model: bytes, token: str) -> Response:
        path = f"/upload/storage/v1/b/models/o?uploadType=media&name={name}"
        status, body, _ = hub.request("POST", path, model, token=token, timeout=120)
        assert status == 200, f"the upload gives {status}: {body[:200]!r}"
        return hub.request(
            "POST",
            f"/v1beta2/projects/{project}/models",
            {"displayName": name, "tfliteModel": {"gcsTfliteUri": f"gs://models/{name}"}},
            token=token,
            timeout=240,
        )

    results = []
    threads = [
        threading.Thread(target=lambda n=number: results.append(send(PROJECT, f"slow{n}", slow_model(25 + n), token)))
        for number in range(4)
    ]
    for thread in threads:
        thread.start()
    time.sleep(3)
    begin = time.monotonic()
    longest = 0.0
    for _ in range(10):
        start = time.monotonic()
        status, _, _ = hub.request("GET", "/readyz", source="127.0.0.9", timeout=60)
        longest = max(longest, time.monotonic() - start)
        assert status == 200, f"/readyz gives {status}"
    start = time.monotonic()
    status, body, _ = send("other-project", "quick", MODEL, other)
    assert status == 200 and b"validationError" not in body, f"another project's model gives {status}: {body[:300]!r}"
    waited = time.monotonic() - start
    for thread in threads:
        thread.join(timeout=240)
    messages = [re.search(rb'"message":"([^"]*)"', body) for _, body, _ in results]
    said = {message[1][:60] if message else b"ran" for message in messages}
    assert longest < 10, f"/readyz took {longest:.1f} s"
    assert waited < time.monotonic() - begin, "another project's model came last"
    return f"/readyz at most {longest * 1000:.0f} ms, another project's model {waited:.1f} s, slow ones: {said}"


@attack()
def pages_of_pictures_start_few_processes(hub: Hub) -> str | None:
    """A reader who asks for the same pages of pictures again and again does not start a process each time."""
    model = (FIXTURES / "models/classifier_float_metadata.tflite").read_bytes()
    picture = (FIXTURES / "images/large.png").read_bytes()
    browser = Browser(hub)
    status, _, headers = browser.upload(
        "/console/models", {"name": "colors", "publish": "yes"}, {"model": ("m.tflite", model)}
    )
    assert status == 303, f"the upload gives {status}"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for label in ["red", "green", "blue"]:
            for number in range(24):
                file.writestr(f"{label}/{number}.png", picture)
    status, page, headers = browser.upload(
        headers["Location"] + "/evaluations", {}, {"pictures": ("pictures.zip", archive.getvalue())}
    )
    assert status == 303, f"the evaluation gives {status}: {page[:300]!r}"
    place = headers["Location"]
    for _ in range(600):
        if b'"isOpen":true' not in browser.get(f"{place}/status")[1].replace(b" ", b""):
            break
        time.sleep(0.1)
    cells = sorted(set(re.findall(rf'{place}/cells/[^"]+', browser.get(place)[1].decode())))
    assert cells, "the evaluation has no cells"
    most, ended = 0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not ended.is_set():
            count = 0
            for path in Path(f"/proc/{hub.process.pid}/task").glob("*/children"):
                with contextlib.suppress(OSError):
                    count += len(path.read_text().split())
            most = max(most, count)
            time.sleep(0.01)

    watcher = threading.Thread(target=watch)
    watcher.start()
    threads = [threading.Thread(target=browser.get, args=(cells[n % len(cells)], 120)) for n in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ended.set()
    watcher.join()
    assert most <= 2, f"{most} processes ran at once"
    return f"24 requests for {len(cells)} pages, at most {most} processes at once"
