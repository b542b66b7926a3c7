import pathlib
import tempfile
import unittest

import numpy as np
from sightline_training import answers, coco, data, words
from sightline_training.errors import TrainingError

LABELS = {
    "Dog": {"names": ["dog"]},
    "Animal": {"names": ["dog", "cat"], "words": ["animal", "animals"]},
    "Flower": {"words": ["flower", "flowers"], "teacher": ["Flower"]},
    "Hat": {"names": ["hat"], "teacher": ["Flower"]},
    "Kitchen": {"words": ["kitchen"]},
}


def table(*found, side=0.4):
    """The teachers' answers about a photo: names and scores of YOLOX-Nano, of objects of a side in 0…1."""
    rows = np.zeros((answers.MOST, 7), np.float16)
    for index, (name, score) in enumerate(found):
        rows[index] = [0.1, 0.1, 0.1 + side, 0.1 + side, score, answers.DETECTOR, coco.NAMES.index(name)]
    return rows


class WordsTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.truth = words.Truth(LABELS, ["Rocket", "Flower"])

    def decided(self, people=words.Said(), found=table(), flower=0.0):  # noqa: B008
        truth = self.truth.of(people, found, np.array([0.9, flower], np.float32))
        return dict(zip(LABELS, truth.tolist()))

    def test_people_are_believed_before_the_detector(self):
        denied = words.Said(denies=frozenset({"dog"}))
        self.assertEqual(self.decided(denied, table(("dog", 0.9)))["Dog"], words.NO)
        self.assertEqual(self.decided(words.Said(says=frozenset({"dog"})), table(("dog", 0.3)))["Dog"], words.YES)

    def test_of_an_object_that_is_too_small_nothing_is_known(self):
        said, small = words.Said(says=frozenset({"dog"})), table(("dog", 0.9), side=0.05)
        self.assertEqual(self.decided(said, None)["Dog"], words.YES)
        for people, found in (said, table()), (said, small), (words.Said(), small):
            self.assertEqual(self.decided(people, found)["Dog"], words.UNKNOWN)

    def test_a_box_drawn_by_people_tells_how_large_the_object_is_whatever_the_detector_sees(self):
        boxes = np.array([(0, 0, 5, 5), (10, 10, 40, 40), (0, 0, 8, 8)], np.float32)
        photo = data.Photo(pathlib.Path("a.jpg"), "street", (100, 100), boxes, categories=["dog", "dog", "cat"])
        said = words.with_boxes(words.Said(), photo)
        decided = self.decided(said, table(("cat", 0.9)))
        self.assertEqual((decided["Dog"], decided["Animal"]), (words.YES, words.YES))
        said.shares["dog"] = 0.001
        self.assertEqual(self.decided(said, table(("dog", 0.9)))["Dog"], words.UNKNOWN)

    def test_a_doubtful_detector_is_unknown_and_a_silent_one_a_no(self):
        self.assertEqual(self.decided(found=table(("dog", 0.6)))["Dog"], words.YES)
        self.assertEqual(self.decided(found=table(("dog", 0.3)))["Dog"], words.UNKNOWN)
        self.assertEqual(self.decided()["Dog"], words.NO)
        self.assertEqual(self.decided(found=None)["Dog"], words.UNKNOWN)

    def test_a_caption_adds_to_what_is_seen_and_takes_nothing_away(self):
        said = words.Said(caption="two animals on a hill")
        self.assertEqual(self.decided(said)["Animal"], words.YES)
        self.assertEqual(self.decided(words.Said(caption="a hill"), table(("cat", 0.8)))["Animal"], words.YES)

    def test_of_a_scene_only_captions_tell(self):
        self.assertEqual(self.decided(words.Said(caption="a kitchen"))["Kitchen"], words.YES)
        self.assertEqual(self.decided(words.Said(caption="the kitchens of a hotel"))["Kitchen"], words.NO)
        self.assertEqual(self.decided()["Kitchen"], words.UNKNOWN)

    def test_where_people_looked_the_teacher_is_not_asked(self):
        denied = words.Said(denies=frozenset({"hat"}))
        self.assertEqual(self.decided(denied, flower=0.9)["Hat"], words.NO)
        self.assertEqual(self.decided(flower=0.9)["Hat"], words.YES)
        self.assertEqual(self.decided()["Hat"], words.NO)

    def test_the_teacher_is_believed_where_it_is_sure(self):
        for score, wanted in (0.8, words.YES), (0.3, words.UNKNOWN), (0.05, words.NO):
            self.assertEqual(self.decided(flower=score)["Flower"], wanted)

    def test_what_people_said_is_read_by_file(self):
        (self.folder / "words.csv").write_text(
            'file,says,denies,caption\na.jpg,dog|cat,bus,"A dog, and a CAT!"\nb.jpg,,,\n', encoding="utf-8"
        )
        said = words.said(self.folder)
        self.assertEqual(said["a.jpg"], words.Said(frozenset({"dog", "cat"}), frozenset({"bus"}), "a dog and a cat"))
        self.assertEqual(said["b.jpg"], words.Said())

    def test_a_missing_or_other_file_is_an_error(self):
        with self.assertRaisesRegex(TrainingError, "words.csv is missing"):
            words.said(self.folder)
        (self.folder / "words.csv").write_text("file,caption\na.jpg,a dog\n", encoding="utf-8")
        with self.assertRaisesRegex(TrainingError, "lacks the column 'says'"):
            words.said(self.folder)

    def test_the_labels_have_something_to_tell_them(self):
        labels = words.read_labels()
        self.assertGreaterEqual(len(labels), 60)
        for label, entry in labels.items():
            self.assertTrue(entry and set(entry) <= {"names", "words", "teacher"} and all(entry.values()), label)


class ClassesTests(unittest.TestCase):
    def test_every_class_of_coco_is_one_of_ours_unknown_or_left_out(self):
        self.assertEqual(len(set(coco.NAMES)), 80)
        self.assertEqual(set(coco.OURS) | coco.LEFT_OUT, set(coco.NAMES))
