"""Trainings: the summary, the steps, errors, and programs that end."""

import os
import signal
import threading
import unittest

from sightline import Labeler, ProgramError, TrainingError, TrainingStep, train_labels

from .support import ROOT, FolderTestCase, needs_program, png
from .test_tracking import children

START = ROOT / "Tests/Fixtures/models/classifier_float_metadata.tflite"


class TrainingTests(FolderTestCase):
    def photos(self):
        for number in range(6):
            self.write(f"photos/fern/{number}.png", png(32, 32, 20 + 5 * number))
            self.write(f"photos/moss/{number}.png", png(32, 32, 200 + 5 * number))
        return self.folder / "photos"

    def names(self):
        return sorted(os.listdir(self.folder))

    def program(self, script):
        path = self.write("sightline", f"#!/bin/sh\n{script}\n".encode())
        path.chmod(0o755)
        os.environ["SIGHTLINE"], before = str(path), os.environ.get("SIGHTLINE")
        self.addCleanup(lambda: os.environ.update(SIGHTLINE=before) if before else os.environ.pop("SIGHTLINE"))

    @needs_program
    def test_a_labeler_is_made_and_measured(self):
        steps = []
        output = self.folder / "plants"
        trained = train_labels(self.photos(), output=output, start=START, progress=steps.append)
        self.assertEqual((trained.path, trained.labels, trained.skipped), (output, {"fern": 6, "moss": 6}, 0))
        self.assertTrue(trained.interval[0] <= trained.accuracy <= trained.interval[1])
        self.assertEqual((trained.start, trained.card["name"]), (START.name, "plants"))
        self.assertTrue(any(text.startswith("Few pictures: ") for text in trained.warnings), trained.warnings)
        self.assertIn(TrainingStep(stage="reading", done=12, total=12), steps)
        self.assertEqual(steps[-1].stage, "fitting")
        with Labeler(trained.path) as labeler:
            self.assertEqual(labeler.label(self.folder / "photos/moss/2.png")[0].text, "moss")

    @needs_program
    def test_options_reach_the_program(self):
        self.photos()
        self.write("labels.csv", b"photos/fern/1.png,a,b\nphotos/moss/1.png,a\nphotos/moss/2.png\nnowhere.png,b\n")
        for number in range(4):
            self.write(f"other/{number}.png", png(32, 32, 120 + number))
        trained = train_labels(
            self.folder / "labels.csv",
            output=self.folder / "plants",
            start=START,
            images=self.folder,
            nothing=self.folder / "other",
            several=True,
            seed=3,
            workers=1,
        )
        self.assertTrue(trained.card["severalLabels"])
        self.assertEqual((list(trained.labels), trained.skipped), (["a", "b"], 1))
        self.assertIn("nowhere.png", " ".join(trained.notes))

    @needs_program
    def test_why_nothing_is_trained_is_said(self):
        photos = self.photos()
        self.write("one/fern/1.png", png(32, 32))
        for settings, reason in (
            ({"photos": self.folder / "one"}, "one label, fern"),
            ({"photos": self.folder / "nowhere"}, "no such file or folder"),
            ({"output": photos}, "is not the folder of a trained model"),
            ({"start": "no-such-model"}, "neither a file nor a model"),
        ):
            with self.assertRaisesRegex(TrainingError, reason):
                train_labels(**{"photos": photos, "output": self.folder / "new", "start": START, **settings})
        with self.assertRaisesRegex(ProgramError, "--workers"):
            train_labels(photos, output=self.folder / "new", start=START, workers=0)
        self.assertEqual(self.names(), ["one", "photos"])

    @needs_program
    def test_a_callback_that_raises_ends_the_program(self):
        def stop(step):
            raise KeyboardInterrupt

        before = children()
        with self.assertRaises(KeyboardInterrupt):
            train_labels(self.photos(), output=self.folder / "plants", start=START, progress=stop)
        self.assertEqual((children(), self.names()), (before, ["photos"]))

    def test_ctrl_c_ends_a_program_that_works(self):
        self.program('echo \'{"stage":"reading","done":1,"total":9,"skipped":0}\'; exec sleep 1000')
        before = children()

        # A shell that runs the tests in the background lets them ignore the signal.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

        def interrupt(step):
            threading.Timer(0, os.kill, (os.getpid(), signal.SIGINT)).start()

        with self.assertRaises(KeyboardInterrupt):
            train_labels("photos", output="plants", progress=interrupt)
        self.assertEqual(children(), before)

    def test_a_program_that_crashes_is_an_error(self):
        self.program("kill -SEGV $$")
        with self.assertRaisesRegex(TrainingError, "sightline was ended by signal 11 on these pictures.$"):
            train_labels("photos", output="plants")


if __name__ == "__main__":
    unittest.main()
