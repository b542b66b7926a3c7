"""Findings on their pictures, and pictures in memory."""

import struct
import subprocess
import unittest
import zlib

from sightline import Detector, Image, Labeler, PictureError, blur_faces, track
from sightline.program import find_program

from .support import ROOT, SCENE, FolderTestCase, needs_package, needs_program


class ImageTests(FolderTestCase):
    IMAGE = Image(2, 1, bytes([255, 0, 0, 0, 0, 255]))

    def test_number_of_bytes(self):
        for width, height, count in ((2, 2, 11), (0, 1, 0), (-1, -1, 3)):
            with self.assertRaisesRegex(ValueError, "cannot have"):
                Image(width, height, bytes(count))
        self.assertEqual(repr(self.IMAGE), "Image(2 × 1)")

    def test_file_without_other_packages(self):
        self.IMAGE.save(self.folder / "a.PNG")
        content = (self.folder / "a.PNG").read_bytes()
        self.assertEqual(struct.unpack(">II", content[16:24]), (2, 1))
        self.assertEqual(zlib.decompress(content[41:-16]), b"\0" + self.IMAGE.pixels)

    @needs_package("PIL")
    def test_images_of_pillow_and_other_files(self):
        import PIL.Image

        self.IMAGE.save(self.folder / "a.png")
        self.IMAGE.save(self.folder / "a.bmp")
        for image in (self.IMAGE.to_pillow(), *(PIL.Image.open(self.folder / name) for name in ("a.png", "a.bmp"))):
            self.assertEqual((image.size, image.tobytes()), ((2, 1), self.IMAGE.pixels))
            image.close()

    @needs_package("numpy")
    def test_arrays_of_numpy(self):
        import numpy

        for array in (self.IMAGE.to_numpy(), numpy.asarray(self.IMAGE)):
            self.assertEqual(array.tolist(), [[[255, 0, 0], [0, 0, 255]]])


@needs_program
class DrawingTests(FolderTestCase):
    @classmethod
    def setUpClass(cls):
        with Detector(threshold=0.3) as detector:
            cls.found = detector.detect(SCENE)

    def test_faces_are_blurred_as_the_command_does_it(self):
        model, path = ROOT / "Tests/Fixtures/models/faces.tflite", self.folder / "public.png"
        command = [
            find_program(),
            "detect",
            str(SCENE),
            "--model",
            str(model),
            "--blur",
            "faces",
            "--annotate",
            str(path),
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        blurred = blur_faces(SCENE, model)
        with Detector(model) as detector:
            found = detector.detect(SCENE)
            self.assertEqual([len(face.points) for face in found], [6, 6])
            self.assertEqual(detector.detect(path), detector.detect(blurred))
        self.assertNotEqual(blurred.pixels, found.draw(marks=["box"]).pixels)

    def test_skeletons_are_drawn(self):
        with Detector(ROOT / "Tests/Fixtures/models/movenet_one.tflite") as detector:
            found = detector.detect(SCENE)
        (body,) = found
        self.assertEqual([len(body.points), body.points[15].name], [17, "leftAnkle"])
        self.assertNotEqual(found.draw(marks=["point"]).pixels, found.draw(marks=["box"]).pixels)

    def test_drawing_is_that_of_the_command(self):
        path = self.folder / "found.png"
        command = [find_program(), "detect", str(SCENE), "--threshold", "0.3", "--annotate", str(path)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with Detector() as detector:
            same = detector.detect(path)
            self.assertEqual(detector.detect(self.found.draw()), same)

    def test_parts_and_marks(self):
        drawn = self.found.draw(SCENE.read_bytes())
        others = [self.found[:1].draw(), self.found.draw(marks=["box"]), self.found.draw(marks=["blur"])]
        self.assertEqual(len({drawn, *others}), 4)
        self.assertEqual({(one.width, one.height) for one in (drawn, *others)}, {(720, 456)})
        self.assertEqual(self.found.draw(drawn.__class__(720, 456, drawn.pixels)).width, 720)

    def test_labels_and_frames(self):
        with Labeler() as labeler:
            self.assertEqual(labeler.label(SCENE).draw().height, 456)
        video = ROOT / "Tests/Fixtures/videos/h264-aac.mp4"
        (frame, *_) = track(video, threshold=0.2, images=True)
        self.assertEqual(frame.draw().width, frame.width)
        (frame, *_) = track(video)
        with self.assertRaisesRegex(ValueError, "use track with images=True"):
            frame.draw()

    def test_wrong_pictures_and_marks(self):
        for given in (b"", b"none", self.folder / "none.jpg"):
            with self.assertRaises(PictureError):
                self.found.draw(given)
        other = Image(3, 2, bytes(18))
        for given, marks, reason in (
            (other, ["box"], "has 3 × 2 pixels, but the objects were found in one of 720 × 456"),
            (SCENE, ["circle"], "circle"),
            ("http://127.0.0.1/a.jpg", ["box"], "is an address"),
        ):
            with self.assertRaisesRegex(ValueError, reason):
                self.found.draw(given, marks=marks)
        with self.assertRaisesRegex(TypeError, r"marks=\['box'\]"):
            self.found.draw(marks="box")


if __name__ == "__main__":
    unittest.main()
