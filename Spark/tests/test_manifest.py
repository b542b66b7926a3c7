"""The list of a job: nothing lost, nothing doubled, whatever comes later."""

import itertools
import unittest

from sightline_spark.errors import OutputError
from sightline_spark.inputs import Found
from sightline_spark.manifest import PIECE_FILES, Manifest
from sightline_spark.storage import LocalFiles
from sightline_spark.work import Outcome

from .support import FolderTestCase


def files(*names):
    return [Found(f"/in/{name}", 10) for name in names]


class ManifestTests(FolderTestCase):
    def manifest(self):
        return Manifest(LocalFiles(), str(self.folder))

    def add(self, found, chunk=100, is_ordered=True):
        return self.manifest().add(found, chunk, is_ordered, lambda count: None)

    def listed(self):
        manifest = self.manifest()
        pieces = itertools.chain.from_iterable(manifest.pieces(chunk) for chunk in manifest.chunks)
        return [file.address.removeprefix("/in/") for piece in pieces for file in piece.files]

    def test_all_files_in_chunks_and_pieces(self):
        names = [f"{number:06}.jpg" for number in range(2500)]
        self.assertEqual(self.add(files(*names), chunk=1000), 2500)
        self.assertEqual(self.listed(), names)
        manifest = self.manifest()
        self.assertEqual(len(manifest.chunks), 3)
        pieces = manifest.pieces(0)
        self.assertEqual([piece.number for piece in pieces], list(range(len(pieces))))
        self.assertTrue(all(len(piece.files) <= PIECE_FILES for piece in pieces))

    def test_small_inputs_use_many_cores(self):
        self.add(files(*(f"{number:04}.jpg" for number in range(640))), chunk=10_000)
        self.assertEqual(len(self.manifest().pieces(0)), 64)

    def test_large_files_make_small_pieces(self):
        self.add([Found(f"/in/{number}.jpg", 100 << 20) for number in range(6)])
        self.assertEqual([len(piece.files) for piece in self.manifest().pieces(0)], [2, 2, 2])

    def test_archive_is_a_piece_alone(self):
        self.add(files("1.jpg", "2.tar", "3.zip", "4.jpg"))
        self.assertEqual([len(piece.files) for piece in self.manifest().pieces(0)], [1, 1, 1, 1])
        self.assertEqual([piece.rows for piece in self.manifest().pieces(0)], [1, None, None, 1])

    def test_later_runs_add_what_is_new(self):
        self.add(files("a/2.jpg", "a.jpg", "b.jpg"))
        self.assertEqual(self.add(files("a/1.jpg", "a/2.jpg", "a/3.jpg", "a.jpg", "b.jpg")), 2)
        self.assertEqual(self.add(files("a/1.jpg", "a/2.jpg", "c.jpg")), 1)
        self.assertEqual(self.add(files("a/1.jpg", "a/2.jpg", "a/3.jpg", "a.jpg", "b.jpg", "c.jpg")), 0)
        self.assertEqual(self.listed(), ["a/2.jpg", "a.jpg", "b.jpg", "a/1.jpg", "a/3.jpg", "c.jpg"])

    def test_interrupted_listing_begins_again(self):
        def broken():
            yield from files("a.jpg", "b.jpg", "c.jpg")
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.add(broken(), chunk=2)
        self.assertEqual(self.manifest().file_count, 0)
        self.add(files("a.jpg", "b.jpg", "c.jpg"), chunk=2)
        self.assertEqual(self.listed(), ["a.jpg", "b.jpg", "c.jpg"])

    def test_lists_may_grow_at_their_end_only(self):
        self.add(files("z.jpg", "a.jpg"), is_ordered=False)
        self.assertEqual(self.add(files("z.jpg", "a.jpg", "m.jpg"), is_ordered=False), 1)
        self.assertEqual(self.listed(), ["z.jpg", "a.jpg", "m.jpg"])
        for changed in [files("a.jpg", "z.jpg", "m.jpg"), files("z.jpg")]:
            with self.assertRaisesRegex(OutputError, "only append to a list"):
                self.add(changed, is_ordered=False)

    def test_names_that_are_not_utf8_stay_as_they_are(self):
        self.add(files("caf\udce9.jpg", "two\nlines.jpg"))
        self.assertEqual(self.listed(), ["caf\udce9.jpg", "two\nlines.jpg"])

    def test_done_chunks(self):
        self.add(files("a.jpg", "b.jpg"))
        self.manifest().finish(0, [Outcome(0, 0, 2, 1), Outcome(0, 1, 3, 0)])
        self.assertEqual(self.manifest().done, {0})
        self.assertEqual(self.manifest().result(0), (5, 1))

    def test_output_of_another_job_is_refused(self):
        self.manifest().check({"task": "detect", "model": None}, "out")
        self.manifest().check({"task": "detect", "model": None}, "out")
        with self.assertRaisesRegex(OutputError, 'model was null and is now "x"'):
            self.manifest().check({"task": "detect", "model": "x"}, "out")

    def test_folder_with_other_files_is_refused(self):
        self.write("letter.doc")
        with self.assertRaisesRegex(OutputError, "has other files"):
            self.manifest().check({"task": "detect"}, "out")


if __name__ == "__main__":
    unittest.main()
