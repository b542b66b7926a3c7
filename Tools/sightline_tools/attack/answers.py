"""Attacks on a server of answers: bombs, slow and damaged bodies, floods, hidden requests, guesses, inner networks."""

import contextlib
import json
import random
import socket
import threading
import time
import zlib
from collections.abc import Callable

from ..answers import AnswerServer
from ..places import FIXTURES, ROOT
from ..programs import Word, resident_megabytes
from .attacked import HealthProbe
from .floods import flood, is_open

# An attack returns a description of its failure, or nothing.
Attack = Callable[[AnswerServer], str | None]
ATTACKS: list[tuple[Attack, tuple[Word, ...]]] = []

PHOTO = (ROOT / "Documentation/Pictures/scene.png").read_bytes()
TOKEN = "a-token-of-sixteen-letters-or-more"
# Stands for the path of a file with the token among the options of an attack.
TOKEN_FILE = "(token file)"
# Stands for the path of a file with the address of a hub that does not answer.
HUB_FILE = "(file of a hub that is away)"
# Another client of this machine, for whom the server must be there.
OTHER = "127.0.0.9"


def attack(*options: Word) -> Callable[[Attack], Attack]:
    """Marks a function as an attack. `options` are those of the server."""

    def mark(function: Attack) -> Attack:
        ATTACKS.append((function, options))
        return function

    return mark


def detect(server: AnswerServer, picture: bytes, source: str | None = None) -> int:
    """The status of an answer."""
    return server.request("POST", "/v1/detect", picture, source=source)[0]


def connect(server: AnswerServer, source: str | None = None) -> socket.socket:
    """A raw connection, for requests that no HTTP client sends."""
    return socket.create_connection(
        ("127.0.0.1", server.port), timeout=30, source_address=(source, 0) if source else None
    )


def memory(server: AnswerServer) -> float:
    """Megabytes of resident memory."""
    return resident_megabytes(server.process.pid)


