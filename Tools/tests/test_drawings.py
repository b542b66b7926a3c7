"""The drawn photos and recordings."""

import unittest
import xml.dom.minidom

from sightline_tools.browse import leaves, yard


class DrawingTests(unittest.TestCase):
    def test_a_drawing_depends_on_its_seed_alone(self) -> None:
        self.assertEqual(leaves.scene("ivy", "1"), leaves.scene("ivy", "1"))
        self.assertNotEqual(leaves.scene("ivy", "1"), leaves.scene("ivy", "2"))
        self.assertNotEqual(leaves.scene("ivy", "1"), leaves.scene("fern", "1"))

    def test_drawings_are_well_formed(self) -> None:
        for kind in leaves.KINDS:
            xml.dom.minidom.parseString(leaves.scene(kind, "1"))
        for night in (False, True):
            xml.dom.minidom.parseString(yard.drawing(0.5, night, 0.5, 1))

    def test_the_gate_moves_before_the_middle_and_the_end_of_a_period(self) -> None:
        moments = [0, 9, 11, 12, 20, 23, 24]
        self.assertEqual([yard.is_open(moment, 24) for moment in moments], [0, 0, 0.5, 1, 1, 0.5, 0])


if __name__ == "__main__":
    unittest.main()
