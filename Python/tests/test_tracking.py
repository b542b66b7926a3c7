"""Videos: frames in order, errors, and programs that end."""

import os
import signal
import time
import unittest

from sightline import PictureError, ProgramError, SightlineError, Tracker, VideoError, track

from .support import ROOT, SCENE, FolderTestCase, needs_package, needs_program, with_fake

VIDEO = ROOT / "Tests/Fixtures/videos/h264-aac.mp4"


def children():
    """The numbers of the child processes of this process."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == os.getpid():
                found.append(int(name))
    return found


class FakeTests(FolderTestCase):
    def frames(self, text, **settings):
        return track(self.write("a.mp4", text.encode()), **settings)

    @with_fake
    def test_frames(self):
        frames = list(self.frames("TRACKS 3"))
        self.assertEqual([(frame.index, frame.time) for frame in frames], [(0, 0.0), (1, 0.1), (2, 0.2)])
        self.assertEqual([found.id for frame in frames for found in frame.objects], [1, 1, 1])

    @with_fake
    def test_frames_before_an_error_are_given(self):
        frames = self.frames("TRACKS 2 CUT")
        self.assertEqual([next(frames).index, next(frames).index], [0, 1])
        with self.assertRaisesRegex(VideoError, "a.mp4 is cut off after frame 2.$"):
            next(frames)

    @with_fake
    def test_videos_that_fail(self):
        for text, reason in (
            ("BAD", "a.mp4 has no video.$"),
            ("CRASH", "sightline was ended by signal 11 on this video.$"),
        ):
            with self.assertRaisesRegex(VideoError, reason):
                list(self.frames(text))
        with self.assertRaisesRegex(VideoError, "gave no frame for 0.3 s"):
            list(self.frames("HANG", limit=0.3))

    @with_fake
    def test_iteration_that_is_left_ends_the_program(self):
        before = children()
        frames = self.frames("TRACKS 100000")
        next(frames)
        self.assertGreater(len(children()), len(before))
        start = time.monotonic()
        frames.close()
        self.assertEqual(children(), before)
        self.assertLess(time.monotonic() - start, 10)

    @with_fake
    def test_no_program_runs_before_the_first_frame(self):
        before = children()
        frames = self.frames("TRACKS 1")
        self.assertEqual(children(), before)
        del frames

    @with_fake
    def test_images_that_are_cut_off(self):
        frames = self.frames("TRACKS 1", images=True)
        # The program writes no pixels.
        with self.assertRaisesRegex(VideoError, "exit code 0"):
            next(frames)


@needs_program
class TrackTests(FolderTestCase):
    def test_missing_video(self):
        with self.assertRaisesRegex(VideoError, "/no/video.mp4"):
            list(track("/no/video.mp4"))

    def test_unknown_option(self):
        with self.assertRaisesRegex(ProgramError, "sometimes"):
            list(track(VIDEO, options=["--sometimes", "2"]))

    def test_names_that_begin_with_a_hyphen(self):
        with self.assertRaisesRegex(VideoError, "-no.mp4"):
            list(track("-no.mp4"))

    def test_frames_of_a_video(self):
        frames = list(track(VIDEO, every=5))
        self.assertEqual([frame.index for frame in frames], list(range(len(frames))))
        detected = [frame.is_detected for frame in frames]
        self.assertTrue(detected[0])
        self.assertTrue(0 < sum(detected) < len(frames) / 2, detected)
        self.assertTrue(all(frame.width > 0 and frame.milliseconds for frame in frames))

    def test_images_of_frames(self):
        options = ["--no-times"]
        plain, frames = list(track(VIDEO, options=options)), list(track(VIDEO, images=True, options=options))
        self.assertEqual(frames, plain)
        self.assertTrue(all(frame.image is None for frame in plain))
        self.assertTrue(all((one.image.width, one.image.height) == (one.width, one.height) for one in frames))
        self.assertGreater(len({frame.image for frame in frames}), 1)


@needs_program
class TrackerTests(FolderTestCase):
    def test_identities_are_those_of_the_video(self):
        options = ["--line", "120,0,120,200", "--camera", "fixed"]
        frames = list(track(VIDEO, threshold=0.2, images=True, options=options))
        with Tracker(threshold=0.2, options=options) as tracker:
            found = [tracker.update(frame.image, frame.time) for frame in frames]
        for one, other in zip(found, frames):
            self.assertEqual((one.index, one.time, one.width), (other.index, other.time, other.width))
            self.assertEqual([kept.id for kept in one.objects], [kept.id for kept in other.objects])
            self.assertEqual([event.kind for event in one.events], [event.kind for event in other.events])

    @needs_package("numpy", "PIL")
    def test_frames_are_pictures_of_all_kinds(self):
        import numpy
        import PIL.Image

        image = PIL.Image.open(SCENE).convert("RGB")
        with Tracker(frame_rate=2) as tracker:
            given = (SCENE, SCENE.read_bytes(), image, numpy.asarray(image)[..., ::-1][..., ::-1], SCENE)
            frames = [tracker.update(one) for one in given]
        self.assertEqual([frame.time for frame in frames], [0, 0.5, 1, 1.5, 2])
        self.assertTrue(frames[-1].objects)
        self.assertEqual(len({tuple(one.id for one in frame.objects) for frame in frames[2:]}), 1)

    def test_frames_that_cannot_be_read_do_not_end_the_stream(self):
        with Tracker() as tracker:
            for _ in range(3):
                ids = [found.id for found in tracker.update(SCENE).objects]
            for wrong in (b"", b"none", self.folder / "none.jpg"):
                with self.assertRaises(PictureError):
                    tracker.update(wrong)
            with self.assertRaisesRegex(PictureError, "is not after"):
                tracker.update(SCENE, 0.01)
            for wrong in (None, memoryview(bytes(8)).cast("H")):
                with self.assertRaises((TypeError, ValueError)):
                    tracker.update(wrong)
            self.assertEqual([found.id for found in tracker.update(SCENE, 1).objects], ids)

    def test_process_that_died_loses_the_stream(self):
        tracker = Tracker()
        os.kill(tracker._process.child.pid, signal.SIGKILL)
        with self.assertRaisesRegex(VideoError, "ended by signal 9; the objects of this Tracker are lost"):
            tracker.update(SCENE)
        with self.assertRaisesRegex(SightlineError, "this Tracker is closed"):
            tracker.update(SCENE)

    def test_process_ends_with_the_tracker(self):
        before = children()
        tracker = Tracker()
        tracker.update(SCENE)
        tracker.close()
        tracker.close()
        self.assertEqual(children(), before)
        tracker = Tracker()
        del tracker
        self.assertEqual(children(), before)

    def test_forked_process_leaves_the_stream_to_its_parent(self):
        with Tracker() as tracker:
            tracker.update(SCENE)
            child = os.fork()
            if child == 0:
                try:
                    tracker.update(SCENE)
                except SightlineError:
                    os._exit(7)
                os._exit(1)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
            self.assertEqual(tracker.update(SCENE).index, 1)

    def test_wrong_options(self):
        for options, reason in (({"model": "/no/model.tflite"}, "/no/model.tflite"), ({"every": 0}, "--every")):
            with self.assertRaisesRegex(ProgramError, reason):
                Tracker(**options)
        with self.assertRaisesRegex(TypeError, "there is no option workers"):
            Tracker(workers=2)


if __name__ == "__main__":
    unittest.main()
