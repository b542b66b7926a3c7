"""The archive that Spark sends to executors."""

import subprocess
import sys
import unittest
import zipfile

from sightline_spark.shipping import archive

from .support import FAKE, FolderTestCase


class ShippingTests(FolderTestCase):
    def test_archive_has_both_packages_and_no_program(self):
        with zipfile.ZipFile(archive(self.folder)) as found:
            names = found.namelist()
        self.assertEqual({name.partition("/")[0] for name in names}, {"sightline", "sightline_spark"})
        self.assertTrue({"sightline/engine.py", "sightline_spark/log4j2.properties"} <= {*names})
        self.assertFalse([name for name in names if "bundle" in name or "__pycache__" in name])

    def test_engine_works_from_the_archive(self):
        program = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "from sightline.engine import Engine\nfrom sightline.frames import Picture\n"
            "with Engine([sys.executable, sys.argv[2], 'detect']) as engine:\n"
            "    print(*[line.decode() for line in engine.answers([Picture('a', b'x')])])\n"
        )
        words = [sys.executable, "-I", "-c", program, archive(self.folder), FAKE]
        done = subprocess.run(words, capture_output=True, text=True)
        self.assertIn('"image":"a"', done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
