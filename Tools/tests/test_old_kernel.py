"""Tests of the check of the sandbox on an old kernel."""

import tempfile
import unittest
from pathlib import Path

from sightline_tools.check import old_kernel

DENIED = [f"denied{number}" for number in range(old_kernel.ATTEMPTS - len(old_kernel.ALLOWED))]
CONSOLE = "\n".join(
    [
        "== kernel 5.10.0",
        "== probe",
        *[f"{name} ok" for name in sorted(old_kernel.ALLOWED)],
        *[f"{name} failed" for name in DENIED],
        "== rest forbidden ",
        "== good 0",
        "== bad 1",
        "the kernel has no protection of files (Landlock, Linux 5.13).",
        "== over",
        "",
    ]
)


class OldKernelTests(unittest.TestCase):
    def test_a_sandbox_that_forbids_all_but_reading_is_right(self) -> None:
        self.assertEqual(old_kernel.problems(CONSOLE), [])

    def test_each_deviation_is_named(self) -> None:
        for old, new, words in [
            ("denied1 failed", "denied1 ok", "denied1 works in the sandbox"),
            ("systemCalls ok", "systemCalls failed", "systemCalls does not work"),
            ("denied1 failed\n", "", "20 attempts, not 21"),
            ("rest forbidden ", "rest ", "has changed the forbidden file"),
            ("good 0", "good 1", "does not publish a model"),
            ("bad 1", "bad 0", "publishes a damaged model"),
            ("Landlock", "", "does not say that the kernel has no Landlock"),
            ("== over", "", "have not ended"),
        ]:
            with self.subTest(old):
                self.assertEqual(len(found := old_kernel.problems(CONSOLE.replace(old, new))), 1)
                self.assertIn(words, found[0])

    def test_the_archive_has_what_the_folder_has(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "bin").mkdir()
            (Path(folder) / "bin/init").write_bytes(b"12345")
            data = b"".join(old_kernel.archive(Path(folder)))
        self.assertEqual(len(data) % 4, 0)
        self.assertEqual(data.count(b"070701"), 3)
        self.assertIn(b"bin/init\0", data)
        self.assertLess(data.index(b"12345"), data.index(b"TRAILER!!!"))


if __name__ == "__main__":
    unittest.main()
