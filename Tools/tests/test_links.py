"""Tests of the check of links."""

import tempfile
import unittest
from pathlib import Path

from sightline_tools.check import links


class LinkTests(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "folder").mkdir()
        self.write("other.md", '# A title: `x`\n## Twice\n## Twice\n```\n# not one\n```\n<a id="own"></a>\n')

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.write_text(text)
        return path

    def broken(self, text: str) -> list[tuple[int, str]]:
        return list(links.broken(self.write("folder/page.md", text), self.root))

    def test_links_to_files_and_headings_are_right(self) -> None:
        for link in [
            "../other.md",
            "../other.md#a-title-x",
            "../other.md#twice-1",
            "../other.md#own",
            "/other.md",
            ".",
            "#here",
        ]:
            self.assertEqual(self.broken(f"# Here\n[a]({link})\n"), [], link)

    def test_links_that_lead_nowhere_are_found_with_their_lines(self) -> None:
        for link in ["other.md", "../other.md#twice-2", "../other.md#not-one", "#there", "../folder/none.png"]:
            for text in [f"# Here\n[a]({link})\n", f'# Here\n<img src="{link}">\n', f'# Here\n[a]({link} "b")\n']:
                ((number, sentence),) = self.broken(text)
                self.assertEqual(number, 2)
                self.assertTrue(sentence.startswith(f"{link} leads to no "), sentence)

    def test_code_and_addresses_are_not_checked(self) -> None:
        self.assertEqual(
            self.broken("```\n[a](none.md)\n```\n`[a](none.md)` [b](https://x.org/none.md#a) [c](mailto:a@b.c)\n"), []
        )
