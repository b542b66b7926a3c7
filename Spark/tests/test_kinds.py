"""The names of files, which sightline knows too."""

import re
import unittest

from sightline_spark.kinds import FRAMES, OTHERS, PICTURES, RAW, VIDEOS

from .support import PACKAGE, FolderTestCase

SOURCES = PACKAGE.parent / "Sources/SightlineImages"


def words(pattern, text):
    """All words in quotation marks in what a pattern finds."""
    return {word for part in re.findall(pattern, text, re.S) for word in re.findall(r'"([^"]+)"', part)}


class KindTests(FolderTestCase):
    def test_pictures_are_those_of_sightline(self):
        codecs = "".join(path.read_text() for path in sorted(SOURCES.rglob("*Codec.swift")))
        self.assertEqual(PICTURES, words(r"fileExtensions: (?:\[String\] \{ )?\[([^\]]*)\]", codecs))

    def test_other_kinds_are_those_of_sightline(self):
        (path,) = PACKAGE.parent.glob("Sources/**/FileKind.swift")
        kinds = path.read_text()
        self.assertEqual(RAW, words(r"rawTypes: Set<String> = \[([^\]]*)\]", kinds))
        self.assertEqual(FRAMES, words(r"frameTypes: Set<String> = \[([^\]]*)\]", kinds))
        videos = words(r"videoTypes: Set<String> = frameTypes\.union\(\[([^\]]*)\]", kinds)
        self.assertEqual(VIDEOS - videos, set())

    def test_a_name_has_one_kind(self):
        kinds = (PICTURES, VIDEOS, OTHERS, RAW, FRAMES)
        self.assertEqual(sum(map(len, kinds)), len(frozenset().union(*kinds)))


if __name__ == "__main__":
    unittest.main()
