"""Tests of the reading of pages and sources."""

import tempfile
import unittest
from pathlib import Path

from sightline_tools.check import layers, objective_c, symbol_table
from sightline_tools.check.sample_files import png
from sightline_tools.make import manual
from sightline_tools.places import ROOT


class PageTests(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, text: str) -> Path:
        path = self.folder / "file"
        path.write_text(text)
        return path

    def test_code_has_neither_comments_nor_texts(self) -> None:
        self.assertEqual(layers.code(self.write('let a = "B \\" C" // D\n')), ['let a = "" '])

    def test_calls_that_wait_are_found(self) -> None:
        for call in [
            "fsync(file)",
            "try file.synchronize()",
            "FileLock.takenIfFree(path)",
            "DurableFile.write(a, to: b)",
        ]:
            self.assertTrue(layers.WAITING.search(call), call)
        for call in ["func fsyncLater()", "DurableFile.size(url)", "Task.sleep(for: time)", "defaults.fsync(1)"]:
            self.assertFalse(layers.WAITING.search(call), call)

    def test_only_types_that_other_files_see_are_found(self) -> None:
        text = "public struct A {\n    enum B {}\n}\nprivate class C {}\n@MainActor final class D {}\n"
        self.assertEqual(layers.top_level_types(self.write(text)), {"A", "D"})

    def test_a_use_of_a_type_of_a_higher_folder_is_found(self) -> None:
        path = ROOT / "Sources/Sightline/Heads/DetectorHeads.swift"
        types = {"DetectorHeads": "Console", "NoSuchType": "Console"}
        found = layers.uses(types, [path], "Heads")
        self.assertTrue(found)
        self.assertTrue(all("uses DetectorHeads of Console, which lies above Heads" in text for text in found))
        self.assertEqual(layers.uses({}, [path], "Heads"), [])

    def test_a_table_lists_the_symbols_below_the_heading_of_a_module(self) -> None:
        table = (
            "# Title\n\n## A\n| symbol | state |\n|---|---|\n| `X` | same |\n| `X.y` | same |\n## B\n| `Z` | added |\n"
        )
        self.assertEqual(symbol_table.listed(self.write(table)), {"A": {"X", "X.y"}, "B": {"Z"}})

    def test_an_interface_has_selectors(self) -> None:
        lines = [
            "@interface Detector : NSObject",
            "@property (nonatomic, readonly) BOOL on;",
            "- (void)processImage:(Image * _Nonnull)image completion:(void (^ _Nonnull)(void))completion;",
            "- (nonnull instancetype)init;",
        ]
        expected = [("Detector", "-on"), ("Detector", "-processImage:completion:")]
        self.assertEqual(objective_c.selectors(lines), expected)

    def test_a_function_that_throws_gets_a_twin_with_an_error_parameter(self) -> None:
        text = objective_c.with_error_parameters("    public func read(from url: URL) throws -> Int {\n")
        self.assertIn("@nonobjc public func read(from url: URL) throws -> Int {", text)
        self.assertIn("public func read(from url: URL, error: UnsafeMutableRawPointer?) -> Int? { fatalError() }", text)

    def test_roff_takes_no_text_for_a_request(self) -> None:
        self.assertEqual(manual.roff(".x\n'y\n-z\\"), "\\&.x\n\\&'y\n\\-z\\e")

    def test_a_picture_of_a_color_is_a_png(self) -> None:
        self.assertTrue(png(2, 2, b"abc").startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x02"))
