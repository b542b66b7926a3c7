"""Tests of the comparison of shown commands."""

import unittest

from sightline_tools.check.shown_commands import commands, matches, mended


class ShownCommandsTests(unittest.TestCase):
    def test_lines_without_a_prompt_belong_to_the_command_above(self) -> None:
        (first, second) = commands("text\n\n```console\n$ one\nfirst\n$ two\n```\n")
        self.assertEqual((first.line, first.output_line, first.output), (4, 5, ["first"]))
        self.assertEqual((second.text, second.output), ("two", []))

    def test_a_command_goes_on_after_a_backslash(self) -> None:
        (command,) = commands("```console\n$ one \\\n> two\nsaid\n```\n")
        self.assertEqual((command.text, command.output), ("one \\\ntwo", ["said"]))

    def test_a_plain_block_below_commands_is_the_output_of_the_last_one(self) -> None:
        (first, second) = commands("```sh\none\ntwo\n```\n\n```\nsaid\n```\n")
        self.assertEqual((first.output, second.output), ([], ["said"]))

    def test_a_plain_block_below_text_is_not_an_output(self) -> None:
        (command,) = commands("```sh\none\n```\n\nA tree:\n\n```\nfolder\n```\n")
        self.assertEqual(command.output, [])

    def test_a_step_of_a_job_is_a_command(self) -> None:
        (command,) = commands("```yaml\nsteps:\n  - run: one --two\n    env: { A: b }\n```\n")
        self.assertEqual((command.line, command.text), (3, "one --two"))

    def test_a_comment_tells_why_a_block_is_not_compared(self) -> None:
        (command,) = commands("<!-- not compared: it needs a cluster -->\n```console\n$ one\nsaid\n```\n")
        self.assertEqual(command.reason, "it needs a cluster")

    def test_statements_of_a_session_are_commands(self) -> None:
        page = '```pycon\n>>> with a("b.png") as c:\n...     c.d()\n...\nsaid\n\n... more\n>>> e\n```\n'
        first, second = commands(page)
        self.assertEqual((first.text, first.words), ('with a("b.png") as c:\n    c.d()\n', ["b.png"]))
        self.assertEqual((first.output_line, first.output), (5, ["said", "", "... more"]))
        self.assertEqual((second.text, second.is_python, second.output), ("e", True, []))
        self.assertEqual((first.block, second.block), (2, 2))

    def test_another_number_is_a_difference(self) -> None:
        self.assertTrue(matches(["goods: 2.0 MB"], ["goods: 2.0 MB"]))
        self.assertFalse(matches(["goods: 2.0 MB"], ["goods: 3.1 MB"]))

    def test_a_missing_or_additional_line_is_a_difference(self) -> None:
        self.assertFalse(matches(["a"], ["a", "b"]))
        self.assertFalse(matches(["a", "b"], ["a"]))

    def test_times_dates_speeds_and_ids_may_vary(self) -> None:
        shown = [
            "5be1d07a33f2  ci  2026-11-23",
            "at 2026-11-22T12:09:28.129Z",
            "20 frames, 97.5 frames/s",
            "id 5d41402abc4b",
        ]
        printed = [
            "0123456789ab  ci  2027-01-01",
            "at 2027-01-01T00:00:00.001Z",
            "20 frames, 8 frames/s",
            "id 0123456789ab",
        ]
        self.assertTrue(matches(shown, printed))
        self.assertFalse(matches(shown, [printed[0], printed[1], "21 frames, 8 frames/s", printed[3]]))

    def test_the_beginning_of_a_hash_is_compared(self) -> None:
        self.assertTrue(matches(["SHA-256 ad0b3e2060b8…"], ["SHA-256 ad0b3e2060b8464c5ebe"]))
        self.assertFalse(matches(["SHA-256 ad0b3e2060b8…"], ["SHA-256 bd0b3e2060b8464c5ebe"]))

    def test_an_ellipsis_alone_stands_for_lines(self) -> None:
        self.assertTrue(matches(["a", "…", "d"], ["a", "b", "c", "d"]))
        self.assertFalse(matches(["a", "…", "d"], ["a", "b", "c"]))

    def test_mending_keeps_lines_that_are_right(self) -> None:
        self.assertEqual(mended(["2026-11-22", "1 file"], ["2027-01-01", "2 files"]), ["2026-11-22", "2 files"])


if __name__ == "__main__":
    unittest.main()