def png(width: int, height: int) -> bytes:
    """A gray picture: 8,000 × 8,000 pixels are 60 kB."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return len(data).to_bytes(4) + body + zlib.crc32(body).to_bytes(4)

    head = width.to_bytes(4) + height.to_bytes(4) + bytes([8, 0, 0, 0, 0])
    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(width + 1)) for _ in range(height)) + packer.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@attack()
def pictures_larger_than_the_limit(server: AnswerServer) -> str:
    """A small file claims many millions of pixels: it is refused before memory is taken."""
    before = memory(server)
    bombs = [(FIXTURES / "images/enormous.png").read_bytes(), png(30_000, 20_000)]
    for bomb in bombs:
        assert detect(server, bomb) == 413
    assert memory(server) < before + 100, f"{before:.0f} MB became {memory(server):.0f} MB"
    return f"{memory(server):.0f} MB"


@attack()
def pictures_just_below_the_limit(server: AnswerServer) -> str:
    """60 kB are 64 million pixels, sixteen at a time: memory stays that of two workers, and others are served."""
    bomb = png(8000, 8000)
    with HealthProbe(server) as probe:
        statuses = flood(8, 16, lambda: detect(server, bomb))
        start = time.monotonic()
        status = detect(server, PHOTO, OTHER)
        waited = time.monotonic() - start
    assert set(statuses) <= {200, 503}, set(statuses)
    assert status == 200 and waited < 20, f"{status} after {waited:.1f} s"
    assert probe.failures == 0 and probe.percentile(0.99) < 3000, str(probe)
    assert memory(server) < 1500, f"{memory(server):.0f} MB"
    return f"{len(statuses)} pictures; {memory(server):.0f} MB; {probe}"


@attack()
def damaged_pictures(server: AnswerServer) -> str:
    """Pictures of all formats with wrong bytes are answers or sentences, never the end of the server."""
    random.seed(7)
    files = [path.read_bytes() for path in sorted((FIXTURES / "images").iterdir()) if path.suffix != ".md"]
    statuses: dict[int, int] = {}
    for _ in range(600):
        picture = bytearray(random.choice(files))
        for _ in range(random.choice([1, 4, 40])):
            picture[random.randrange(min(len(picture), 2000))] = random.randrange(256)
        if random.random() < 0.3:
            del picture[random.randrange(len(picture)) :]
        status = detect(server, bytes(picture) or b"x")
        statuses[status] = statuses.get(status, 0) + 1
    assert set(statuses) <= {200, 400, 413}, statuses
    return str(statuses)


@attack()
def bodies_that_trickle(server: AnswerServer) -> str:
    """100 clients send a byte a second of a picture: they hold no worker, and the server ends them."""
    head = b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(connect(server)) for _ in range(100)]
        for connection in connections:
            connection.sendall(head)
        start = time.monotonic()
        while time.monotonic() - start < 45:
            for connection in connections:
                with contextlib.suppress(OSError):
                    connection.sendall(b"a")
            assert detect(server, PHOTO, OTHER) == 200
            time.sleep(1)
        held = sum(is_open(connection) for connection in connections)
    assert held == 0, f"{held} connections are held after 45 s"
    return "all ended within 45 s"


@attack()
def bodies_that_fill_the_memory(server: AnswerServer) -> str:
    """120 clients send 15 MB each and stop before the end: the memory for bodies is limited, and others are served."""
    head = b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n"
    piece = bytes(1 << 20)

    def send(connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            connection.sendall(head)
            for _ in range(15):
                connection.sendall(piece)

    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(connect(server)) for _ in range(120)]
        threads = [threading.Thread(target=send, args=(connection,), daemon=True) for connection in connections]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
        most = memory(server)
        status = detect(server, PHOTO, OTHER)
    assert status == 200, f"another client gets {status}"
    assert most < 1000, f"{most:.0f} MB"
    return f"{most:.0f} MB"


@attack("--workers", "2")
def a_client_that_floods(server: AnswerServer) -> str:
    """One address sends as much as it can over 60 connections; another has its turn among them."""
    waits = []
    answered = threading.Event()

    def modest() -> None:
        for _ in range(10):
            start = time.monotonic()
            assert detect(server, PHOTO, OTHER) == 200
            waits.append(time.monotonic() - start)
            time.sleep(0.2)
        answered.set()

    thread = threading.Thread(target=modest, daemon=True)
    thread.start()
    statuses = flood(6, 60, lambda: detect(server, PHOTO))
    thread.join(timeout=60)
    assert answered.is_set(), f"the other client got {len(waits)} of 10 answers"
    assert set(statuses) <= {200, 503}, set(statuses)
    # Its turn is next after those that are analyzed now.
    assert max(waits) < 3, f"the other client waited {max(waits):.1f} s"
    return f"{len(statuses)} answers to the flood; the other waited {max(waits) * 1000:.0f} ms at most"


@attack("--workers", "1", "--queue", "20")
def clients_that_leave(server: AnswerServer) -> str:
    """400 clients send a picture and leave before the answer: their places are free at once."""
    head = f"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(PHOTO)}\r\n\r\n".encode()
    for _ in range(400):
        with connect(server) as connection:
            connection.sendall(head + PHOTO)
    start = time.monotonic()
    status = 503
    while status == 503 and time.monotonic() - start < 10:
        status = detect(server, PHOTO, OTHER)
    assert status == 200, status
    waited = time.monotonic() - start
    assert waited < 5, f"{waited:.1f} s"
    time.sleep(1)
    metrics = server.request("GET", "/metrics")[1].decode()
    assert "serve_pictures_waiting 0.0" in metrics, metrics
    return f"the next picture waited {waited * 1000:.0f} ms"


@attack()
def forms_of_many_kinds(server: AnswerServer) -> str:
    """Forms with thousands of fields, without an end, and with long heads are refused."""
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    field = b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'
    file = b'--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n'
    bodies = [
        field * 10_000 + b"--b--\r\n",
        field * 50,
        b"--b\r\nX: " + b"a" * 1_000_000,
        file + b"\r\n" + file,
        b"no form at all",
        b'--b\r\nContent-Disposition: form-data; name="threshold"\r\n\r\n' + b"9" * 100_000 + b"\r\n--b--\r\n",
    ]
    statuses = [server.request("POST", "/v1/detect", body, kind)[0] for body in bodies]
    assert set(statuses) <= {400, 413}, statuses
    many = b"".join(file + b"x\r\n" for _ in range(99)) + b"--b--\r\n"
    assert server.request("POST", "/v1/detect", many, kind)[0] == 400
    return str(statuses)


@attack()
def documents_of_many_values(server: AnswerServer) -> str:
    """JSON and XML of brackets and commas, to the dialects: refused, with little more memory than their bytes."""
    before = memory(server)
    infer = "/v2/models/built-in-labeler/infer"
    tensor = b'{"inputs":[{"name":"image","shape":[1,160,160,3],"datatype":"UINT8","data":'
    documents = [
        ("/predict", b'{"tasks":[' + b"[]," * 8_000_000 + b"[]]}"),
        ("/predict", b'{"tasks":' + b"[" * 900_000),
        ("/setup", json.dumps({"schema": "<View>" * 100_000}).encode()),
        ("/setup", json.dumps({"schema": "<View>" + '<Label value="x"/>' * 50_000}).encode()),
        (infer, tensor + b"[" + b"0," * 9_000_000 + b"0]}]}"),
        (infer, tensor + b"[" * 9_000_000),
        (infer, b'{"inputs":[' + b'{"name":"a"},' * 1_000_000 + b"{}]}"),
        ("/api/v1/vision/labels", b'{"images":[' + b'"",' * 900_000 + b'""]}'),
    ]
    for path, document in documents:
        status, body, _ = server.request("POST", path, document, {"Content-Type": "application/json"})
        assert status in (400, 413), f"{path}: {status} {body[:200]!r}"
    assert memory(server) < before + 250, f"{before:.0f} MB became {memory(server):.0f} MB"
    assert detect(server, PHOTO) == 200
    return f"{memory(server):.0f} MB"


@attack()
def queries_of_many_kinds(server: AnswerServer) -> str | None:
    """Long queries, thousands of fields and strange numbers are refused."""
    for query in [
        "a=" + "+" * 15_000,
        "&".join("allow=red" for _ in range(1500)),
        "threshold=nan",
        "threshold=1e999",
        "max-objects=99999999999999999999",
        "roi=nan,0,1,1",
        "roi=0,0,inf,1",
        "roi=1e300,1e300,1e300,1e300",
        "roi=-9e18,-9e18,1,1",
        "allow=%00",
        "model=../../etc/passwd",
        "threshold=" + "9" * 4000,
    ]:
        status, body, _ = server.request("POST", f"/v1/detect?{query}", PHOTO)
        assert status in (400, 404), f"{query[:60]}: {status} {body[:200]!r}"
    return None


@attack()
def addresses_outside_the_page(server: AnswerServer) -> str | None:
    """Other spellings of addresses lead nowhere."""
    for target in (
        "//metrics",
        "/page/../metrics",
        "/page/%2e%2e/x",
        "/page//page.js",
        "/%6detrics",
        "/page/page.css/x",
    ):
        assert server.request("GET", target)[0] == 404, target
    return None


HIDDEN = [
    "POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    "POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nContent-Length: 40\r\n\r\n",
    "POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: +5\r\n\r\n",
    "POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: y\r\n\r\n",
    "GET /healthz HTTP/1.1\r\n\r\n",
]


@attack()
def requests_that_hide_others(server: AnswerServer) -> None:
    """Lengths that contradict each other, malformed chunks, and two hosts are refused."""
    for text in HIDDEN:
        with connect(server) as connection:
            connection.settimeout(10)
            connection.sendall((text + "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").encode())
            reply = b""
            with contextlib.suppress(socket.timeout, ConnectionError):
                while b"serve_requests_total" not in reply and (piece := connection.recv(65536)):
                    reply += piece
                    if reply.startswith(b"HTTP/1.1 400"):
                        break
        is_refused = not reply or reply.startswith(b"HTTP/1.1 400")
        assert is_refused or b"serve_requests_total" not in reply, f"{text!r}: {reply[:60]!r}"


@attack("--token-file", TOKEN_FILE)
def guesses_of_the_token(server: AnswerServer) -> None:
    """Without the token nothing is read; wrong ones are slowed down, and never lock out the right one."""
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert server.request("POST", "/v1/detect", PHOTO, right)[0] == 200
    for target in ("/v1/detect", "/v1/label", "/v1/annotate", "/v1/detect?model=x"):
        assert server.request("POST", target, PHOTO)[0] == 401, target
    for value in ("Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}"):
        assert server.request("GET", "/v1/models", headers={"Authorization": value})[0] == 401, value
    statuses = [server.request("GET", "/v1/models", headers={"Authorization": f"Bearer {n}"})[0] for n in range(80)]
    assert 429 in statuses and 200 not in statuses, statuses
    assert server.request("GET", "/v1/models", headers=right)[0] == 200, "the right token is locked out"


def listener() -> socket.socket:
    inner = socket.create_server(("127.0.0.1", 0))
    inner.settimeout(0.5)
    return inner


def ask(server: AnswerServer, url: str) -> tuple[int, str]:
    body = json.dumps({"url": url})
    status, text, _ = server.request("POST", "/v1/detect", body, {"Content-Type": "application/json"})
    return status, text.decode()


def stays_outside(server: AnswerServer, statuses: set[int]) -> str:
    """Asks for pictures at addresses of this machine in many spellings; none may be reached."""
    with listener() as inner:
        port = inner.getsockname()[1]
        for host in [
            "127.0.0.1",
            "localhost",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "0.0.0.0",
            "user@127.0.0.1",
            "localhost.",
            "LOCALHOST",
            "127.0.0.1%2f",
        ]:
            status, text = ask(server, f"http://{host}:{port}/a.jpg")
            assert status in statuses, f"{host}: {status} {text}"
        for url in [
            "file:///etc/passwd",
            "ftp://127.0.0.1/",
            "gopher://127.0.0.1/",
            "http://",
            "//127.0.0.1/",
            "data:,x",
        ]:
            assert ask(server, url)[0] == 400, url
        assert ask(server, "http://169.254.169.254/latest/meta-data/")[0] in statuses
        with contextlib.suppress(TimeoutError):
            connection, _ = inner.accept()
            connection.close()
            raise AssertionError("a request reached the inner network")
    return "nothing was reached"


@attack()
def addresses_where_none_is_allowed(server: AnswerServer) -> str:
    """Addresses of pictures are refused by default."""
    return stays_outside(server, {400, 403})


@attack("--allow-url-host", "*")
def addresses_of_the_inner_network(server: AnswerServer) -> str:
    """With all public hosts allowed, no address of this machine is reached."""
    return stays_outside(server, {400, 403})
