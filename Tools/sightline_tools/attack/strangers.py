"""Attacks on a server of answers by clients without access: without the token, and by pages in a browser."""

import contextlib
import http.server
import json
import threading
import time
from collections.abc import Iterator

from ..answers import AnswerServer
from .answers import HUB_FILE, OTHER, PHOTO, TOKEN, TOKEN_FILE, attack, connect, detect, memory

RIGHT = {"Authorization": f"Bearer {TOKEN}"}
JSON = {"Content-Type": "application/json"}
# The posts of a page in the mode no-cors.
PAGE = {"Sec-Fetch-Site": "cross-site", "Origin": "https://example.org", "Content-Type": "text/plain"}
BOXES = '<RectangleLabels name="l" toName="i"><Label value="Person"/></RectangleLabels>'
LABELS = f'<View><Image name="i" value="$image"/>{BOXES}</View>'


@attack("--token-file", TOKEN_FILE)
def forms_without_the_token(server: AnswerServer) -> str:
    """Strangers send forms of many pictures without an end: memory stays, and the owner of the token is answered."""
    before = memory(server)
    head = (
        b"POST /v1/vision/detection HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 268435456\r\n\r\n"
    )
    file = b'--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n'
    piece = bytes(1 << 20)
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(connect(server, f"127.0.6.{number}")) for number in range(1, 5)]

        def send(number: int) -> None:
            with contextlib.suppress(OSError):
                connections[number].sendall(head)
                for _ in range(6):
                    connections[number].sendall(b"\r\n" + file)
                    for _ in range(19):
                        connections[number].sendall(piece)

        threads = [threading.Thread(target=send, args=(number,), daemon=True) for number in range(len(connections))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=10)
        taken = memory(server) - before
        statuses = [server.request("POST", "/v1/detect", PHOTO, RIGHT)[0] for _ in range(5)]
    assert statuses == [200] * 5, f"the owner of the token gets {statuses}"
    assert taken < 150, f"{taken:.0f} MB"
    return f"{taken:.0f} MB"


@attack("--token-file", TOKEN_FILE)
def wrong_keys_before_pictures(server: AnswerServer) -> None:
    """A wrong key before the picture ends a form before the picture comes; the right one may come after it."""
    head = "POST /v1/vision/detection HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
    field = '--b\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n{}\r\n'
    file = b'--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n'
    with connect(server) as connection:
        connection.sendall(f"{head}Content-Length: 9000000\r\n\r\n{field.format('wrong')}".encode() + file)
        connection.settimeout(10)
        reply = b""
        with contextlib.suppress(TimeoutError):
            reply = connection.recv(4096)
        assert reply.startswith(b"HTTP/1.1 401"), f"the rest of the form is awaited: {reply[:60]!r}"
    body = file + PHOTO + b"\r\n" + field.format(TOKEN).encode() + b"--b--\r\n"
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    assert server.request("POST", "/v1/vision/detection", body, kind)[0] == 200


