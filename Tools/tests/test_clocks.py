"""Tests of the clock that tools set."""

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from sightline_tools.clocks import Clock

TIMES = """
import sys, time
for line in sys.stdin:
    begin = time.monotonic()
    time.sleep(0.01)
    gap = time.clock_gettime(time.CLOCK_REALTIME) - time.time()
    print(int(time.time()), abs(gap) < 1, time.monotonic() - begin < 60, flush=True)
"""


class ClockTests(unittest.TestCase):
    def test_only_the_time_of_day_of_a_running_program_changes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            clock = Clock(Path(folder))
            process = subprocess.Popen(
                [sys.executable, "-c", TIMES],
                env={**os.environ, **clock.variables},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            assert process.stdin and process.stdout
            # Also beyond the end of 32-bit time, and before 1970.
            for seconds in (0, 3600, -3600, 2**31, -(2**31), 0):
                clock.set(seconds)
                process.stdin.write("now\n")
                process.stdin.flush()
                found, *others = process.stdout.readline().split()
                self.assertLess(abs(int(found) - time.time() - seconds), 60)
                self.assertEqual(others, ["True", "True"])
            process.stdin.close()
            process.stdout.close()
            self.assertEqual(process.wait(), 0)


if __name__ == "__main__":
    unittest.main()
