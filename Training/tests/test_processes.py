"""Runs that share a folder, and workers whose parent is killed."""

import concurrent.futures
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from sightline_training.errors import TrainingError
from sightline_training.processes import alone, end_with_parent

ROOT = pathlib.Path(__file__).resolve().parents[1]


def say_and_sleep(_: int) -> None:
    # One write, since the other worker writes at the same time, and print may write the line's end by itself.
    os.write(1, f"{os.getpid()}\n".encode())
    time.sleep(600)


def start_workers() -> None:
    """The main process of the test: two workers that say their numbers."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, context, end_with_parent) as pool:
        list(pool.map(say_and_sleep, range(2)))


def lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # Nobody may have taken the status of an orphan yet.
    status = pathlib.Path(f"/proc/{process}/stat")
    return not (status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] == "Z")


class ProcessTests(unittest.TestCase):
    def test_a_second_run_in_a_folder_is_refused_until_the_first_ends(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary) / "work"
            refused = self.assertRaisesRegex(TrainingError, "Another run of prepare is working in .*work: wait")
            with alone(folder), refused, alone(folder):
                self.fail("two runs in one folder")
            with alone(folder):
                pass

    def test_a_killed_run_leaves_its_folder_free(self):
        with tempfile.TemporaryDirectory() as temporary:
            code = (
                "import sys, time; from pathlib import Path; from sightline_training.processes import alone\n"
                "with alone(Path(sys.argv[1])): print('in', flush=True); time.sleep(600)"
            )
            command = [sys.executable, "-c", code, temporary]
            with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
                self.assertEqual(run.stdout.readline(), "in\n")
                with self.assertRaises(TrainingError), alone(pathlib.Path(temporary)):
                    pass
                run.kill()
            with alone(pathlib.Path(temporary)):
                pass

    def test_workers_end_when_their_parent_is_killed(self):
        code = "from tests.test_processes import start_workers; start_workers()"
        with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as main:
            try:
                workers = [int(main.stdout.readline()) for _ in range(2)]
                self.assertTrue(all(lives(worker) for worker in workers))
            finally:
                # The end of the block waits for the process.
                main.kill()
                main.wait()
            deadline = time.monotonic() + 60
            while any(lives(worker) for worker in workers) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertFalse(any(lives(worker) for worker in workers))

    def test_a_process_without_a_parent_goes_on(self):
        end_with_parent()


if __name__ == "__main__":
    unittest.main()
