#!/usr/bin/env python3
"""Drives a server of answers with Triton's client.

    python3 open_inference_check.py --address 127.0.0.1:8080 [--photo cats_and_dogs.jpg]

The server serves the models block_detector and color_classifier of the module SightlineTesting; with --photo, also
detect_with_metadata, an SSD for COCO. Needs what dialect-requirements.txt lists: see Scripts/tools check dialects.
"""

import argparse
import pathlib
import sys
import unittest

import numpy
import tritonclient.http
from dialect_pictures import EXPECTED, TWO_BLOCKS_PNG
from tritonclient.utils import InferenceServerException

PARSER = argparse.ArgumentParser(description=__doc__)
PARSER.add_argument("--address", required=True)
PARSER.add_argument("--photo", type=pathlib.Path)


def scores(pixels):
    """The outputs of the model color_classifier: a softmax of 8 times the channels' means."""
    exponents = numpy.exp(8 * pixels.mean(axis=(1, 2)))
    return exponents / exponents.sum(axis=1, keepdims=True)


class OpenInferenceCheck(unittest.TestCase):
    def setUp(self):
        self.client = tritonclient.http.InferenceServerClient(OPTIONS.address, concurrency=4)
        self.addCleanup(self.client.close)

    def color_input(self, pixels, binary=True):
        about = self.client.get_model_metadata("color_classifier")["inputs"][0]
        tensor = tritonclient.http.InferInput(about["name"], about["shape"], about["datatype"])
        tensor.set_data_from_numpy(pixels, binary_data=binary)
        return tensor

    def test_health_and_descriptions(self):
        self.assertTrue(self.client.is_server_live())
        self.assertTrue(self.client.is_server_ready())
        self.assertTrue(self.client.is_model_ready("block_detector"))
        self.assertFalse(self.client.is_model_ready("cats"))
        self.assertIn("binary_tensor_data", self.client.get_server_metadata()["extensions"])
        about = self.client.get_model_metadata("color_classifier")
        self.assertEqual(about["inputs"][0]["shape"], [1, 8, 8, 3])
        self.assertTrue(self.client.is_model_ready("color_classifier", about["versions"][0]))

    def test_tensors_in_all_forms(self):
        pixels = numpy.random.default_rng(1).random((1, 8, 8, 3), numpy.float32)
        name = self.client.get_model_metadata("color_classifier")["outputs"][0]["name"]
        for binary_input in (True, False):
            for binary_output in (True, False):
                with self.subTest(binary_input=binary_input, binary_output=binary_output):
                    wanted = [tritonclient.http.InferRequestedOutput(name, binary_data=binary_output)]
                    result = self.client.infer(
                        "color_classifier", [self.color_input(pixels, binary_input)], outputs=wanted, request_id="7"
                    )
                    self.assertEqual(result.get_response()["id"], "7")
                    numpy.testing.assert_allclose(result.as_numpy(name), scores(pixels), rtol=1e-4)

    def test_compressed_requests(self):
        pixels = numpy.random.default_rng(3).random((1, 8, 8, 3), numpy.float32)
        name = self.client.get_model_metadata("color_classifier")["outputs"][0]["name"]
        for algorithm in ("gzip", "deflate"):
            result = self.client.infer(
                "color_classifier", [self.color_input(pixels)], request_compression_algorithm=algorithm
            )
            numpy.testing.assert_allclose(result.as_numpy(name), scores(pixels), rtol=1e-4)

    def test_the_list_of_models_and_a_configuration(self):
        index = self.client.get_model_repository_index()
        self.assertIn(("color_classifier", "READY"), [(model["name"], model["state"]) for model in index])
        config = self.client.get_model_config("color_classifier")
        self.assertEqual(config["input"][0]["dims"], [1, 8, 8, 3])
        self.assertEqual(config["max_batch_size"], 0)

    def test_many_requests_at_once(self):
        generator = numpy.random.default_rng(2)
        sent = [generator.random((1, 8, 8, 3), numpy.float32) for _ in range(64)]
        pending = [self.client.async_infer("color_classifier", [self.color_input(pixels)]) for pixels in sent]
        for pixels, request in zip(sent, pending, strict=True):
            result = request.get_result()
            name = result.get_response()["outputs"][0]["name"]
            numpy.testing.assert_allclose(result.as_numpy(name), scores(pixels), rtol=1e-4)

    def picture(self, data):
        tensor = tritonclient.http.InferInput("image", [1], "BYTES")
        tensor.set_data_from_numpy(numpy.array([data], dtype=object))
        return [tensor]

    def test_a_picture_has_named_objects(self):
        result = self.client.infer("block_detector", self.picture(TWO_BLOCKS_PNG), parameters={"threshold": 0.8})
        labels = [label.decode() for label in result.as_numpy("labels")]
        boxes = result.as_numpy("boxes").tolist()
        self.assertEqual(dict(zip(labels, boxes, strict=True)), EXPECTED)
        self.assertEqual(result.as_numpy("scores").shape, (2,))

    def test_a_photo_has_cats_and_dogs(self):
        if OPTIONS.photo is None:
            self.skipTest("there is no photo")
        photo = self.picture(OPTIONS.photo.read_bytes())
        result = self.client.infer("detect_with_metadata", photo, parameters={"threshold": 0.4})
        self.assertLessEqual({b"cat", b"dog"}, set(result.as_numpy("labels").tolist()))

    def test_errors_are_sentences(self):
        with self.assertRaisesRegex(InferenceServerException, "no input x"):
            tensor = tritonclient.http.InferInput("x", [1, 4], "FP32")
            tensor.set_data_from_numpy(numpy.zeros((1, 4), numpy.float32))
            self.client.infer("color_classifier", [tensor])
        with self.assertRaisesRegex(InferenceServerException, "no model"):
            self.client.get_model_metadata("cats")
        with self.assertRaisesRegex(InferenceServerException, "picture"):
            self.client.infer("block_detector", self.picture(b"no picture"))


if __name__ == "__main__":
    OPTIONS = PARSER.parse_args()
    unittest.main(argv=sys.argv[:1])
