"""Tests of the check of English."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from sightline_tools.check import english


def found(text: str) -> list[str]:
    """The mistakes of a text, each as `LINE: WORDS`."""
    return [f"{number}: {sentence}" for number, sentence in sorted(english.mistakes(text))]


class TextTests(unittest.TestCase):
    def test_a_doc_comment_begins_with_the_thing(self) -> None:
        for word in ["What", "How", "Who", "Tells", "Says"]:
            for text in [
                f"    /// {word} a value is.\n",
                f"    // {word} a value is.\n",
                f'    """{word} a value is."""\n',
                f"/** {word} a value is. */\n",
                f"/// A value.\n///\n/// - Returns: {word} a value is.\n",
                f"/// A value.\n///   - x: {word.lower()} a value is.\n",
                f"    /// - Parameter `x`: {word} a value is.\n",
            ]:
                self.assertTrue(
                    any("begins with" in line and word.lower() in line.lower() for line in found(text)), text
                )

    def test_a_later_line_of_a_doc_comment_begins_with_any_word(self) -> None:
        self.assertEqual(found("/// A value that says\n/// What it is.\n/// Whether it is.\n"), [])
        self.assertEqual(found("/// However, a value.\n/// Whatever.\n"), [])

    def test_each_phrase_is_found_in_comments_and_messages(self) -> None:
        for phrase in [
            "tells the hub",
            "was told of it",
            "the run goes on",
            "the news of a stream",
            "made anew",
            "the plan of before",
            "is none of the model's",
            "what became of it",
            "DETR and its kin",
            "the last words",
            "as far as there are some",
            "this is no picture",
            "are no digits",
            "says of itself",
            "kept for ever",
            "the copy is whole",
            "the key stands twice",
            "it stands in the file",
            "amongst others",
            "whoever reads it",
        ]:
            for text in [f"/// Because {phrase}, it ends.\n", f'print("{phrase}.")\n', f"# A page: {phrase}\n"]:
                self.assertEqual(len(found(text)), 1, text)
            self.assertEqual(len(found(f"{phrase.capitalize()}\n")), 1, phrase)

    def test_a_phrase_is_found_across_the_end_of_a_line(self) -> None:
        for text in ["/// The run goes\n/// on.\n", "    # The run goes\n    # on.\n", "The run goes\non.\n"]:
            self.assertEqual(len(found(text)), 1, text)
        self.assertTrue(found("a\nb\nIt goes\non.\n")[0].startswith("3: "))

    def test_right_uses_are_no_mistakes(self) -> None:
        for text in [
            "Colors tell two people apart.",
            "They can be told apart by their names.",
            "There is no picture; there also are no labels.",
            "It is no longer there, and is no smaller than before.",
            "All sizes are whole numbers.",
            "The file stands in for the other one.",
            "A method `tell` and an option --tell.",
            "He newsletter kinship anew-fangled",
        ]:
            self.assertEqual(found(text), [], text)


class SubjectTests(unittest.TestCase):
    def test_a_subject_is_an_imperative_of_at_most_72_characters(self) -> None:
        for subject in ["Add a format", "Pass the time", "Embed a font", "Let x go", "Use S3", "Fix " + 68 * "a"]:
            self.assertIsNone(english.subject_mistake(subject), subject)
        for subject, words in {
            "Add " + 69 * "a": "has 73 characters",
            "add a format": "does not begin with a verb",
            "The formats are read": "does not begin with a verb",
            "Gone is the namer": "does not begin with a verb",
            "Adds a format": "is not in the imperative",
            "Added a format": "is not in the imperative",
            "Adding a format": "is not in the imperative",
            "Tests: wait": "is not in the imperative",
            "Training's names": "is not in the imperative",
            "Add a format.": "ends with a period",
        }.items():
            self.assertIn(words, str(english.subject_mistake(subject)), subject)

    def test_the_commits_of_a_branch_are_checked_and_those_of_main_are_not(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory())

        def git(*words: str) -> None:
            name = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
            subprocess.run(["git", *name, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)

        git("init", "--quiet", "--initial-branch=main")
        git("commit", "--quiet", "--allow-empty", "--message=The history")
        self.enterContext(mock.patch.object(english, "ROOT", Path(folder)))
        self.enterContext(mock.patch.dict(os.environ, {"SIGHTLINE_MAIN": "main"}))
        self.assertEqual(english.check_commits(), [])
        git("switch", "--quiet", "--create=branch")
        git("commit", "--quiet", "--allow-empty", "--message=Add a thing")
        git("commit", "--quiet", "--allow-empty", "--message=Added a thing")
        (mistake,) = english.check_commits()
        self.assertIn('the subject "Added a thing" is not in the imperative', mistake)
        os.environ["SIGHTLINE_MAIN"] = "origin/main"
        self.assertEqual(english.check_commits(), [])
