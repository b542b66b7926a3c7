"""Tests of the lists of public declarations, and of the comparison with the last release."""

import contextlib
import io
import subprocess
import tempfile
import unittest
from pathlib import Path

from sightline_tools import interfaces
from sightline_tools.check import api
from sightline_tools.places import ROOT


def symbol(path: str, *fragments: tuple[str, str], access: str = "public", **more: object) -> interfaces.Json:
    return {
        "identifier": {"precise": f"s:{path}"},
        "pathComponents": path.split("/"),
        "accessLevel": access,
        "declarationFragments": [{"kind": kind, "spelling": spelling} for kind, spelling in fragments],
        **more,
    }


def relation(kind: str, source: str, target: str, fallback: str = "") -> interfaces.Json:
    return {"kind": kind, "source": f"s:{source}", "target": f"s:{target}", "targetFallback": fallback}


class ListingTests(unittest.TestCase):
    def lines(self, symbols: list[interfaces.Json], relationships: list[interfaces.Json] | None = None) -> list[str]:
        return interfaces.lines([{"symbols": symbols, "relationships": relationships or []}])

    def test_a_line_has_the_labels_of_parameters_without_the_names_inside(self) -> None:
        method = symbol(
            "Box/move(_:by:)",
            ("keyword", "func"),
            ("text", " "),
            ("identifier", "move"),
            ("text", "("),
            ("externalParam", "_"),
            ("text", " "),
            ("internalParam", "point"),
            ("text", ": "),
            ("typeIdentifier", "Point"),
            ("text", ", "),
            ("externalParam", "by"),
            ("text", ": "),
            ("typeIdentifier", "Double"),
            ("text", " = 1)"),
        )
        self.assertEqual(self.lines([method]), ["Box.move(_:by:)  func move(_: Point, by: Double = 1)"])

    def test_a_type_has_its_conformances_but_those_that_each_type_has(self) -> None:
        box = symbol("Box", ("keyword", "struct"), ("text", " "), ("identifier", "Box"))
        relationships = [
            relation("conformsTo", "Box", "x", name) for name in ["Swift.Sendable", "Swift.Copyable", "Swift.Hashable"]
        ]
        self.assertEqual(self.lines([box], relationships), ["Box  struct Box: Hashable, Sendable"])

    def test_conformances_stand_before_constraints(self) -> None:
        box = symbol("Box", ("text", "class Box<T> where T : Sendable"), access="open")
        relationships = [relation("conformsTo", "Box", "x", "Swift.Sendable")]
        self.assertEqual(self.lines([box], relationships), ["Box  open class Box<T>: Sendable where T : Sendable"])

    def test_requirements_are_marked_and_those_with_a_default_otherwise(self) -> None:
        symbols = [symbol("Sink", ("text", "protocol Sink"))]
        symbols += [symbol(f"Sink/{name}()", ("text", f"func {name}()")) for name in ["begin", "end"]]
        relationships = [relation("requirementOf", f"Sink/{name}()", "Sink") for name in ["begin", "end"]]
        relationships.append(relation("defaultImplementationOf", "other", "Sink/end()"))
        self.assertEqual(
            self.lines(symbols, relationships),
            [
                "Sink  protocol Sink",
                "Sink.begin()  func begin()  // requirement",
                "Sink.end()  func end()  // requirement with a default",
            ],
        )

    def test_a_member_of_an_extension_has_its_constraints(self) -> None:
        limits = {"constraints": [{"kind": "conformance", "lhs": "Element", "rhs": "Hashable"}]}
        member = symbol("Box/unique", ("text", "var unique: Int { get }"), swiftExtension=limits)
        self.assertEqual(
            self.lines([member]), ["Box.unique  var unique: Int { get } (extension where Element: Hashable)"]
        )

    def test_a_file_has_its_lines(self) -> None:
        rows = ["Box  struct Box", "Box.side  var side: Int"]
        self.assertEqual(interfaces.rows(interfaces.text("Boxes", rows)), rows)

    def test_the_modules_are_those_of_products_for_apps(self) -> None:
        modules = interfaces.modules()
        self.assertLessEqual({"Sightline", "SightlineImages", "ModelHub", "MLKitVision", "FirebaseCore"}, set(modules))
        # One is exported by a module of a product; the others are for this repository, or in Objective-C.
        self.assertIn("ModelHubProtocol", modules)
        self.assertFalse({"HubTestSupport", "MLKitObjectiveC", "SightlineCLI"} & set(modules))