@attack()
def posts_of_web_pages(server: AnswerServer) -> None:
    """A page of another site changes and computes nothing, under any type of body."""
    document = json.dumps({"project": "1", "schema": LABELS, "hostname": "http://127.0.0.1:1", "access_token": "t"})
    posts: list[tuple[str, bytes | str]] = [
        ("/setup", document),
        ("/predict", json.dumps({"tasks": [], "label_config": LABELS})),
        ("/webhook", "{}"),
        ("/v1/outcomes", json.dumps({"model": "built-in-detector", "scores": {}})),
        ("/v1/detect", PHOTO),
        ("/v1/vision/detection", PHOTO),
        ("/v2/models/built-in-labeler/infer", "{}"),
        ("/api/v1/vision/labels", json.dumps({"images": []})),
    ]
    for path, body in posts:
        for fields in (PAGE, {"Sec-Fetch-Site": "same-site"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"}):
            status, text, _ = server.request("POST", path, body, fields)
            assert status == 403, f"{path} {fields}: {status} {text[:100]!r}"
    # A browser that names no origin sends these types without asking first.
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        status, text, _ = server.request("POST", "/setup", document, {"Content-Type": kind})
        assert status == 415, f"{kind}: {status} {text[:100]!r}"
    own = {"Origin": f"http://127.0.0.1:{server.port}"}
    assert server.request("POST", "/v1/detect", PHOTO, own)[0] == 200


@attack()
def names_that_are_rebound(server: AnswerServer) -> None:
    """A page whose host stands for 127.0.0.1 reads nothing."""
    for name in ("rebound.example.org", f"rebound.example.org:{server.port}", "localhost.example.org", "192.0.2.1"):
        for path in ("/v1/models", "/metrics", "/", "/openapi.json"):
            assert server.request("GET", path, headers={"Host": name})[0] == 403, f"{name} {path}"
        assert server.request("POST", "/v1/detect", PHOTO, {"Host": name})[0] == 403, name
    for name in ("localhost", f"localhost:{server.port}", "[::1]", "127.0.0.5"):
        assert server.request("GET", "/v1/models", headers={"Host": name})[0] == 200, name


@attack("--token-file", TOKEN_FILE)
def lock_outs_by_web_pages(server: AnswerServer) -> None:
    """A page of another site sends 80 wrong keys: the right token of the same address is accepted."""
    field = '--b\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n{}\r\n'
    form = field + '--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\nx\r\n--b--\r\n'
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    for number in range(80):
        server.request("POST", "/v1/vision/detection", form.format(number), {**PAGE, **kind})
        server.request("POST", "/v1/vision/detection", form.format(number), kind)
    assert server.request("GET", "/v1/models", headers=RIGHT)[0] == 200, "the right token is locked out"


@contextlib.contextmanager
def label_studio() -> Iterator[tuple[str, list[str]]]:
    """A server that notes the paths that it is asked for with a token; gives its address and the paths."""
    paths: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if "Authorization" in self.headers:
                paths.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(PHOTO)))
            self.end_headers()
            self.wfile.write(PHOTO)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as studio:
        thread = threading.Thread(target=studio.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{studio.server_port}", paths
        finally:
            studio.shutdown()


@attack("--allow-url-host", "127.0.0.1")
def places_of_label_studio(server: AnswerServer) -> None:
    """Others use the token of a project, ask for other paths with it, and move the project elsewhere."""

    def predict(path: str, source: str | None = None) -> None:
        body = {"project": "1", "label_config": LABELS, "tasks": [{"data": {"image": path}}]}
        server.request("POST", "/predict", json.dumps(body), JSON, source)

    def setup(address: str, source: str | None = None) -> int:
        body = {"project": "1", "schema": LABELS, "hostname": address, "access_token": "secret"}
        return server.request("POST", "/setup", json.dumps(body), JSON, source)[0]

    with label_studio() as (address, paths):
        assert setup(address) == 200
        predict("/data/upload/1/a.png")
        assert paths == ["/data/upload/1/a.png"], paths
        predict("/data/upload/1/a.png", OTHER)
        for path in ("/api/users/", "/data/../api/users/", "/data/%2e%2e/api/users/", "/user/account?x=/data/a.png"):
            predict(path)
        assert setup("http://127.0.0.2:1", OTHER) == 200
        assert setup("http://127.0.0.2:1") == 409, "the project was moved to another host"
        assert setup(f"{address}/api/users/?x=") == 400
        predict("/data/upload/1/b.png")
        assert paths == ["/data/upload/1/a.png", "/data/upload/1/b.png"], paths


@attack()
def scores_without_receipts(server: AnswerServer) -> None:
    """Scores with made-up keys and receipts are refused."""
    for number in range(200):
        fields = {**JSON, "X-Sightline-Key": str(number)}
        for body in (
            {"model": "built-in-detector", "scores": {"accepted": 1}},
            {"receipt": f"{number:032x}", "scores": {"accepted": 1}},
        ):
            status = server.request("POST", "/v1/outcomes", json.dumps(body), fields)[0]
            assert status in (400, 404), f"{body}: {status}"


@attack("--model", "hub:nothing", "--hub", HUB_FILE)
def failures_that_fill_the_log(server: AnswerServer) -> str:
    """Clients ask for 3 s for a model that cannot be loaded: the log has some lines, not one for each request."""
    end, count = time.monotonic() + 3, 0
    while time.monotonic() < end:
        assert detect(server, PHOTO) == 503
        count += 1
    assert len(server.log) < 20, f"{count} requests wrote {len(server.log)} lines"
    return f"{count} requests wrote {len(server.log)} lines"
