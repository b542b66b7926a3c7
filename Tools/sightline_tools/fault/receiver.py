"""A receiver of webhooks, and a server of files, on loopback."""

import contextlib
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

# Nothing else in a test listens there. Addresses are part of configurations, and have to stay the same.
PORT = 47_113


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers requests from files, and writes what is posted behind the lines of a file."""

    protocol_version = "HTTP/1.1"
    server: "Receiver"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.log.open("a") as log:
            log.writelines(json.dumps(each) + "\n" for each in (body if isinstance(body, list) else [body]))
        self.send_response(204)
        self.end_headers()

    def do_GET(self) -> None:
        content = self.server.files[self.path]
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        end = self.server.cut or len(content)
        with contextlib.suppress(OSError):
            self.wfile.write(content[start:end])
        # A cut answer ends the connection.
        self.close_connection = self.server.cut is not None

    def log_message(self, *_: object) -> None:
        pass


class Receiver(http.server.ThreadingHTTPServer):
    """The server. `cut`: the byte before which answers end."""

    daemon_threads = True

    def __init__(self, log: Path, files: dict[str, bytes], cut: int | None) -> None:
        super().__init__(("127.0.0.1", PORT), Handler)
        self.log, self.files, self.cut = log, files, cut

    def handle_error(self, *_: object) -> None:
        pass  # a program that was killed


@contextlib.contextmanager
def receiving(folder: Path, files: dict[str, bytes] | None = None, cut: int | None = None) -> Iterator[None]:
    """Serves files by their paths, and receives lines in the file `received.jsonl` of a folder."""
    server = Receiver(folder / "received.jsonl", files or {}, cut)
    thread = threading.Thread(target=server.serve_forever, args=[0.02])
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def received(folder: Path) -> list[dict[str, object]]:
    """All that was posted so far."""
    file = folder / "received.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