class ChangeTests(unittest.TestCase):
    def sentences(self, earlier: list[str], later: list[str]) -> list[str]:
        kept = "Kept  struct Kept"
        return [change.sentence for change in api.changes("Boxes", [*earlier, kept], [*later, kept])]

    def is_fine(self, earlier: str, later: str) -> bool:
        return not self.sentences([f"x  {earlier}"], [f"x  {later}"])

    def test_additions_break_nothing(self) -> None:
        self.assertEqual(self.sentences([], ["Box  struct Box", "Box.side  var side: Int"]), [])

    def test_a_declaration_that_is_gone_is_named(self) -> None:
        self.assertEqual(self.sentences(["open()  func open()"], []), ["open() is gone. It was `func open()`."])

    def test_a_type_that_is_gone_is_named_without_its_members(self) -> None:
        found = self.sentences(["Box  struct Box", "Box.Side  enum Side", "Box.Side.at(x.y:)  func at()"], [])
        self.assertEqual(found, ["Box is gone. It was `struct Box`."])

    def test_a_module_that_is_gone_is_named_alone(self) -> None:
        changes = api.changes("Boxes", ["A  struct A", "B  struct B"], [])
        self.assertEqual([change.path for change in changes], ["Boxes"])

    def test_a_change_shows_both_declarations(self) -> None:
        found = self.sentences(["side()  func side() -> Int"], ["side()  func side() -> Double"])
        self.assertEqual(found, ["side() has changed. It was `func side() -> Int`, and is `func side() -> Double`."])

    def test_an_overload_may_be_added_and_not_taken_away(self) -> None:
        both = ["at(_:)  func at(_: Double)", "at(_:)  func at(_: Int)"]
        self.assertEqual(self.sentences(both[:1], both), [])
        self.assertEqual(len(self.sentences(both, both[:1])), 1)

    def test_what_callers_do_not_see_may_change(self) -> None:
        self.assertTrue(self.is_fine("let side: Int", "var side: Int { get }"))
        self.assertTrue(self.is_fine("static let side: Int", "static var side: Int { get }"))
        self.assertTrue(self.is_fine("var side: Int { get }", "var side: Int"))
        self.assertTrue(self.is_fine("var side: Int { get set }", "var side: Int"))
        self.assertTrue(self.is_fine("func side() -> Int", "@discardableResult func side() -> Int"))

    def test_what_callers_see_may_not_change(self) -> None:
        self.assertFalse(self.is_fine("var side: Int", "let side: Int"))
        self.assertFalse(self.is_fine("var side: Int", "var side: Int { get }"))
        self.assertFalse(self.is_fine("func side()", "static func side()"))
        self.assertFalse(self.is_fine("func side()", "func side() async"))
        self.assertFalse(self.is_fine("func side() throws(A)", "func side() throws(B)"))
        self.assertFalse(self.is_fine("func side(_: Int)", "mutating func side(_: Int)"))
        self.assertFalse(self.is_fine("init(a: Int)", "init?(a: Int)"))
        self.assertFalse(self.is_fine("open class A", "class A"))
        self.assertFalse(self.is_fine("class A", "final class A"))

    def test_a_parameter_may_get_a_default_and_another_one_but_not_lose_it(self) -> None:
        self.assertTrue(self.is_fine("func f(a: Int)", "func f(a: Int = 1)"))
        self.assertTrue(self.is_fine("func f(a: [Int] = [1, 2], b: Int)", "func f(a: [Int] = [3], b: Int = g(1, 2))"))
        self.assertFalse(self.is_fine("init(a: (Int) -> Void = { _ in }) throws", "init(a: (Int) -> Void) throws"))
        self.assertFalse(self.is_fine("func f(a: Int = 1)", "func f(a: Int)"))
        self.assertFalse(self.is_fine("func f(a: Int)", "func f(a: Double = 1)"))
        self.assertFalse(self.is_fine("func f(a: Int) -> Int", "func f(a: Int = 1) -> Double"))
        self.assertTrue(self.is_fine("func < (_: A, _: A) -> Bool", "func < (_: A, _: A) -> Bool"))
        self.assertTrue(self.is_fine("func f(a: [A<B, C>])", "func f(a: [A<B, C>] = [])"))

    def test_a_lost_conformance_is_named_and_a_new_one_is_fine(self) -> None:
        found = self.sentences(["Box  struct Box: Codable, Hashable"], ["Box  struct Box: Codable, Sendable"])
        self.assertEqual(found, ["Box does not conform to Hashable any longer."])
        self.assertEqual(self.sentences(["Box  struct Box"], ["Box  struct Box: Sendable"]), [])

    def test_a_case_of_a_released_type_is_named(self) -> None:
        found = self.sentences(["Side  enum Side"], ["Side  enum Side", "Side.left  case left"])
        self.assertEqual(found, ["Side.left is a new case, which a switch without a default does not have."])
        self.assertEqual(self.sentences([], ["Side  enum Side", "Side.left  case left"]), [])

    def test_a_requirement_needs_a_default_in_a_released_protocol(self) -> None:
        plain, defaulted = (
            "Sink.end()  func end()  // requirement",
            "Sink.end()  func end()  // requirement with a default",
        )
        sink = "Sink  protocol Sink"
        self.assertEqual(self.sentences([sink], [sink, defaulted]), [])
        self.assertIn("is a new requirement", self.sentences([sink], [sink, plain])[0])
        self.assertIn("has no default any longer", self.sentences([sink, defaulted], [sink, plain])[0])
        self.assertEqual(self.sentences([sink, plain], [sink, defaulted]), [])
        self.assertEqual(self.sentences([sink, plain], [sink, plain]), [])

    def test_each_declaration_of_today_is_compatible_with_itself(self) -> None:
        listings = sorted((ROOT / interfaces.LISTINGS).glob("*.txt"))
        self.assertTrue(listings)
        for path in listings:
            rows = interfaces.rows(path.read_text())
            self.assertEqual(api.changes(path.stem, rows, rows), [])
            for row in [row for row in rows if " = " in row and "typealias" not in row]:
                declaration = api.Declaration.parsed(row.partition("  ")[2])
                self.assertTrue(any(has_default for _, has_default in api.parameters(declaration.text)), row)


