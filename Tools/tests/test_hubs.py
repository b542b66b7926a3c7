"""Tests of hubs that tools start, with a program that stands for a hub."""

import os
import tempfile
import unittest
from pathlib import Path

from sightline_tools.hubs import Place
from sightline_tools.kill.clients import States
from sightline_tools.places import free_port, temporary_folder
from sightline_tools.programs import output, peak_megabytes, processor_seconds, resident_megabytes

HUB = """#!/usr/bin/env python3
import http.server, os, sys

if sys.argv[1] != "serve":
    print(os.environ.get("SECRET"), *sys.argv[1:])
    sys.exit(3 if sys.argv[1] == "fail" else 0)
if "--broken" in sys.argv:
    sys.exit("it is broken")

class Handler(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.end_headers()
        self.wfile.write(self.headers["X-Name"].encode() + body)

server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print('{"message":"hub starts"}', file=sys.stderr)
print('{"address":"http://127.0.0.1:%d"}' % server.server_port, file=sys.stderr, flush=True)
server.serve_forever()
"""


class HubTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        program = Path(folder) / "hub"
        program.write_text(HUB)
        program.chmod(0o755)
        self.place = Place(program, ["--data", folder], {"SECRET": "s"})

    def test_a_command_gets_the_options_and_variables_of_the_place(self) -> None:
        self.assertEqual(self.place.run("list").split(), ["s", "list", *self.place.options])

    def test_a_command_that_fails_ends_the_tool_unless_that_is_wanted(self) -> None:
        self.assertEqual(self.place.run("fail", check=False).split()[:2], ["s", "fail"])
        with self.assertRaisesRegex(SystemExit, "sightline hub fail failed"):
            self.place.run("fail")

    def test_a_hub_has_the_address_of_its_log(self) -> None:
        hub = self.place.serve()
        self.addCleanup(hub.kill)
        self.assertEqual(hub.address, f"http://127.0.0.1:{hub.port}")
        status, body, _ = hub.request("PUT", "/", b"!", {"X-Name": "a"})
        self.assertEqual((status, body), (201, b"a!"))
        self.assertIn("hub starts", hub.log[0])

    def test_a_hub_that_does_not_start_ends_the_tool_with_its_log(self) -> None:
        with self.assertRaisesRegex(SystemExit, "it is broken"):
            self.place.serve("--broken")

    def test_a_hub_ends_when_it_is_asked_or_killed(self) -> None:
        for end in ["stop", "kill"]:
            hub = self.place.serve()
            self.assertTrue(hub.is_running)
            getattr(hub, end)()
            self.assertFalse(hub.is_running)


class StatesTests(unittest.TestCase):
    def test_a_model_has_both_states_until_its_request_is_answered(self) -> None:
        states = States()
        self.assertIsNone(states.known("a"))
        states.change("a", ("hash", False, None))
        self.assertEqual((states.in_doubt, states.alive), (1, 1))
        states.settle("a", ("hash", False, "1"))
        self.assertEqual((states.in_doubt, states.known("a")), (0, ("hash", False, "1")))
        states.settle("a", None)
        self.assertEqual(states.alive, 0)


class MachineTests(unittest.TestCase):
    def test_a_free_port_can_be_used(self) -> None:
        self.assertTrue(1024 <= free_port() < 65536)

    def test_a_temporary_folder_goes_with_its_scope(self) -> None:
        with temporary_folder("test", is_shared=True) as folder:
            self.assertEqual(folder.stat().st_mode & 0o777, 0o711)
        self.assertFalse(folder.exists())

    def test_a_program_that_fails_ends_the_tool_with_its_output(self) -> None:
        self.assertEqual(output(["echo", "a"]), "a\n")
        with self.assertRaisesRegex(SystemExit, "reason"):
            output(["sh", "-c", "echo reason >&2; exit 1"])

    def test_memory_and_time_of_a_process_are_known(self) -> None:
        self.assertGreater(resident_megabytes(os.getpid()), 1)
        self.assertGreaterEqual(peak_megabytes(os.getpid()), int(resident_megabytes(os.getpid())))
        self.assertGreater(processor_seconds(os.getpid()), 0)
        self.assertEqual(peak_megabytes(1 << 30), 0)
