"""Results as values, and as what pandas and supervision have."""

import html.parser
import json
import pickle
import unittest

import sightline
from sightline import Box, Event, Label, Mask, Object, Objects, Point, TrackedObject
from sightline.results import frame_of, labels_of, objects_of

from .support import FolderTestCase, needs_package

CUP = {
    "frame": {"x": 1.5, "y": 2, "width": 3, "height": 4},
    "confidence": 0.5,
    "classIndex": 7,
    "labels": [{"text": "cup", "index": 3, "confidence": 0.9}, {"text": "mug", "index": 4, "confidence": 0.1}],
}
NAMELESS = {"frame": {"x": 0, "y": 0, "width": 1, "height": 1}, "confidence": 0.25, "labels": []}
PICTURE = {"image": "a.jpg", "width": 64, "height": 48, "objects": [CUP, NAMELESS], "omitted": 3}
TRACKED = {**CUP, "id": 5, "detected": False, "firstSeen": 0.1, "age": 0.3}
CROSSED = {
    "event": "crossed", "time": 0.4, "id": 5, "label": "cup", "line": "door", "direction": "in", "repeated": True,
}  # fmt: skip
FRAME = {
    "index": 4, "time": 0.4, "width": 64, "height": 48, "detected": True, "damaged": True, "dropped": 2,
    "objects": [TRACKED], "events": [CROSSED], "milliseconds": {"total": 1.5},
}  # fmt: skip


