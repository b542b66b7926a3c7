#!/usr/bin/env python3
"""Runs Label Studio on loopback, and lets it ask a server of answers for predictions.

    python3 label_studio_check.py --address 127.0.0.1:8080 --folder DATA [--photo cats_and_dogs.jpg]

The server serves the models block_detector and color_classifier of the module SightlineTesting; with --photo, also
detect_with_metadata, an SSD for COCO. It may read pictures from 127.0.0.1. Needs what label-studio-requirements.txt
lists: see Scripts/tools check dialects.
"""

import argparse
import base64
import os
import pathlib
import socket
import subprocess
import sys
import time
import unittest

import requests
from dialect_pictures import EXPECTED, GREEN, TWO_BLOCKS_PNG, png

PARSER = argparse.ArgumentParser(description=__doc__)
PARSER.add_argument("--address", required=True)
PARSER.add_argument("--folder", type=pathlib.Path, required=True)
PARSER.add_argument("--photo", type=pathlib.Path)

TOKEN = "0123456789abcdef0123456789abcdef01234567"
BOXES = """
<View><Image name="image" value="$image"/><RectangleLabels name="label" toName="image">{}</RectangleLabels></View>
"""
CHOICES = """
<View><Image name="image" value="$image"/><Choices name="color" toName="image">{}</Choices></View>
"""


def address(picture):
    return "data:image/png;base64," + base64.b64encode(picture).decode()


class LabelStudio:
    """A server of Label Studio with its data in a folder."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            port = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        variables = {
            "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
            "LABEL_STUDIO_USERNAME": "check@example.org",
            "LABEL_STUDIO_PASSWORD": "check-password",
            "LABEL_STUDIO_USER_TOKEN": TOKEN,
            "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
            "COLLECT_ANALYTICS": "0",
            "LABEL_STUDIO_HOST": self.url,
            # It refuses back ends in private networks otherwise.
            "ML_BLOCK_LOCAL_IP": "false",
            "SSRF_PROTECTION_ENABLED": "false",
        }
        program = pathlib.Path(sys.executable).with_name("label-studio")
        words = ["start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port)]
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [program, *words], env=os.environ | variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                requests.get(f"{self.url}/health", timeout=5)
                return
            except requests.RequestException:
                time.sleep(0.5)
        self.process.kill()
        sys.exit("error: Label Studio did not start:\n" + self.log.read_text(errors="replace")[-4000:])

    def ask(self, method, path, **words):
        reply = requests.request(
            method, self.url + path, headers={"Authorization": f"Token {TOKEN}"}, timeout=120, **words
        )
        if not reply.ok:
            raise AssertionError(f"{method} {path}: {reply.status_code} {reply.text[:1000]}")
        return reply.json()


class LabelStudioCheck(unittest.TestCase):
    def project(self, interface, pictures):
        """A project with tasks; returns its number."""
        number = STUDIO.ask("POST", "/api/projects", json={"title": "Check", "label_config": interface})["id"]
        if pictures:
            STUDIO.ask("POST", f"/api/projects/{number}/import", json=[{"image": picture} for picture in pictures])
        return number

    def connect(self, number, path=""):
        back_end = {"url": f"http://{OPTIONS.address}{path}", "project": number, "title": "Sightline"}
        return STUDIO.ask("POST", "/api/ml", json=back_end)

    def predictions(self, number):
        """The predictions for all tasks of a project."""
        chosen = {"selectedItems": {"all": True, "excluded": []}}
        STUDIO.ask("POST", f"/api/dm/actions?id=retrieve_tasks_predictions&project={number}", json=chosen)
        return STUDIO.ask("GET", f"/api/predictions?task__project={number}")

    def test_objects_become_boxes(self):
        names = '<Label value="Red"/><Label value="Sea" predicted_values="blue"/>'
        number = self.project(BOXES.format(names), [address(TWO_BLOCKS_PNG)])
        self.assertEqual(self.connect(number)["state"], "CO")
        (prediction,) = self.predictions(number)
        self.assertRegex(prediction["model_version"], "^[a-z_]+@[0-9a-f]{12}$")
        self.assertGreater(prediction["score"], 0.5)
        found = {}
        for region in prediction["result"]:
            value = region["value"]
            left, top = value["x"] * 3.2, value["y"] * 2.4
            right, bottom = left + value["width"] * 3.2, top + value["height"] * 2.4
            found[value["rectanglelabels"][0]] = [round(edge) for edge in (left, top, right, bottom)]
        self.assertEqual(found, {"Red": EXPECTED["red"], "Sea": EXPECTED["blue"]})

    def test_labels_become_choices(self):
        names = '<Choice value="Red"/><Choice value="Green"/>'
        number = self.project(CHOICES.format(names), [address(png((64, 64), [], GREEN))])
        self.connect(number)
        (prediction,) = self.predictions(number)
        self.assertEqual(prediction["result"][0]["value"], {"choices": ["Green"]})

    def test_a_damaged_picture_has_no_prediction_and_others_have(self):
        pictures = [address(b"no picture"), address(TWO_BLOCKS_PNG)]
        number = self.project(BOXES.format('<Label value="Red"/>'), pictures)
        self.connect(number)
        self.assertEqual(len(self.predictions(number)), 1)
        self.assertIn("picture", STUDIO.log.read_text(errors="replace"))

    def test_an_interface_that_no_model_fits_is_refused(self):
        number = self.project(BOXES.format('<Label value="Zebra crossing"/>'), [address(TWO_BLOCKS_PNG)])
        with self.assertRaisesRegex(AssertionError, "400"):
            self.connect(number)

    def test_an_uploaded_picture_is_read_from_label_studio(self):
        number = self.project(BOXES.format('<Label value="Red"/>'), [])
        STUDIO.ask("POST", f"/api/projects/{number}/import", files={"file": ("a.png", TWO_BLOCKS_PNG, "image/png")})
        self.connect(number)
        (prediction,) = self.predictions(number)
        self.assertEqual(len(prediction["result"]), 1)

    def test_a_photo_has_cats(self):
        if OPTIONS.photo is None:
            self.skipTest("there is no photo")
        names = '<Label value="Cat"/><Label value="Dog"/>'
        number = self.project(BOXES.format(names), [address(OPTIONS.photo.read_bytes())])
        self.connect(number, "/label-studio/detect_with_metadata")
        (prediction,) = self.predictions(number)
        found = {region["value"]["rectanglelabels"][0] for region in prediction["result"]}
        self.assertIn("Cat", found)


if __name__ == "__main__":
    OPTIONS = PARSER.parse_args()
    STUDIO = LabelStudio(OPTIONS.folder)
    try:
        unittest.main(argv=sys.argv[:1])
    finally:
        STUDIO.process.terminate()
        STUDIO.process.wait()
