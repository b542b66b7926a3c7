import json
import pathlib
import tempfile
import unittest

from sightline_training import data
from sightline_training.errors import TrainingError

from . import support


class DataTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_boxes_become_corners(self):
        (photo,) = data.annotated(support.annotations(self.folder, [[8, 4, 16, 20]]))
        self.assertEqual(photo.boxes.tolist(), [[8, 4, 24, 24]])
        self.assertEqual(photo.load().size, (64, 48))

    def test_a_box_outside_the_picture_names_picture_and_box(self):
        support.annotations(self.folder, [[60, 4, 16, 20]])
        with self.assertRaisesRegex(TrainingError, r"\[60, 4, 16, 20\] of .*a\.jpg .* leaves the picture of 64x48"):
            data.annotated(self.folder)

    def test_an_empty_box_is_an_error(self):
        support.annotations(self.folder, [[8, 4, 0, 20]])
        with self.assertRaises(TrainingError):
            data.annotated(self.folder)

    def test_a_box_that_is_no_box_is_an_error(self):
        for box in ([1, 2, 3], ["a", 1, 2, 3], None, [float("nan"), 0, 4, 4]):
            support.annotations(self.folder, [box])
            with self.assertRaises(TrainingError):
                data.annotated(self.folder)

    def test_a_missing_picture_is_named(self):
        (photo,) = data.annotated(support.annotations(self.folder, []))
        photo.path.unlink()
        with self.assertRaisesRegex(TrainingError, "a.jpg is missing"):
            photo.load()
        with self.assertRaisesRegex(TrainingError, "a.jpg cannot be read"):
            photo.keep()

    def test_a_cut_picture_is_named(self):
        (photo,) = data.annotated(support.annotations(self.folder, []))
        photo.path.write_bytes(photo.path.read_bytes()[:200])
        with self.assertRaisesRegex(TrainingError, "a.jpg is corrupt"):
            photo.load()

    def test_annotations_that_are_no_json_or_not_coco_are_errors(self):
        path = self.folder / "annotations.json"
        for text in ("{", "[]", '{"images": []}', json.dumps({"images": [], "annotations": [], "categories": []})):
            path.write_text(text, encoding="utf-8")
            with self.assertRaises(TrainingError):
                data.annotated(self.folder)

    def test_a_class_without_pictures_is_named(self):
        photos = [data.Photo(pathlib.Path("a"), "", (1, 1), None, label) for label in (0, 2)]
        with self.assertRaisesRegex(TrainingError, "'home good' has no pictures in labels.csv"):
            data.require_every_class(photos, ["fashion good", "home good", "food"], "labels.csv")

    def test_everyday_photos_are_those_of_the_manifest(self):
        drawn = json.dumps([{"name": "cup", "bbox": [8, 4, 16, 20]}]).replace('"', '""')
        rows = ["file,source,width,height,boxes", f'street/a.jpg,street,64,48,"{drawn}"', "street/b.jpg,street,64,48,"]
        (self.folder / "manifest.csv").write_text("\n".join(rows), encoding="utf-8")
        first, second = data.everyday_photos(self.folder)
        self.assertEqual(
            (first.name, first.boxes.tolist(), first.categories), ("street/a.jpg", [[8, 4, 24, 24]], ["cup"])
        )
        self.assertEqual((second.path, len(second.boxes)), (self.folder / "street" / "b.jpg", 0))
        (self.folder / "manifest.csv").write_text("file,source\na.jpg,street", encoding="utf-8")
        with self.assertRaisesRegex(TrainingError, "lacks 'width'"):
            data.everyday_photos(self.folder)

    def test_a_missing_data_folder_is_an_error(self):
        with self.assertRaisesRegex(TrainingError, "does not exist"):
            data.data_folder(self.folder / "nowhere")
