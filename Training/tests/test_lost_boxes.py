import importlib.util
import os
import pathlib
import tempfile
import unittest

import numpy as np
from PIL import Image
from sightline_training import coco, data, lost_boxes, words
from sightline_training.errors import TrainingError
from sightline_training.log import Log
from sightline_training.lost_boxes import ANIMAL, Annotation, Objects
from sightline_training.prepare import teacher_paths

from . import support

DATA = pathlib.Path(os.environ.get("SIGHTLINE_TEST_DATA", "none"))
PERSON, DOG, CAT, CUP = (coco.NAMES.index(name) for name in ("person", "dog", "cat", "cup"))


def objects(*rows):
    """Objects of rows of kind, left, top, right, bottom and, unless it is sure, a score."""
    table = np.array([[*row, 1.0][:6] for row in rows], np.float32).reshape(-1, 6)
    return Objects(table[:, 1:5], table[:, 0].astype(int), table[:, 5])


def annotation(path, size, rows):
    """A file of Pascal VOC's XML with rows of name, left, top, right and bottom in 0…1."""
    width, height = size
    entries = "".join(
        f"<object><name>{name}</name><bndbox><xmin>{left * width}</xmin><ymin>{top * height}</ymin>"
        f"<xmax>{right * width}</xmax><ymax>{bottom * height}</ymax></bndbox></object>"
        for name, left, top, right, bottom in rows
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"<annotation><size><width>{width}</width><height>{height}</height></size>{entries}</annotation>",
        encoding="utf-8",
    )


class LostBoxesTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_annotations_are_read_in_parts_of_their_photos(self):
        annotation(self.folder / "000000000042.xml", (640, 480), [("cup", 0.25, 0.5, 0.5, 1), ("animal", 0, 0, 1, 1)])
        (found,) = lost_boxes.read(self.folder)
        self.assertEqual((found.number, found.objects.kinds.tolist()), (42, [CUP, ANIMAL]))
        np.testing.assert_allclose(found.objects.boxes, [[0.25, 0.5, 0.5, 1], [0, 0, 1, 1]])

    def test_a_file_that_is_no_annotation_is_named(self):
        (self.folder / "7.xml").write_text("<annotation>", encoding="utf-8")
        with self.assertRaisesRegex(TrainingError, "7.xml is not an annotation"):
            lost_boxes.read(self.folder)
        with self.assertRaisesRegex(TrainingError, "holds no .xml files"):
            lost_boxes.read(self.folder / "none")

    def album(self):
        left, right = objects((CUP, 0, 0, 0.4, 0.5)), objects((CUP, 0.5, 0.4, 1, 1), (PERSON, 0, 0, 0.3, 1))
        wide = np.log(4 / 3)
        return lost_boxes.Album([Annotation(1, wide, left), Annotation(2, wide, right), Annotation(3, -wide, left)])

    def test_the_annotation_that_fits_best_comes_first_and_other_shapes_do_not_come(self):
        seen = objects((CUP, 0.02, 0, 0.4, 0.5, 0.7))
        best = self.album().best(np.log(4 / 3), seen, words.Said())
        self.assertEqual([one.number for _, one in best], [1, 2])
        self.assertGreater(best[0][0], 0.9)
        self.assertLess(best[1][0], 0.1)

    def test_what_people_say_and_deny_decides(self):
        seen = objects((CUP, 0, 0, 0.4, 0.5, 0.7))
        for said, numbers in (
            (words.Said(says=frozenset({"person"})), [2]),
            (words.Said(denies=frozenset({"person"})), [1]),
            (words.Said(says=frozenset({"dog"})), []),
        ):
            best = self.album().best(np.log(4 / 3), seen, said)
            self.assertEqual([one.number for _, one in best], numbers)

    def test_the_detector_tells_which_animal_it_is(self):
        drawn = objects((ANIMAL, 0, 0, 0.5, 1), (ANIMAL, 0.5, 0, 1, 1), (CUP, 0, 0, 0.1, 0.1))
        seen = objects((DOG, 0, 0, 0.5, 0.9, 0.8), (CAT, 0.52, 0, 1, 1, 0.8))
        self.assertEqual(lost_boxes.identified(drawn, seen).kinds.tolist(), [DOG, CAT, CUP])
        herd = objects((DOG, 0, 0, 0.5, 0.9, 0.8))
        self.assertEqual(lost_boxes.identified(drawn, herd).kinds.tolist(), [DOG, DOG, CUP])
        self.assertIsNone(lost_boxes.identified(drawn, objects((CUP, 0, 0, 0.1, 0.1))))

    def test_a_box_round_a_crowd_goes_and_a_large_thing_that_is_seen_stays(self):
        people = [(PERSON, x / 12, 0.4, (x + 1) / 12, 0.6) for x in range(12)]
        drawn, crowd = objects(*people, (PERSON, 0, 0.3, 1, 0.7)), objects(*people)
        self.assertEqual(len(lost_boxes.identified(drawn, crowd).boxes), 12)
        seen = objects(*people, (PERSON, 0, 0.3, 1, 0.7, 0.9))
        self.assertEqual(len(lost_boxes.identified(drawn, seen).boxes), 13)

    def test_a_copy_is_known_and_so_is_a_mirrored_one(self):
        photos = [Image.open(support.picture(self.folder / f"{seed}.jpg", seed=seed)) for seed in (0, 1)]
        thumbnails = np.stack([lost_boxes.thumbnail(photo) for photo in photos])
        mirrored = lost_boxes.thumbnail(photos[0].transpose(Image.Transpose.FLIP_LEFT_RIGHT).resize((32, 24)))
        self.assertEqual(lost_boxes.are_the_same(thumbnails, mirrored[None]).tolist(), [True, False])

    @unittest.skipUnless(importlib.util.find_spec("ai_edge_litert"), "LiteRT's Python package is not installed")
    @unittest.skipUnless(teacher_paths(DATA)["dense"].exists(), "SIGHTLINE_TEST_DATA has no NanoDet-Plus")
    def test_photos_get_their_boxes_again_and_those_that_are_kept_out_go(self):
        photos = [photo for photo in data.annotated(DATA / "detection") if len(photo.boxes)][:24]
        rows = []
        for number, photo in enumerate(photos):
            boxes = photo.boxes / [*photo.size, *photo.size]
            names = ["animal" if name in coco.GROUPS["animal"] else name for name in photo.categories]
            annotation(self.folder / "xml" / f"{number}.xml", photo.size, [[n, *b] for n, b in zip(names, boxes)])
            small = photo.load().resize((photo.size[0] // 2, photo.size[1] // 2))
            small.save(self.folder / f"{number}.png")
            rows.append(f"{number}.png,photos,{small.width},{small.height},")
        (self.folder / "manifest.csv").write_text("file,source,width,height,boxes\n" + "\n".join(rows) + "\n")
        lost_boxes.find(
            self.folder, self.folder / "xml", photos[:2], teacher_paths(DATA)["dense"], 1, Log(self.folder / "log")
        )
        found = data.everyday_photos(self.folder)
        self.assertEqual([photo.path.stem for photo in found], [str(number) for number in range(2, 24)])
        known = [photo for photo in found if len(photo.boxes)]
        self.assertGreater(len(known), 10)
        for photo in known:
            drawn = photos[int(photo.path.stem)]
            self.assertLessEqual(len(photo.boxes), len(drawn.boxes))
            self.assertTrue(set(photo.categories) <= set(drawn.categories), (photo.categories, drawn.categories))


if __name__ == "__main__":
    unittest.main()
