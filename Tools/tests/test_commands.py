"""Tests of the table of commands."""

import contextlib
import importlib
import io
import pkgutil
import unittest

import sightline_tools
from sightline_tools.__main__ import COMMANDS, GROUPS, main


def printed(*words: str) -> tuple[int, str]:
    """The exit status of a command line, and all that it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as text, contextlib.redirect_stderr(text):
        try:
            main(words)
        except SystemExit as end:
            return int(end.code or 0), text.getvalue()
    return 0, text.getvalue()


class CommandTests(unittest.TestCase):
    def test_every_command_has_a_module_and_every_module_of_a_command_its_name(self) -> None:
        found: dict[str, set[str]] = {group: set() for group in GROUPS}
        for group in GROUPS:
            package = importlib.import_module(f"sightline_tools.{group}")
            for module in pkgutil.iter_modules(package.__path__):
                if hasattr(importlib.import_module(f"{package.__name__}.{module.name}"), "main"):
                    found[group].add(module.name.replace("_", "-"))
        self.assertEqual(found, {group: set(names) for group, names in COMMANDS.items()})

    def test_every_folder_is_a_group(self) -> None:
        folders = {module.name for module in pkgutil.iter_modules(sightline_tools.__path__) if module.ispkg}
        # Several groups use pages in a browser.
        self.assertEqual(folders - {"browse"}, set(GROUPS))

    def test_every_help_shows_an_example_or_the_purpose(self) -> None:
        for group, names in COMMANDS.items():
            self.assertEqual(printed(group, "--help")[0], 0)
            for name in names:
                status, text = printed(group, name, "--help")
                self.assertEqual(status, 0, name)
                self.assertIn(f"Scripts/tools {group} {name}", text)

    def test_an_unknown_command_is_an_error_of_usage(self) -> None:
        for words in [["bake"], ["check", "bread"], [], ["check"], ["check", "layers", "--bread"]]:
            self.assertEqual(printed(*words)[0], 2, words)

    def test_an_option_of_a_command_is_read_after_its_name(self) -> None:
        self.assertEqual(printed("kill", "hub", "--hubs", "2")[0], 2)
        self.assertIn("add --fleet", printed("kill", "hub", "--hubs", "2")[1])