class ValueTests(unittest.TestCase):
    def test_objects(self):
        found = objects_of(PICTURE)
        labels = (Label("cup", 3, 0.9), Label("mug", 4, 0.1))
        self.assertEqual(found[0], Object(box=Box(1.5, 2, 3, 4), confidence=0.5, labels=labels, class_index=7))
        self.assertEqual((found.image, found.width, found.height, found.omitted), ("a.jpg", 64, 48, 3))
        self.assertEqual([one.label for one in found], ["cup", ""])
        self.assertEqual(found[0].box.xyxy, (1.5, 2, 4.5, 6))
        self.assertIsNone(found[1].class_index)

    def test_the_confidence_of_a_box_differs_from_that_of_its_name(self):
        found = objects_of({**PICTURE, "objects": [{**CUP, "objectConfidence": 0.75}, NAMELESS]})
        self.assertEqual([(one.confidence, one.object_confidence) for one in found], [(0.5, 0.75), (0.25, 0.25)])
        self.assertEqual(Object(box=Box(0, 0, 1, 1), confidence=0.5).object_confidence, 0.5)
        (tracked,) = frame_of({**FRAME, "objects": [{**TRACKED, "objectConfidence": 0.75}]}).objects
        self.assertEqual((tracked.confidence, tracked.object_confidence), (0.5, 0.75))
        self.assertEqual(pickle.loads(pickle.dumps(tracked)), tracked)

    def test_masks_stay_with_their_object(self):
        mask = {"x": 2, "y": 3, "width": 3, "height": 2, "runs": [1, 2, 3]}
        found = objects_of({**PICTURE, "objects": [{**CUP, "mask": mask}, NAMELESS]})
        self.assertEqual(found[0].mask, Mask(2, 3, 3, 2, (1, 2, 3)))
        self.assertIsNone(found[1].mask)
        self.assertEqual(found._fields()["objects"][0]["mask"], mask)
        (tracked,) = frame_of({**FRAME, "objects": [{**TRACKED, "mask": mask}]}).objects
        self.assertEqual((tracked.mask, pickle.loads(pickle.dumps(tracked))), (found[0].mask, tracked))

    def test_a_mask_has_its_pixels_in_each_form(self):
        mask = Mask(2, 3, 3, 2, (1, 2, 0, 1, 2))
        self.assertEqual(mask.pixels(), b"\0\1\1\1\0\0")
        self.assertEqual(mask.area, 3)
        inside = {(x, y) for x in range(8) for y in range(8) if mask.contains(x, y)}
        self.assertEqual(inside, {(3, 3), (4, 3), (2, 4)})

    def test_points_stay_with_their_object(self):
        points = [{"name": "noseTip", "x": 2, "y": 3.5}, {"name": "leftEye", "x": 2, "y": 3, "confidence": 0.5}]
        found = objects_of({**PICTURE, "objects": [{**CUP, "points": points}, NAMELESS]})
        self.assertEqual(found[0].points, (Point("noseTip", 2, 3.5), Point("leftEye", 2, 3, 0.5)))
        self.assertIsNone(found[1].points)
        self.assertEqual(found._fields()["objects"][0]["points"], points)
        (tracked,) = frame_of({**FRAME, "objects": [{**TRACKED, "points": points}]}).objects
        self.assertEqual((tracked.points, pickle.loads(pickle.dumps(tracked))), (found[0].points, tracked))

    def test_objects_that_allowed_names_leave_out_are_counted(self):
        self.assertEqual(objects_of(PICTURE).unnamed, 0)
        found = objects_of({**PICTURE, "unnamed": 2})
        self.assertEqual((found.unnamed, found[:1].unnamed), (2, 2))
        self.assertEqual((frame_of(FRAME).unnamed, frame_of({**FRAME, "unnamed": [7, 9]}).unnamed), ([], [7, 9]))

    def test_a_picture_without_objects_is_an_empty_list(self):
        self.assertFalse(objects_of({**PICTURE, "objects": []}))

    def test_labels(self):
        found = labels_of({"image": "a.jpg", "width": 64, "height": 48, "labels": CUP["labels"]})
        self.assertEqual((found, found.width), ([Label("cup", 3, 0.9), Label("mug", 4, 0.1)], 64))

    def test_frames(self):
        frame = frame_of(FRAME)
        self.assertEqual((frame.index, frame.time, frame.is_detected, frame.dropped), (4, 0.4, True, 2))
        self.assertTrue(frame.is_damaged)
        (found,) = frame.objects
        self.assertIsInstance(found, TrackedObject)
        self.assertEqual((found.id, found.is_detected, found.first_seen, found.age), (5, False, 0.1, 0.3))
        event = Event(kind="crossed", time=0.4, id=5, label="cup", line="door", direction="in", is_repeated=True)
        self.assertEqual(frame.events, [event])

    def test_parts_of_objects_keep_the_facts_of_the_picture(self):
        found = objects_of(PICTURE)
        parts = [
            found[:1], found[::-1], found + found[:1], found + [], found.copy(), found.where(lambda one: one.label),
            found.sorted(lambda one: one.confidence),
        ]  # fmt: skip
        for part in parts:
            self.assertIsInstance(part, Objects)
            self.assertEqual(vars(part), vars(found))
        lengths = [len(part) for part in parts]
        self.assertEqual(lengths, [1, 2, 3, 2, 2, 1, 2])
        self.assertEqual([one.confidence for one in parts[-1]], [0.25, 0.5])
        self.assertEqual((found[-1], found[0]), tuple(found[::-1]))
        with self.assertRaisesRegex(ValueError, "a.jpg and b.jpg cannot be joined"):
            found + objects_of({**PICTURE, "image": "b.jpg"})
        with self.assertRaises(TypeError):
            found + "text"

    def test_parts_of_labels_and_frames(self):
        found = labels_of({"image": "a.jpg", "width": 64, "height": 48, "labels": CUP["labels"]})
        self.assertEqual((type(found[:1]), vars(found[:1])), (type(found), vars(found)))
        frame = frame_of(FRAME)
        self.assertEqual(frame.where(lambda one: one.label == "dog"), frame_of({**FRAME, "objects": []}))

    def test_words_for_people_are_short(self):
        found = objects_of({**PICTURE, "objects": [CUP] * 100})
        cups = "cup 0.50, cup 0.50, cup 0.50, cup 0.50, and 96 more"
        self.assertEqual(repr(found), f"Objects('a.jpg', 64 × 48: {cups})")
        self.assertEqual(repr(Objects()), "Objects('picture', 0 × 0: none)")

    def test_values_of_a_set_and_of_another_process(self):
        found = objects_of(PICTURE)
        self.assertEqual(len({*found, *found}), 2)
        self.assertEqual(pickle.loads(pickle.dumps(frame_of(FRAME))), frame_of(FRAME))


