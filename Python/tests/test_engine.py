"""The engine with a program that crashes, hangs and lies."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from sightline.engine import Engine
from sightline.errors import ProgramError
from sightline.frames import Picture, error_line

from .support import COMMAND


def run(contents, **settings):
    """The answers for pictures of these bytes, and how many processes it took."""
    with Engine(COMMAND, **settings) as engine:
        pictures = [Picture(f"picture {number}", content) for number, content in enumerate(contents)]
        answers = [json.loads(line) for line in engine.answers(pictures)]
        assert [answer["image"] for answer in answers] == [picture.name for picture in pictures]
        return answers, engine.starts


def widths(answers):
    return [answer.get("width") for answer in answers]


class EngineTests(unittest.TestCase):
    def test_all_are_answered_in_order(self):
        answers, starts = run([b"x" * (number + 1) for number in range(1000)])
        self.assertEqual(widths(answers), list(range(1, 1001)))
        self.assertEqual(starts, 1)

    def test_pictures_larger_than_pipe_and_window(self):
        large = os.urandom(9 << 20)
        answers, starts = run([large, b"ab", large, large, b"abc"])
        self.assertEqual(widths(answers), [9 << 20, 2, 9 << 20, 9 << 20, 3])
        self.assertEqual(starts, 1)

    def test_empty_pictures_have_rows(self):
        answers, _ = run([b"", b"a", b""])
        self.assertEqual(widths(answers), [None, 1, None])
        self.assertIn("no bytes", answers[0]["error"])

    def test_error_of_the_source_comes_after_the_answers_before_it(self):
        released = memoryview(b"released")
        released.release()

        def pictures(number):
            yield Picture("one", b"x")
            yield Picture("two", b"xx")
            if number % 2:
                raise KeyError(number)
            yield Picture("three", released)

        with Engine(COMMAND) as engine:
            for number in range(4):
                answers = engine.answers(pictures(number))
                self.assertEqual([json.loads(next(answers))["width"] for _ in range(2)], [1, 2])
                with self.assertRaises(KeyError if number % 2 else ValueError):
                    next(answers)
            # No picture was left behind for which the process would have to be replaced.
            self.assertEqual(engine.starts, 1)

    def test_pictures_are_taken_a_few_at_a_time(self):
        taken = 0

        def pictures():
            nonlocal taken
            for number in range(10_000):
                taken += 1
                yield Picture(str(number), b"x")

        with Engine(COMMAND) as engine:
            next(engine.answers(pictures()))
            self.assertLess(taken, 100)

    def test_crashing_pictures_cost_nobody_else(self):
        answers, starts = run([b"a", b"CRASH", b"bb", b"CRASH", b"CRASH", b"ccc"])
        self.assertEqual(widths(answers), [1, None, 2, None, None, 3])
        self.assertEqual(answers[1]["error"], "sightline was ended by signal 11 on this picture.")
        self.assertEqual(starts, 7)

    def test_accident_is_not_the_pictures_fault(self):
        with tempfile.TemporaryDirectory() as folder:
            answers, starts = run([b"a", b"ONCE " + f"{folder}/file".encode(), b"b"])
        self.assertNotIn(None, widths(answers))
        self.assertEqual(starts, 2)

    def test_exit_code_in_mid_work_is_the_pictures(self):
        answers, _ = run([b"a", b"EXIT", b"bb"])
        self.assertEqual(widths(answers), [1, None, 2])
        self.assertEqual(answers[1]["error"], "sightline ended with the exit code 3 on this picture.")

    def test_hanging_picture_ends_by_the_limit(self):
        before = time.monotonic()
        answers, _ = run([b"a", b"HANG", b"bb"], limit=0.5)
        self.assertEqual(widths(answers), [1, None, 2])
        self.assertEqual(answers[1]["error"], "sightline gave no answer for 0.5 s on this picture.")
        self.assertLess(time.monotonic() - before, 60)

    def test_slow_source_is_not_the_pictures_time(self):
        def pictures():
            for number in range(4):
                time.sleep(0.4)
                yield Picture(str(number), b"x")

        with Engine(COMMAND, limit=0.3) as engine:
            self.assertEqual(len(list(engine.answers(pictures()))), 4)
            self.assertEqual(engine.starts, 1)

    def test_killed_process_is_replaced(self):
        with Engine(COMMAND) as engine:
            answers = engine.answers(Picture(str(number), b"x") for number in range(300))
            names = []
            for line in answers:
                names.append(json.loads(line)["image"])
                if len(names) in (50, 150):
                    os.kill(engine.process_id, signal.SIGKILL)
            self.assertEqual(names, [str(number) for number in range(300)])

    def test_process_killed_while_idle_is_replaced(self):
        with Engine(COMMAND) as engine:
            list(engine.answers([Picture("a", b"x")]))
            os.kill(engine.process_id, signal.SIGKILL)
            self.assertEqual(json.loads(next(engine.answers([Picture("b", b"xx")])))["width"], 2)

    def test_unreadable_files_keep_their_place(self):
        with Engine(COMMAND) as engine:
            pictures = [Picture("a", b"x"), Picture("b", error="no such file."), Picture("c", b"xx")]
            answers = [json.loads(line) for line in engine.answers(pictures)]
        self.assertEqual(widths(answers), [1, None, 2])
        self.assertEqual(answers[1], {"image": "b", "error": "no such file."})

    def test_names_that_fit_no_frame(self):
        names = ["two\nlines", "é" * 3000, "", 'quote"back\\slash\tand\x08bell', "Grüße 😀"]
        with Engine(COMMAND) as engine:
            answers = [json.loads(line) for line in engine.answers(Picture(name, b"x") for name in names)]
        self.assertEqual([answer["width"] for answer in answers], [1] * 5)
        self.assertEqual(answers[4]["image"], names[4])

    def test_much_on_standard_error_stops_nothing(self):
        answers, _ = run([b"NOISE", b"a", b"NOISE"])
        self.assertEqual(widths(answers), [5, 1, 5])

    def test_answer_for_another_picture_is_refused(self):
        with self.assertRaisesRegex(ProgramError, "belongs to no picture"):
            run([b"a", b"LIE", b"b"])

    def test_missing_program(self):
        with (
            self.assertRaisesRegex(ProgramError, "/no/such cannot be started .*; check the path"),
            Engine(["/no/such"]) as engine,
        ):
            list(engine.answers([Picture("a", b"x")]))

    def test_missing_model_is_no_pictures_fault(self):
        with (
            self.assertRaisesRegex(ProgramError, "there is no model missing.tflite"),
            Engine([*COMMAND, "--model", "missing.tflite"]) as engine,
        ):
            try:
                list(engine.answers([Picture("a", b"x")]))
            finally:
                self.assertEqual(engine.starts, 1)

    def test_abandoned_answers_do_not_come_later(self):
        with Engine(COMMAND) as engine:
            answers = engine.answers(Picture(str(number), b"x" * 5) for number in range(100))
            next(answers)
            answers.close()
            self.assertEqual(json.loads(next(engine.answers([Picture("new", b"xx")])))["width"], 2)

    def test_close_leaves_nothing_behind(self):
        threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
        engine = Engine(COMMAND)
        list(engine.answers([Picture("a", b"x")]))
        number = engine.process_id
        engine.close()
        engine.close()
        self.assertFalse(os.path.exists(f"/proc/{number}"))
        self.assertEqual(threading.active_count(), threads)
        self.assertEqual(len(os.listdir("/proc/self/fd")), files)

    def test_close_ends_a_process_that_hangs(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        taken = pathlib.Path(folder.name) / "taken"

        def pictures():
            yield Picture("a", b"WAIT " + os.fsencode(taken))
            yield Picture("b", b"HANG")
            taken.touch()  # only now is there an answer to the first

        engine = Engine(COMMAND, limit=60)
        answers = engine.answers(pictures())
        next(answers)
        number = engine.process_id
        answers.close()
        self.assertFalse(os.path.exists(f"/proc/{number}"))
        engine.close()

    def test_process_ends_when_its_worker_is_killed(self):
        program = "import sys; from sightline.engine import *; e = Engine(sys.argv[1:]);"
        program += (
            "list(e.answers([Picture('a', b'x')])); print(e.process_id, flush=True); import time; time.sleep(100)"
        )
        with subprocess.Popen([sys.executable, "-c", program, *COMMAND], stdout=subprocess.PIPE, text=True) as worker:
            number = int(worker.stdout.readline())
            worker.kill()
        for _ in range(100):
            if not os.path.exists(f"/proc/{number}"):
                return
            with open(f"/proc/{number}/stat") as stat:
                if stat.read().split()[2] == "Z":
                    return
            time.sleep(0.05)
        self.fail("the process continues without its worker")

    def test_error_line(self):
        self.assertEqual(error_line('a"b', "x"), b'{"image":"a\\"b","error":"x"}')
        self.assertEqual(
            error_line("a\udce9", "\udce9\ud800é"), '{"image":"a\\\\xE9","error":"\\\\xE9\ufffdé"}'.encode()
        )


if __name__ == "__main__":
    unittest.main()
