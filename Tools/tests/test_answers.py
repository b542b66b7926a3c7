"""Tests of servers of answers that tools start, with a program that stands for a server, and of what attacks send."""

import tempfile
import unittest
import zlib
from pathlib import Path

from sightline_tools.answers import AnswerServer
from sightline_tools.attack.answers import png

SERVER = """#!/usr/bin/env python3
import http.server, sys

if "--broken" in sys.argv:
    sys.exit("it is broken")

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body + b"!")

server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print("Serving at http://127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()
"""


class AnswerServerTests(unittest.TestCase):
    def setUp(self) -> None:
        self.program = Path(self.enterContext(tempfile.TemporaryDirectory())) / "serve"
        self.program.write_text(SERVER)
        self.program.chmod(0o755)

    def test_a_server_has_the_port_that_it_prints(self) -> None:
        server = AnswerServer(self.program)
        self.addCleanup(server.stop)
        self.assertTrue(server.is_running)
        self.assertEqual(server.request("POST", "/", b"a")[:2], (200, b"a!"))

    def test_a_server_that_does_not_start_ends_the_tool_with_its_log(self) -> None:
        with self.assertRaisesRegex(SystemExit, "it is broken"):
            AnswerServer(self.program, "--broken")

    def test_a_server_ends_when_it_is_asked(self) -> None:
        server = AnswerServer(self.program)
        server.stop()
        self.assertFalse(server.is_running)


class PictureTests(unittest.TestCase):
    def test_a_bomb_is_a_small_picture_of_many_pixels(self) -> None:
        bomb = png(800, 600)
        self.assertLess(len(bomb), 2000)
        self.assertEqual(int.from_bytes(bomb[16:20]), 800)
        start = bomb.index(b"IDAT")
        length = int.from_bytes(bomb[start - 4 : start])
        self.assertEqual(len(zlib.decompress(bomb[start + 4 : start + 4 + length])), 801 * 600)
