#!/usr/bin/env python3
"""Drives a server of answers with clients of DeepStack and of CodeProject.AI.

    python3 deepstack_check.py --address 127.0.0.1:8080 --token TOKEN [--photo cats_and_dogs.jpg]

The server serves the models block_detector and color_classifier of the module SightlineTesting; with --photo, also
detect_with_metadata, an SSD for COCO. Needs what dialect-requirements.txt lists: see Scripts/tools check dialects.
"""

import argparse
import pathlib
import sys
import unittest

import codeprojectai.core
import deepstack.core
import requests
from dialect_pictures import EXPECTED, TWO_BLOCKS_PNG

PARSER = argparse.ArgumentParser(description=__doc__)
PARSER.add_argument("--address", required=True)
PARSER.add_argument("--token", required=True)
PARSER.add_argument("--photo", type=pathlib.Path)


class DeepStackCheck(unittest.TestCase):
    def setUp(self):
        self.ip, self.port = OPTIONS.address.split(":")
        self.url = f"http://{OPTIONS.address}/v1/vision"

    def boxes(self, predictions):
        return {
            found["label"]: [found["x_min"], found["y_min"], found["x_max"], found["y_max"]] for found in predictions
        }

    def deepstack(self, key, model=""):
        return deepstack.core.DeepstackObject(self.ip, self.port, key, custom_model=model)

    def test_the_client_of_deepstack(self):
        for model in ("", "block_detector"):
            predictions = self.deepstack(OPTIONS.token, model).detect(TWO_BLOCKS_PNG)
            self.assertEqual(self.boxes(predictions), EXPECTED)
            self.assertEqual(deepstack.core.get_objects_summary(predictions), {"red": 1, "blue": 1})

    def test_the_client_of_deepstack_without_the_token(self):
        with self.assertRaisesRegex(deepstack.core.DeepstackException, "401"):
            self.deepstack("another token").detect(TWO_BLOCKS_PNG)

    def test_an_unknown_model(self):
        with self.assertRaisesRegex(deepstack.core.DeepstackException, "404"):
            self.deepstack(OPTIONS.token, "cats").detect(TWO_BLOCKS_PNG)

    def test_the_client_of_codeproject(self):
        """It sends no token; see the other test. Its defaults are shared by all calls, so the key goes in there."""
        codeprojectai.core.process_image.__defaults__[0]["api_key"] = OPTIONS.token
        for model in ("", "block_detector"):
            client = codeprojectai.core.CodeProjectAIObject(self.ip, self.port, custom_model=model)
            predictions = client.detect(TWO_BLOCKS_PNG)
            self.assertEqual(self.boxes(predictions), EXPECTED)
            self.assertEqual(codeprojectai.core.get_objects(predictions), ["blue", "red"])

    def test_the_request_of_frigate(self):
        """Frigate's detector sends a key and no min_confidence, reads at most 20 objects, and stops below 0.4."""
        answer = requests.post(
            f"{self.url}/detection", data={"api_key": OPTIONS.token}, files={"image": TWO_BLOCKS_PNG}, timeout=10
        ).json()
        self.assertEqual(self.boxes(answer["predictions"]), EXPECTED)
        confidences = [found["confidence"] for found in answer["predictions"]]
        self.assertEqual(confidences, sorted(confidences, reverse=True))

    def test_the_key_after_the_picture(self):
        """The program in C# of DeepStack's documentation adds the key after the picture."""
        parts = [("image", ("image.jpg", TWO_BLOCKS_PNG)), ("api_key", (None, OPTIONS.token))]
        answer = requests.post(f"{self.url}/detection", files=parts, timeout=10).json()
        self.assertEqual(self.boxes(answer["predictions"]), EXPECTED)

    def test_faces_are_not_there(self):
        with self.assertRaisesRegex(deepstack.core.DeepstackException, "403"):
            deepstack.core.DeepstackFace(self.ip, self.port, OPTIONS.token).detect(TWO_BLOCKS_PNG)
        answer = requests.post(f"{self.url}/face/list", data={"api_key": OPTIONS.token}, timeout=10).json()
        self.assertFalse(answer["success"])
        self.assertTrue(answer["error"].endswith("endpoint not activated"))

    def test_the_list_of_models(self):
        answer = requests.post(
            f"{self.url}/custom/list", headers={"Authorization": f"Bearer {OPTIONS.token}"}, timeout=10
        ).json()
        self.assertTrue(answer["success"])
        self.assertIn("block_detector", answer["models"])

    def test_a_photo_has_cats_and_dogs(self):
        if OPTIONS.photo is None:
            self.skipTest("there is no photo")
        client = self.deepstack(OPTIONS.token, "detect_with_metadata")
        labels = {found["label"] for found in client.detect(OPTIONS.photo.read_bytes())}
        self.assertLessEqual({"cat", "dog"}, labels)


if __name__ == "__main__":
    OPTIONS = PARSER.parse_args()
    unittest.main(argv=sys.argv[:1])
