"""Detectors and labelers, with the real program and with the one that crashes."""

import os
import pickle
import shutil
import signal
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import sightline
from sightline import Detector, Labeler, PictureError, ProgramError, SightlineError

from .support import FAKE, SCENE, FolderTestCase, needs_program, with_fake


class FailureTests(FolderTestCase):
    @with_fake
    def test_errors_of_pictures(self):
        with Detector() as detector:
            path = self.write("bad.jpg", b"BAD")
            with self.assertRaisesRegex(PictureError, f"^{path}: This is not a picture.$") as caught:
                detector.detect(path)
            self.assertEqual((caught.exception.picture, caught.exception.reason), (str(path), "This is not a picture."))
            with self.assertRaisesRegex(PictureError, "^/none.jpg cannot be read"):
                detector.detect("/none.jpg")

    @with_fake
    def test_crash_is_an_error_of_its_picture(self):
        with Detector() as detector:
            with self.assertRaisesRegex(PictureError, "^picture: sightline was ended by signal 11 on this picture.$"):
                detector.detect(b"CRASH")
            self.assertEqual(detector.detect(b"xx").width, 2)

    @with_fake
    def test_what_the_program_says_at_its_end_is_told(self):
        reason = "exit code 3 on this picture: there is no room.$"
        with Detector() as detector, self.assertRaisesRegex(PictureError, reason):
            detector.detect(b"SAY error: there is no room.")

    @with_fake
    def test_hang_is_an_error_of_its_picture(self):
        with Detector(limit=0.3) as detector, self.assertRaisesRegex(PictureError, "gave no answer for 0.3 s"):
            detector.detect(b"HANG")

    @with_fake
    def test_failures_among_many_are_values(self):
        with Detector() as detector:
            found = list(detector.detect_many([b"x", b"CRASH", "/none.jpg", b"BAD", b"xx"]))
        self.assertEqual([type(one) for one in found], [sightline.Objects, *[PictureError] * 3, sightline.Objects])

    @with_fake
    def test_names_that_are_not_utf8(self):
        folder = os.fsencode(self.folder)
        good, missing = os.fsdecode(folder + b"/caf\xe9.jpg"), os.fsdecode(folder + b"/none\xff.jpg")
        with open(good, "wb") as file:
            file.write(b"xx")
        shown = f"{self.folder}/caf\\xE9.jpg"
        with Detector() as detector:
            found = list(detector.detect_many([b"x", good, missing, b"xxx"]))
            self.assertEqual([type(one) for one in found], [sightline.Objects] * 2 + [PictureError, sightline.Objects])
            self.assertEqual((found[1].image, found[1].width), (shown, 2))
            self.assertEqual(found[2].picture, f"{self.folder}/none\\xFF.jpg")
            with self.assertRaises(PictureError) as caught:
                detector.detect(missing)
        with Labeler() as labeler:
            self.assertEqual([one.image for one in labeler.label_many([good])], [shown])
        # All of it can be written.
        for text in (str(found[2]), str(caught.exception), repr(found[1]), found[1]._repr_html_(), repr(found[2])):
            text.encode()
        self.assertEqual(str(pickle.loads(pickle.dumps(found[2]))), str(found[2]))

    @with_fake
    def test_names_that_no_line_can_hold(self):
        names = [self.write("a\nb.jpg", b"BAD"), self.write("c\nd.jpg", b"xx")]
        with Detector() as detector:
            bad, good = detector.detect_many(names)
        self.assertEqual((bad.picture, good.image), tuple(map(str, names)))

    def test_names_in_errors_of_the_program(self):
        with mock.patch.dict(os.environ, {"SIGHTLINE": "/no/\udce9"}), self.assertRaises(ProgramError) as caught:
            Detector()
        self.assertRegex(str(caught.exception), r"^SIGHTLINE is /no/\\xE9, which")

    @with_fake
    def test_views_of_one_thread_cost_no_other(self):
        with Detector() as detector, ThreadPoolExecutor(4) as pool:
            views = [memoryview(bytes(200))[::2], memoryview(bytes(200)).cast("H")] * 50

            def ask(view):
                try:
                    return detector.detect(view).width
                except ValueError:
                    return None

            wrong = [pool.submit(ask, view) for view in views]
            right = [pool.submit(ask, bytes(7)) for _ in range(200)]
            self.assertEqual({one.result() for one in right}, {7})
            self.assertEqual([one.result() for one in wrong], [100, None] * 50)
            self.assertEqual(detector._engine.starts, 1)

    @with_fake
    def test_one_buffer_for_many_pictures(self):
        buffer = bytearray()

        def pictures():
            for number in range(1, 50):
                buffer.clear()
                buffer.extend(bytes(number))
                yield buffer

        with Detector() as detector:
            self.assertEqual([found.width for found in detector.detect_many(pictures())], list(range(1, 50)))

    @with_fake
    def test_process_that_died_is_replaced(self):
        with Detector() as detector:
            os.kill(detector._engine.process_id, signal.SIGKILL)
            self.assertEqual(detector.detect(b"xxx").width, 3)

    @with_fake
    def test_closed_detector(self):
        detector = Detector()
        number = detector._engine.process_id
        many = detector.detect_many([b"x", b"y"])
        next(many)
        detector.close()
        detector.close()
        self.assertFalse(os.path.exists(f"/proc/{number}"))
        for use in (lambda: detector.detect(b"x"), lambda: next(many)):
            with self.assertRaisesRegex(SightlineError, "this Detector is closed"):
                use()
        self.assertIsNone(detector._engine.process_id)

    def test_missing_program(self):
        for environment, reason in (
            ({"SIGHTLINE": "/no/such"}, "SIGHTLINE is /no/such, which is not a program"),
            ({"SIGHTLINE": "", "PATH": str(self.folder)}, "the program sightline is not installed"),
        ):
            with mock.patch.dict(os.environ, environment), self.assertRaisesRegex(ProgramError, reason):
                Detector()

    def test_program_of_the_path(self):
        os.symlink(FAKE, self.folder / "sightline")
        path = f"{self.folder}:{os.environ['PATH']}"
        with mock.patch.dict(os.environ, {"SIGHTLINE": "", "PATH": path}), Detector() as detector:
            self.assertEqual(detector.detect(b"xxxx").width, 4)

    @with_fake
    def test_missing_model_is_known_at_once(self):
        with self.assertRaisesRegex(ProgramError, "there is no model missing.tflite"):
            Detector("missing.tflite")

    @with_fake
    def test_options_that_belong_to_the_package(self):
        for option in ("--format", "--output=x", "-o", "--stdin", "--help"):
            with self.assertRaisesRegex(ValueError, f"the option {option} belongs to this package"):
                Detector(options=[option, "csv"])
        with self.assertRaisesRegex(TypeError, "there is no option treshold; did you mean threshold?"):
            Detector(treshold=0.5)
        with self.assertRaisesRegex(TypeError, "there is no option classifier; there are"):
            Labeler(classifier="x.tflite")
        with self.assertRaisesRegex(TypeError, r"allow is a list of texts, not a text: allow=\['person'\]"):
            Detector(allow="person")


