"""The examples in the documentation of the package, and its version."""

import doctest
import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import unittest

import sightline

from .support import PACKAGE, ROOT, SCENE, FolderTestCase, needs_program, png


@needs_program
class ExampleTests(FolderTestCase):
    def test_examples_print_what_they_show(self):
        shutil.copy(SCENE, self.folder)
        shutil.copy(ROOT / "Tests/Fixtures/videos/h264-aac.mp4", self.folder / "street.mp4")
        shutil.copy(ROOT / "Tests/Fixtures/models/classifier_float_metadata.tflite", self.folder / "start.tflite")
        for number in range(6):
            self.write(f"photos/fern/{number}.png", png(32, 32, 20 + 5 * number))
            self.write(f"photos/moss/{number}.png", png(32, 32, 200 + 5 * number))
        home = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, home)
        tried = 0
        for module in (sightline, *(importlib.import_module(f"sightline.{one.name}") for one in modules())):
            result = doctest.testmod(module)
            self.assertEqual(result.failed, 0, module)
            tried += result.attempted
        self.assertGreater(tried, 5)


class PackageTests(unittest.TestCase):
    def test_version_is_that_of_the_program(self):
        done = subprocess.run([ROOT / "Scripts/version"], capture_output=True, text=True, check=True)
        project = re.search(r'^version = "(.+)"$', (PACKAGE / "pyproject.toml").read_text(), re.M)[1]
        self.assertEqual({sightline.__version__, project}, {done.stdout.strip()})

    def test_import_needs_the_standard_library_alone(self):
        # What the start of Python itself has loaded does not count.
        program = f"import sys; before = set(sys.modules); sys.path.insert(0, {str(PACKAGE)!r}); import sightline;"
        program += "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
        done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
        others = {*done.stdout.split()} - {"sightline"} - sys.stdlib_module_names
        self.assertEqual(others, set())

    def test_public_names_are_documented(self):
        for name in sightline.__all__:
            value = getattr(sightline, name)
            if isinstance(value, type) or callable(value):
                self.assertTrue(value.__doc__, name)


def modules():
    """The modules of the package."""
    return [one for one in pkgutil.iter_modules(sightline.__path__) if one.name != "bundle"]


if __name__ == "__main__":
    unittest.main()
