"""Tests of children within limits."""

import sys
import tempfile
import time
import unittest
from pathlib import Path

from sightline_tools.children import LimitedChild

# Answers each path with a line before and a line after it acts as the path says.
PROGRAM = """
import os, sys, time
for line in sys.stdin:
    word = line.strip()
    print("begin", word, flush=True)
    if word == "hang": time.sleep(60)
    if word == "exit": os._exit(3)
    if word == "signal": os.kill(os.getpid(), 6)
    if word == "memory":
        try: bytearray(1 << 30)
        except MemoryError: word = "refused"
    print("ok", word, os.getpid(), flush=True)
"""


class LimitedChildTests(unittest.TestCase):
    def setUp(self) -> None:
        self.child = LimitedChild([sys.executable, "-c", PROGRAM], megabytes=512, lines=2)
        self.addCleanup(self.child.stop)

    def ask(self, word: str, seconds: float = 30) -> str:
        return self.child.ask(Path(word), seconds)

    def test_the_last_line_of_an_answer_counts(self) -> None:
        self.assertEqual(self.ask("a").split()[:2], ["ok", "a"])

    def test_a_child_handles_one_path_after_the_other(self) -> None:
        self.assertEqual(self.ask("a").split()[2], self.ask("b").split()[2])

    def test_a_child_that_dies_is_started_again(self) -> None:
        first = self.ask("a").split()[2]
        self.assertEqual(self.ask("exit"), "crash exit 3")
        self.assertNotEqual(self.ask("a").split()[2], first)

    def test_a_signal_has_its_name(self) -> None:
        self.assertEqual(self.ask("signal"), "crash SIGABRT")

    def test_a_child_that_hangs_is_killed(self) -> None:
        began = time.monotonic()
        self.assertEqual(self.ask("hang", seconds=1), "hang")
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(self.ask("a").split()[:2], ["ok", "a"])

    def test_memory_beyond_the_limit_is_refused(self) -> None:
        self.assertEqual(self.ask("memory").split()[:2], ["ok", "refused"])

    def test_the_end_of_a_child_has_its_status(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = "import sys; print(sys.stdin.readline()); sys.stdin.read(); sys.exit(4)"
            child = LimitedChild([sys.executable, "-c", program])
            child.ask(Path(folder), 30)
            self.assertEqual(child.stop(), 4)
        self.assertEqual(child.stop(), 0)
