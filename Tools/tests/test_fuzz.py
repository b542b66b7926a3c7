"""Tests of mutants and of what counts as an offender."""

import struct
import unittest
import zlib

from sightline_tools.fuzz import images, models, videos
from sightline_tools.fuzz.damage import File
from sightline_tools.fuzz.session import is_offender, verdict
from sightline_tools.places import FIXTURES

SUBJECTS = [images.SUBJECT, models.SUBJECT, videos.SUBJECT]


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


class MutantTests(unittest.TestCase):
    def test_a_mutant_follows_from_the_seed_and_its_index(self) -> None:
        for subject in SUBJECTS:
            files = subject.files(None, FIXTURES / subject.name)
            first = [subject.mutant("7", index, files) for index in range(20)]
            self.assertEqual(first, [subject.mutant("7", index, files) for index in range(20)])
            self.assertNotEqual(first, [subject.mutant("8", index, files) for index in range(20)])
            self.assertEqual(first[5], subject.mutant("7", 5, files))

    def test_mutants_differ_from_their_files_and_leave_them_whole(self) -> None:
        for subject in SUBJECTS:
            files = subject.files(None, FIXTURES / subject.name)
            before = {file.name: file.data for file in files}
            made = [subject.mutant("7", index, files) for index in range(50)]
            self.assertGreater(sum(each.data != before[each.name] for each in made), 40)
            self.assertEqual(before, {file.name: file.data for file in files})

    def test_every_kind_of_damage_occurs(self) -> None:
        for subject in SUBJECTS:
            files = [File("a", bytes(range(256)) * 8)]
            kinds = {subject.mutant("1", index, files).kind for index in range(300)}
            self.assertEqual(kinds, set(subject.kinds))

    def test_damage_of_a_png_reaches_what_lies_behind_its_checksums(self) -> None:
        data = bytearray(images.PNG + chunk(b"IHDR", bytes(13)) + chunk(b"IDAT", b"abc"))
        data[len(images.PNG) + 8] = 7
        images.with_checksums(data)
        self.assertEqual(bytes(data), images.PNG + chunk(b"IHDR", b"\x07" + bytes(12)) + chunk(b"IDAT", b"abc"))

    def test_places_lie_within_the_file(self) -> None:
        for file in images.SUBJECT.files(None, FIXTURES / "images"):
            self.assertTrue(all(0 <= place < len(file.data) for place in images.places(file.data)), file.name)
        for file in videos.SUBJECT.files(None, FIXTURES / "videos"):
            self.assertTrue(all(0 <= place < len(file.data) for place in videos.places(file.data)), file.name)
        for file in models.SUBJECT.files(None, FIXTURES / "models"):
            self.assertTrue(all(at + size <= len(file.data) for at, size in models.fields(file.data)), file.name)


class ResultTests(unittest.TestCase):
    def test_a_result_is_a_success_or_the_kind_of_an_error(self) -> None:
        self.assertEqual(verdict("ok 3 outputs"), "ok")
        self.assertEqual(verdict("error ModelError the file is too short"), "error ModelError")
        self.assertEqual(verdict("crash exit 1"), "crash exit 1")

    def test_an_offender_neither_reads_nor_refuses_its_file(self) -> None:
        self.assertFalse(is_offender("ok") or is_offender("error truncated"))
        for result in ["hang", "crash SIGSEGV", "crash exit 1", "nonsense", "", "error RewrittenModelFails"]:
            self.assertTrue(is_offender(result), result)
