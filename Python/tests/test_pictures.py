"""Objects that count as pictures, and the bytes that sightline reads of them."""

import json
import os
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import sightline
from sightline.engine import Engine
from sightline.pictures import picture, tiff
from sightline.program import find_program

from .support import SCENE, FolderTestCase, needs_package, needs_program


class InputTests(FolderTestCase):
    def test_paths_and_bytes(self):
        path = self.write("a.jpg", b"content")
        for given in (path, str(path)):
            self.assertEqual((picture(given).name, bytes(picture(given).content)), (str(path), b"content"))
        for given in (b"content", bytearray(b"content"), memoryview(b"content")):
            self.assertEqual((picture(given).name, bytes(picture(given).content)), ("picture", b"content"))

    def test_files_that_cannot_be_read_are_pictures_with_errors(self):
        path = self.folder / "none.jpg"
        self.assertEqual(picture(path).error, f"{path} cannot be read (no such file or directory); check its path.")
        self.assertRegex(picture(self.folder).error, "is a directory")
        self.assertRegex(picture("a\0b").error, "cannot be read")

    def test_addresses_are_for_the_program(self):
        given = picture("HTTPS://example.org/a%20b.jpg?c=1")
        self.assertEqual(
            (given.name, given.address, given.error), (given.address, "HTTPS://example.org/a%20b.jpg?c=1", None)
        )
        secret = picture("https://me:secret@example.org/a.jpg")
        self.assertEqual((secret.name, secret.address[:18]), ("https://me:…@example.org/a.jpg", "https://me:secret@"))
        for wrong in ("http://a b", "http://a\n5 b", "http://\udce9", "https://" + "a" * 5000, "http://[a"):
            self.assertRegex(picture(wrong).error, "is not an address|cannot be read", wrong)

    def test_file_with_the_name_of_an_address(self):
        home = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, home)
        self.write("http://a/b.jpg", b"content")
        self.assertEqual(bytes(picture("http://a/b.jpg").content), b"content")

    def test_views(self):
        content = bytes(range(100))
        for view in (memoryview(content), memoryview(content).cast("b"), memoryview(content)[::1]):
            self.assertEqual(bytes(picture(view).content), content)
        self.assertEqual(bytes(picture(memoryview(content)[::2]).content), content[::2])
        self.assertEqual(bytes(picture(memoryview(content)[::-1]).content), content[::-1])
        self.assertEqual(bytes(picture(memoryview(b"")).content), b"")
        with self.assertRaisesRegex(ValueError, "format I is not the bytes of a file"):
            picture(memoryview(content).cast("I"))
        released = memoryview(content)
        released.release()
        with self.assertRaisesRegex(ValueError, "is released"):
            picture(released)

    def test_memory_that_the_caller_changes_is_copied(self):
        buffer = bytearray(b"before")
        given = [picture(buffer), picture(memoryview(buffer)), picture(memoryview(buffer).toreadonly())]
        buffer[:] = b"later!"
        self.assertEqual({bytes(one.content) for one in given}, {b"before"})
        # The caller may change the size at once.
        buffer.clear()

    def test_other_things_are_refused(self):
        for given in (None, 1, 1.5, [1], object()):
            with self.assertRaisesRegex(TypeError, "a picture is a path, bytes, an array"):
                picture(given)

    def test_pictures_without_pixels_are_refused(self):
        for width, height in ((0, 1), (1, 0), (1 << 16, 1 << 16)):
            with self.assertRaisesRegex(ValueError, "no pixels or too many"):
                tiff(b"", width=width, height=height, channels=3)

    @needs_package("numpy")
    def test_arrays_that_are_no_pictures_are_refused(self):
        import numpy

        for shape, kind in (((4,), "uint8"), ((4, 4, 4), "uint8"), ((1, 4, 4, 3), "uint8"), ((4, 4, 3), "float32")):
            with self.assertRaisesRegex(ValueError, "is not a picture"):
                picture(numpy.zeros(shape, kind))

    @needs_package("PIL")
    def test_images_of_pillow_without_white_are_refused(self):
        import PIL.Image

        for mode in ("F", "I", "I;16"):
            with self.assertRaisesRegex(ValueError, f"mode {mode} has no fixed white"):
                picture(PIL.Image.new(mode, (4, 4)))


