"""Tests of the tables of growth."""

import os
import tempfile
import unittest
from pathlib import Path

from sightline_tools.programs import anonymous_megabytes, descriptor_count, thread_count
from sightline_tools.simulate.growth import Course, Moment, Thing, amount, duration, size, table
from sightline_tools.simulate.month import growth_problems, rows


class GrowthTests(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_folder_has_the_bytes_of_all_its_files(self) -> None:
        (self.folder / "inner").mkdir()
        (self.folder / "inner/a").write_bytes(bytes(10))
        (self.folder / "b").write_bytes(bytes(5))
        self.assertEqual(size(self.folder), 15)
        self.assertEqual(size(self.folder / "absent"), 0)

    def test_the_use_of_this_process_is_known(self) -> None:
        self.assertGreater(anonymous_megabytes(os.getpid()), 1)
        self.assertGreaterEqual(thread_count(os.getpid()), 1)
        before = descriptor_count(os.getpid())
        with (self.folder / "file").open("w"):
            self.assertEqual(descriptor_count(os.getpid()), before + 1)

    def test_a_process_that_ended_uses_nothing(self) -> None:
        none = 2**22 + 1
        self.assertEqual((anonymous_megabytes(none), thread_count(none), descriptor_count(none)), (0, 0, 0))

    def test_the_table_shows_the_first_moment_of_each_part(self) -> None:
        course = Course(os.getpid(), self.folder)
        course.moments = [(part, Moment(10 * part, 5, 3, 2, 1 << 20)) for part in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)]
        self.assertEqual(course.rows()[0], ["resident memory, MB", "0", "4", "6", "8", "10"])
        self.assertEqual(course.rows()[4], ["disk, MB", "1.0", "1.0", "1.0", "1.0", "1.0"])

    def test_what_has_no_bound_fills_the_disk(self) -> None:
        self.assertEqual(Thing("a", 1e9).row(16e9), ["a", "1.0 GB", "none: the disk", "16 months"])
        self.assertEqual(Thing("b", 1e9, "a million").row(16e9), ["b", "1.0 GB", "a million", "bounded"])
        self.assertEqual(Thing("c", 0).row(16e9)[3], "never")

    def test_amounts_and_times_are_texts(self) -> None:
        self.assertEqual(
            [amount(count) for count in (0, 7.25, 183, 61_234, 2e8)], ["0 B", "7.2 B", "183 B", "61 kB", "200 MB"]
        )
        self.assertEqual([duration(months) for months in (0.5, 7, 60)], ["15 days", "7 months", "5 years"])

    def test_a_table_is_markdown(self) -> None:
        self.assertEqual(table(["", "a"], [["b", "1"]]), "|  | a |\n| --- | --: |\n| b | 1 |")

    def test_growth_to_the_end_is_a_problem_and_growth_at_the_start_is_none(self) -> None:
        half = Moment(100, 50, 20, 10, 0)
        self.assertEqual(growth_problems(half, Moment(130, 60, 20, 10, 1 << 30)), [])
        found = growth_problems(half, Moment(200, 150, 40, 20, 0))
        self.assertEqual(len(found), 3)
        self.assertIn("descriptors grew from 20 to 40", found)

    def test_periods_are_counted_once(self) -> None:
        file = self.folder / "counts.csv"
        file.write_text("start,end,place,label,entered,left,mean_inside\n1,2,a,b,0,0,\n1,2,c,b,0,0,\n2,3,a,b,0,0,\n")
        self.assertEqual(rows(file), 2)
        self.assertEqual(rows(self.folder / "absent"), 0)


if __name__ == "__main__":
    unittest.main()