class ReleaseTests(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / interfaces.LISTINGS).mkdir(parents=True)
        self.git("init", "--quiet")
        self.git("config", "user.name", "A Maintainer")
        self.git("config", "user.email", "maintainer@example.org")
        self.write("struct Box")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Begin")

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True)

    def write(self, declaration: str) -> None:
        path = self.root / interfaces.LISTINGS / "Boxes.txt"
        path.write_text(interfaces.text("Boxes", [f"Box  {declaration}"]))

    def test_the_last_release_is_a_tag_of_a_version_with_its_declarations(self) -> None:
        self.assertIsNone(api.last_release(self.root))
        self.git("tag", "experiment")
        self.assertIsNone(api.last_release(self.root))
        self.git("tag", "0.1.0")
        self.write("enum Box")
        self.git("commit", "--quiet", "--all", "--message", "Change")
        self.assertEqual(api.last_release(self.root), "0.1.0")
        self.assertEqual(api.released(self.root, "0.1.0"), {"Boxes": ["Box  struct Box"]})

    def test_a_listing_that_differs_from_the_code_is_a_problem(self) -> None:
        self.assertEqual(api.unlisted(self.root, {"Boxes": ["Box  struct Box"]}), [])
        found = api.unlisted(self.root, {"Boxes": ["Box  struct Box", "Lid  struct Lid"], "Lids": ["A  struct A"]})
        self.assertIn("Boxes.txt lacks 1 declarations, and has 0 that are not in the code, such as Lid", found[0])
        self.assertIn("Lids.txt lacks 1", found[1])
        self.assertIn("Boxes.txt is of a module that has no declarations", api.unlisted(self.root, {})[0])

    def verdict(self, changes: list[api.Change], text: str) -> tuple[list[str], str]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            problems = api.verdict(changes, api.accepted(text, "0.1.0"), "0.1.0")
        return problems, printed.getvalue()

    def test_a_change_is_accepted_by_a_line_with_a_reason_below_its_release(self) -> None:
        changes = [api.Change("Boxes", "Box.at(_:)", "Box.at(_:) is gone.")]
        problems, printed = self.verdict(changes, "")
        self.assertIn("1 changes break code that compiles with 0.1.0", problems[0])
        self.assertEqual(printed, "Boxes, since 0.1.0:\n  Box.at(_:) is gone.\n")
        accepted = "## Since 0.1.0\n\n- Boxes `Box.at(_:)`: It lied.\n"
        problems, printed = self.verdict(changes, accepted)
        self.assertEqual(problems, [])
        self.assertIn("Box.at(_:) is gone. Accepted: It lied.", printed)
        self.assertEqual(len(self.verdict(changes, accepted.replace("0.1.0", "0.0.9"))[0]), 1)

    def test_a_line_that_accepts_nothing_is_a_problem(self) -> None:
        text = "## Since 0.1.0\n\n- Boxes `Box`: No longer.\n\n## Since 0.0.9\n\n- Boxes `Old`: Long ago.\n"
        problems, _ = self.verdict([], text)
        self.assertEqual(problems, [f"{api.ACCEPTED} accepts a change of Box in Boxes, which has none"])

    def test_a_line_without_a_reason_is_refused(self) -> None:
        with self.assertRaisesRegex(SystemExit, "write it as - Module"):
            api.accepted("## Since 0.1.0\n\n- Boxes `Box`:\n", "0.1.0")


if __name__ == "__main__":
    unittest.main()