@needs_program
@needs_package("numpy", "PIL")
class PixelTests(FolderTestCase):
    """The program finds the same in an array or an image as in a file with the same pixels."""

    @classmethod
    def setUpClass(cls):
        command = [find_program(), "detect", "--stdin-format", "frames", "--keep-going", "--no-times"]
        cls.engine = Engine(command)
        cls.addClassCleanup(cls.engine.close)

    def found(self, given):
        answer = json.loads(self.engine.answer(picture(given)))
        self.assertNotIn("error", answer)
        del answer["image"]
        return answer

    def scene(self):
        import PIL.Image

        return PIL.Image.open(SCENE).convert("RGB")

    def test_arrays(self):
        import numpy

        scene = self.scene()
        array, expected = numpy.asarray(scene), self.found(self.saved(scene))
        self.assertTrue(expected["objects"])
        self.assertEqual(self.found(array), expected)
        # Rows with gaps, backward channels, and another order in memory.
        wide = numpy.zeros((array.shape[0], array.shape[1] + 5, 3), numpy.uint8)
        wide[:, :-5] = array
        bgr = numpy.ascontiguousarray(array[..., ::-1])
        for same in (wide[:, :-5], bgr[..., ::-1], numpy.asfortranarray(array)):
            self.assertFalse(same.flags.c_contiguous)
            self.assertEqual(self.found(same), expected)

    def test_gray_arrays(self):
        import numpy

        gray = self.scene().convert("L")
        self.assertEqual(self.found(numpy.asarray(gray)), self.found(self.saved(gray)))

    def test_images_of_every_mode(self):
        scene = self.scene()
        for mode in ("1", "L", "P", "RGB", "CMYK", "HSV", "YCbCr", "LAB"):
            image = scene.convert("RGB").convert(mode) if mode != "LAB" else None
            if image is not None:
                self.assertEqual(self.found(image), self.found(self.saved(image.convert("RGB"))), mode)

    def test_transparent_parts_are_white(self):
        image = self.scene().convert("RGBA")
        image.putalpha(image.getchannel("R"))
        self.assertEqual(self.found(image), self.found(self.saved(image)))

    def test_images_that_lie_on_their_side(self):
        import PIL.Image

        scene = self.scene()
        for orientation in range(1, 9):
            exif = PIL.Image.Exif()
            exif[274] = orientation
            path = self.folder / f"{orientation}.png"
            scene.save(path, exif=exif)
            with PIL.Image.open(path) as image:
                found = self.found(image)
            self.assertEqual(found, self.found(path), orientation)
            self.assertEqual((found["width"], found["height"]), scene.size[:: 1 if orientation < 5 else -1])

    def saved(self, image):
        path = self.folder / "saved.png"
        image.save(path)
        return path


@needs_program
class AddressTests(unittest.TestCase):
    """Pictures behind addresses of loopback."""

    @classmethod
    def setUpClass(cls):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response({"/scene.png": 200, "/moved": 302}.get(self.path, 404))
                if self.path == "/moved":
                    self.send_header("Location", "/scene.png")
                self.end_headers()
                if self.path == "/scene.png":
                    self.wfile.write(SCENE.read_bytes())

            def log_message(self, *_):
                pass

        cls.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        cls.addClassCleanup(cls.server.server_close)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.shutdown)
        cls.address = f"http://127.0.0.1:{cls.server.server_port}"

    def test_pictures_of_addresses_and_files_mix(self):
        addresses = [f"{self.address}/scene.png", SCENE, f"{self.address}/none", f"{self.address}/moved"]
        with sightline.Detector() as detector:
            found = list(detector.detect_many(addresses))
            self.assertEqual([found[0], found[3]], [found[1]] * 2)
            self.assertEqual([found[0].image, found[3].image], [addresses[0], addresses[3]])
            self.assertRegex(str(found[2]), f"^{addresses[2]} cannot be read: the server returned status 404")
            with self.assertRaisesRegex(sightline.PictureError, "status 404"):
                detector.detect(addresses[2])

    def test_frames_of_a_tracker(self):
        with sightline.Tracker() as tracker:
            frame = tracker.update(f"{self.address}/scene.png")
            with self.assertRaisesRegex(sightline.PictureError, "status 404"):
                tracker.update(f"{self.address}/none")
        self.assertEqual((frame.width, frame.height), (720, 456))


if __name__ == "__main__":
    unittest.main()
