"""Videos: frames in order, errors, and programs that end."""

import os
import time
import unittest

from sightline import ProgramError, VideoError, track

from .support import ROOT, FolderTestCase, needs_program, with_fake

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


if __name__ == "__main__":
    unittest.main()
