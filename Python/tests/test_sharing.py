"""An engine that several threads and forked processes use."""

import gc
import json
import os
import signal
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from sightline.engine import Engine
from sightline.errors import ProgramError
from sightline.frames import Picture

from .support import COMMAND


def width(line):
    return json.loads(line).get("width")


class ThreadTests(unittest.TestCase):
    def test_each_thread_gets_its_own_answers(self):
        with Engine(COMMAND) as engine, ThreadPoolExecutor(16) as pool:

            def ask(number):
                return width(engine.answer(Picture(f"picture {number}", b"x" * (number + 1))))

            self.assertEqual(list(pool.map(ask, range(2000))), list(range(1, 2001)))
            self.assertEqual(engine.starts, 1)

    def test_view_of_one_thread_that_cannot_be_sent_costs_no_other(self):
        with Engine(COMMAND) as engine, ThreadPoolExecutor(8) as pool:
            released = memoryview(b"released")
            released.release()
            bad = [memoryview(bytes(200))[::2], memoryview(bytes(64)).cast("B", (8, 8))[::2], released]

            def ask(number):
                if number % 4 == 0:
                    with self.assertRaises(ValueError):
                        engine.answer(Picture("bad", bad[number // 4 % 3]))
                    return None
                return width(engine.answer(Picture("good", memoryview(bytes(number + 1)).cast("b"))))

            expected = [None if number % 4 == 0 else number + 1 for number in range(400)]
            self.assertEqual(list(pool.map(ask, range(400))), expected)
            self.assertEqual(engine.starts, 1)

    def test_iterations_and_single_pictures_mix(self):
        with Engine(COMMAND) as engine, ThreadPoolExecutor(4) as pool:

            def many(size):
                return [width(line) for line in engine.answers(Picture("many", b"x" * size) for _ in range(500))]

            futures = [pool.submit(many, size) for size in (1, 2, 3, 4)]
            for _ in range(200):
                self.assertEqual(width(engine.answer(Picture("one", b"12345"))), 5)
            self.assertEqual([future.result() for future in futures], [[size] * 500 for size in (1, 2, 3, 4)])

    def test_picture_within_an_iteration(self):
        with Engine(COMMAND) as engine:
            found = []
            for line in engine.answers(Picture("outer", b"x") for _ in range(10)):
                found += [width(line), width(engine.answer(Picture("inner", b"xx")))]
            self.assertEqual(found, [1, 2] * 10)
            self.assertEqual(engine.starts, 1)

    def test_crashing_picture_of_one_thread_costs_no_other(self):
        with Engine(COMMAND) as engine, ThreadPoolExecutor(8) as pool:
            contents = [b"CRASH" if number % 10 == 0 else b"x" * number for number in range(60)]
            lines = list(pool.map(lambda content: engine.answer(Picture("picture", content)), contents))
        expected = [None if content == b"CRASH" else len(content) for content in contents]
        self.assertEqual([width(line) for line in lines], expected)

    def test_process_that_a_thread_wakes_keeps_its_pipes_meanwhile(self):
        with Engine(COMMAND) as engine, ThreadPoolExecutor(2) as pool:
            engine.start()
            process = engine._slot.process
            wake, close = process.wake, process._close_pipes
            is_waking, is_closed = threading.Event(), threading.Event()

            def wakes_late():
                is_waking.set()
                is_closed.wait(0.5)
                wake()

            def closes():
                close()
                is_closed.set()

            process.wake, process._close_pipes = wakes_late, closes
            os.kill(engine.process_id, signal.SIGSTOP)
            first = pool.submit(engine.answer, Picture("first", b"x"))
            while not engine._is_led:
                time.sleep(0.001)
            second = pool.submit(engine.answer, Picture("second", b"xx"))
            self.assertTrue(is_waking.wait(60))
            os.kill(engine.process_id, signal.SIGKILL)
            self.assertEqual((width(first.result()), width(second.result())), (1, 2))

    def test_killed_process_is_replaced_for_all_threads(self):
        with Engine(COMMAND) as engine, ThreadPoolExecutor(8) as pool:
            engine.start()
            answers = [pool.submit(engine.answer, Picture("picture", b"x" * 100_000)) for _ in range(300)]
            os.kill(engine.process_id, signal.SIGKILL)
            self.assertEqual({width(answer.result()) for answer in answers}, {100_000})

    def test_all_threads_learn_that_the_model_is_missing(self):
        with Engine([*COMMAND, "--model", "missing.tflite"]) as engine, ThreadPoolExecutor(4) as pool:
            for answer in [pool.submit(engine.answer, Picture("picture", b"x")) for _ in range(4)]:
                with self.assertRaisesRegex(ProgramError, "there is no model missing.tflite"):
                    answer.result()

    def test_iteration_that_is_left_takes_no_answers_of_others(self):
        with Engine(COMMAND) as engine:
            left = engine.answers(Picture("left", b"x") for _ in range(50))
            kept = engine.answers(Picture("kept", b"xx") for _ in range(100))
            self.assertEqual((width(next(left)), width(next(kept))), (1, 2))
            left.close()
            self.assertEqual([width(line) for line in kept], [2] * 99)

    def test_close_lets_other_threads_finish(self):
        engine = Engine(COMMAND)
        engine.start()
        with ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(engine.answer, Picture("picture", b"x" * 1_000_000)) for _ in range(20)]
            engine.close()
            self.assertEqual({width(answer.result()) for answer in answers}, {1_000_000})
        engine.close()
        self.assertIsNone(engine.process_id)


class EndTests(unittest.TestCase):
    def test_process_ends_with_the_engine(self):
        engine = Engine(COMMAND)
        engine.start()
        number = engine.process_id
        del engine
        gc.collect()
        self.assertFalse(os.path.exists(f"/proc/{number}"))

    def test_no_descriptor_and_no_thread_stays(self):
        before = len(os.listdir("/proc/self/fd")), threading.active_count()
        for _ in range(3):
            with Engine(COMMAND) as engine:
                list(engine.answers([Picture("a", b"x"), Picture("b", b"CRASH")]))
        self.assertEqual((len(os.listdir("/proc/self/fd")), threading.active_count()), before)

    def test_what_a_program_says_at_its_end_is_told(self):
        program = "import sys; print(sys.stdin.readline(), file=sys.stderr); print('error: no room.', file=sys.stderr)"
        with (
            self.assertRaisesRegex(ProgramError, "^no room.$"),
            Engine([COMMAND[0], "-c", program]) as engine,
        ):
            engine.start()


class ForkTests(unittest.TestCase):
    def in_child(self, body):
        """Runs `body` in a forked process, and returns what it returns as JSON."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writer, json.dumps(body()).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with open(reader, "rb") as file:
            text = file.read()
        os.waitpid(child, 0)
        return json.loads(text)

    def test_child_has_a_process_of_its_own(self):
        with Engine(COMMAND) as engine:
            engine.start()

            def body():
                found = [width(engine.answer(Picture("child", b"x" * size))) for size in (3, 4)]
                number = engine.process_id
                engine.close()
                return [found, number, os.path.exists(f"/proc/{number}")]

            found, number, is_there = self.in_child(body)
            self.assertEqual((found, is_there), ([3, 4], False))
            self.assertNotEqual(number, engine.process_id)
            self.assertEqual(width(engine.answer(Picture("parent", b"x"))), 1)
            self.assertEqual(engine.starts, 1)

    def test_child_of_a_busy_parent(self):
        with Engine(COMMAND) as engine, ThreadPoolExecutor(4) as pool:
            busy = [pool.submit(engine.answer, Picture("parent", b"x" * 100_000)) for _ in range(400)]
            for _ in range(5):
                self.assertEqual(self.in_child(lambda: width(engine.answer(Picture("child", b"xx")))), 2)
            self.assertEqual({width(answer.result()) for answer in busy}, {100_000})

    def test_child_does_not_keep_the_program_alive(self):
        with Engine(COMMAND) as engine:
            engine.start()
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(writer)
                os.read(reader, 1)
                os._exit(0)
            os.close(reader)
            process = engine._slot.process.child
            engine._slot.process.stdin.close()
            # The program sees the end of its input although the child has copied the pipe.
            self.assertEqual(process.wait(20), 0)
            os.close(writer)
            os.waitpid(child, 0)


if __name__ == "__main__":
    unittest.main()