class NotebookTests(FolderTestCase):
    def test_names_are_escaped(self):
        cup = {**CUP, "labels": [{"text": '<b title="x">&', "index": 3, "confidence": 0.9}]}
        found = objects_of({**PICTURE, "image": "<script>.jpg", "objects": [cup]})
        for text in (found._repr_html_(), labels_of({**PICTURE, **cup, "image": "<script>"})._repr_html_()):
            self.assertNotIn("<script>", text)
            self.assertIn("&lt;b title=&quot;x&quot;&gt;&amp;", text)
            html.parser.HTMLParser().feed(text)

    def test_frames_show_identities(self):
        self.assertIn("<td>5</td><td>cup</td>", frame_of(FRAME)._repr_html_())

    def test_long_tables_are_cut(self):
        text = objects_of({**PICTURE, "objects": [CUP] * 100})._repr_html_()
        self.assertEqual((text.count("<td>cup</td>"), text.count("and 80 more")), (20, 1))

    @needs_package("PIL")
    def test_picture_is_shown_if_it_is_there(self):
        import PIL.Image

        path = self.folder / "a.png"
        found = objects_of({**PICTURE, "image": str(path), "width": 4000, "height": 3000})
        self.assertNotIn("<image", found._repr_html_())
        PIL.Image.effect_noise((4000, 3000), 50).save(path)
        text = found._repr_html_()
        self.assertIn('<image width="4000" height="3000" href="data:image/jpeg;base64,', text)
        self.assertLess(len(text), 200_000)
        image = sightline.Image(64, 48, bytes(64 * 48 * 3))
        self.assertNotIn("<image", frame_of(FRAME)._repr_html_())
        self.assertIn('<image width="64" height="48"', frame_of(FRAME, image)._repr_html_())


@needs_package("pandas")
class PandasTests(unittest.TestCase):
    COLUMNS = "x y width height confidence class_index label label_confidence object_confidence".split()

    def test_objects(self):
        table = objects_of(PICTURE).to_pandas()
        self.assertEqual(list(table.columns), ["image", *self.COLUMNS])
        self.assertEqual(table.iloc[0].to_list(), ["a.jpg", 1.5, 2, 3, 4, 0.5, 7, "cup", 0.9, 0.5])
        self.assertEqual(table.iloc[1].isna().to_list(), [False] * 6 + [True] * 3 + [False])

    def test_pictures_without_objects_change_no_type(self):
        import pandas

        table, empty = objects_of(PICTURE).to_pandas(), Objects().to_pandas()
        self.assertEqual(len(empty), 0)
        self.assertEqual(table.dtypes.to_list(), empty.dtypes.to_list())
        self.assertEqual(pandas.concat([empty, table]).dtypes.to_list(), table.dtypes.to_list())

    def test_frames(self):
        table = frame_of(FRAME).to_pandas()
        self.assertEqual(list(table.columns), ["index", "time", "id", *self.COLUMNS])
        self.assertEqual(table.iloc[0].to_list()[:3], [4, 0.4, 5])
        empty = frame_of({**FRAME, "objects": []}).to_pandas()
        self.assertEqual(table.dtypes.to_list(), empty.dtypes.to_list())

    def test_labels(self):
        found = labels_of({"image": "a.jpg", "width": 64, "height": 48, "labels": CUP["labels"]})
        rows = json.loads(found.to_pandas().to_json(orient="records"))
        self.assertEqual(rows[1], {"image": "a.jpg", "label": "mug", "index": 4, "confidence": 0.1})


@needs_package("supervision")
class SupervisionTests(unittest.TestCase):
    def test_objects(self):
        found = objects_of(PICTURE).to_supervision()
        self.assertEqual(found.xyxy.tolist(), [[1.5, 2, 4.5, 6], [0, 0, 1, 1]])
        self.assertEqual(found.confidence.tolist(), [0.5, 0.25])
        self.assertEqual(found.class_id.tolist(), [7, -1])
        self.assertEqual(found["class_name"].tolist(), ["cup", ""])
        self.assertIsNone(found.tracker_id)

    def test_class_of_a_detector_without_classes_is_that_of_the_label(self):
        cup = {name: value for name, value in CUP.items() if name != "classIndex"}
        self.assertEqual(objects_of({**PICTURE, "objects": [cup]}).to_supervision().class_id.tolist(), [3])

    def test_frames_have_identities(self):
        self.assertEqual(frame_of(FRAME).to_supervision().tracker_id.tolist(), [5])

    def test_no_objects(self):
        for found in (Objects().to_supervision(), frame_of({**FRAME, "objects": []}).to_supervision()):
            self.assertEqual(len(found), 0)
            self.assertEqual(found.xyxy.shape, (0, 4))
            self.assertTrue(len(found[found.confidence > 0.5]) == 0)


if __name__ == "__main__":
    unittest.main()