@needs_program
class DetectorTests(FolderTestCase):
    def test_objects_of_a_picture(self):
        with Detector(threshold=0.35, label_threshold=0.4) as detector:
            found = detector.detect(SCENE)
        self.assertIsInstance(found, list)
        self.assertEqual((found.image, found.width, found.height, found.omitted), (str(SCENE), 720, 456, 0))
        self.assertGreater(found.milliseconds["total"], 0)
        self.assertTrue(any(one.label for one in found))
        best = found[0]
        self.assertEqual(found, sorted(found, key=lambda one: -one.confidence))
        self.assertGreaterEqual(best.confidence, 0.35)
        left, top, right, bottom = best.box.xyxy
        self.assertTrue(0 <= left < right <= 720 and 0 <= top < bottom <= 456, best.box)

    def test_path_and_bytes_have_one_answer(self):
        with Detector() as detector:
            self.assertEqual(detector.detect(SCENE), detector.detect(SCENE.read_bytes()))

    def test_options(self):
        with Detector(threshold=0.2, label_threshold=0.4) as detector:
            found = detector.detect(SCENE)
        name = found[0].label
        with Detector(threshold=0.2, label_threshold=0.4, max_objects=1, workers=2, threads=1) as detector:
            self.assertEqual(len(detector.detect(SCENE)), 1)
        with Detector(threshold=0.2, label_threshold=0.4, allow=[name]) as detector:
            self.assertEqual({one.label for one in detector.detect(SCENE)}, {name})
        last = [one.label for one in found if one.label][-1]
        with Detector(threshold=0.2, label_threshold=0.4, allow=[last], max_objects=1) as detector:
            self.assertEqual([one.label for one in detector.detect(SCENE)], [last])
        with Detector(threshold=0.2, label_threshold=0.4, deny=[name]) as detector:
            self.assertNotIn(name, [one.label for one in detector.detect(SCENE)])
        with Detector(label_threshold=1) as detector:
            self.assertFalse(any(one.label for one in detector.detect(SCENE)))
        with Detector(options=["--roi", "0,0,200,300"]) as detector:
            self.assertTrue(all(one.box.xyxy[2] <= 200 for one in detector.detect(SCENE)))
        with self.assertRaisesRegex(ProgramError, "treshold"):
            Detector(options=["--treshold=1"])
        with self.assertRaisesRegex(ProgramError, "threshold"):
            Detector(threshold=7)

    def test_omitted_objects_are_counted(self):
        with Detector(threshold=0.2, max_objects=1) as detector:
            self.assertGreater(detector.detect(SCENE).omitted, 0)

    def test_missing_model(self):
        with self.assertRaisesRegex(ProgramError, "/no/model.tflite"):
            Detector("/no/model.tflite")

    def test_pictures_that_are_none(self):
        path = self.write("text.jpg", b"This is a text.")
        with Detector() as detector:
            for given in (path, b"", b"\xff\xd8\xff", b"x" * 1000):
                with self.assertRaises(PictureError):
                    detector.detect(given)
            self.assertTrue(detector.detect(SCENE))

    def test_many_pictures_keep_their_order(self):
        names = [self.folder / f"{number}.png" for number in range(30)]
        for number, name in enumerate(names):
            if number % 10 == 3:
                name.write_bytes(b"damaged")
            else:
                shutil.copy(SCENE, name)
        with Detector(workers=2) as detector:
            found = list(detector.detect_many(names))
            for number, (name, one) in enumerate(zip(names, found)):
                if number % 10 == 3:
                    self.assertEqual(one.picture, str(name))
                else:
                    self.assertEqual((one.image, one), (str(name), found[0]))

    def test_threads_share_a_detector(self):
        with Detector(workers=2) as detector, ThreadPoolExecutor(8) as pool:
            expected = detector.detect(SCENE)
            for found in pool.map(lambda _: detector.detect(SCENE), range(40)):
                self.assertEqual(found, expected)

    def test_results_can_be_pickled(self):
        with Detector() as detector:
            found = detector.detect(SCENE)
        copy = pickle.loads(pickle.dumps(found))
        self.assertEqual((copy, vars(copy)), (found, vars(found)))

    def test_labels_of_a_picture(self):
        with Labeler(threshold=0.1, max_labels=3) as labeler:
            found = labeler.label(SCENE)
            many = list(labeler.label_many([SCENE, b"none"]))
        self.assertEqual((found.width, found.height), (720, 456))
        self.assertTrue(0 < len(found) <= 3)
        self.assertEqual(many[0], found)
        self.assertIsInstance(many[1], PictureError)


if __name__ == "__main__":
    unittest.main()
