import importlib.util
import os
import pathlib
import tempfile
import unittest

import numpy as np
from sightline_training.data import IMAGENET_DEVIATION, IMAGENET_MEAN
from sightline_training.errors import TrainingError

try:
    import torch
    from sightline_training import dense_teacher
except ImportError:
    torch = None

MISSING = torch is None or importlib.util.find_spec("ai_edge_litert") is None
SIDE = 64
NANODET = (
    pathlib.Path(os.environ.get("SIGHTLINE_TEST_DATA", "none"))
    / "models"
    / "teachers"
    / "nanodet_plus_m_1.5x_416_int8.tflite"
)


def tiny(last=None):
    """A model of two grids, each with scores of three kinds and distances, of operations of NanoDet-Plus."""
    from sightline_training.tflite import Model, schema

    rng, model = np.random.default_rng(0), Model()
    g = model.graph()

    def conv(x, shape, kernel, inputs, outputs, name="CONV_2D", stride=1, padding=0):
        groups = name == "DEPTHWISE_CONV_2D"
        weight = rng.normal(0, 0.4, (1, kernel, kernel, inputs) if groups else (outputs, kernel, kernel, inputs))
        y = g.tensor("y", [1, *shape, outputs])
        options = schema.DepthwiseConv2DOptionsT() if groups else schema.Conv2DOptionsT()
        options.padding, options.strideW, options.strideH = padding, stride, stride
        options.dilationWFactor = options.dilationHFactor = 1
        if groups:
            options.depthMultiplier = 1
        g.op(name, [x, g.constant("w", weight), g.constant("b", rng.normal(0, 0.2, outputs))], [y], options)
        return y

    image = g.tensor("image", [1, SIDE, SIDE, 3])
    padded = g.tensor("padded", [1, SIDE + 2, SIDE + 2, 3])
    g.op("PAD", [image, g.constant("pads", [[0, 0], [1, 1], [1, 1], [0, 0]], "int32")], [padded], schema.PadOptionsT())
    x = conv(padded, (32, 32), 3, 3, 4, stride=2, padding=1)
    active = g.tensor("active", [1, 32, 32, 4])
    g.op("LEAKY_RELU", [x], [active], schema.LeakyReluOptionsT(alpha=0.1))
    fine = conv(active, (32, 32), 5, 4, 4, "DEPTHWISE_CONV_2D")
    joined = g.tensor("joined", [1, 32, 32, 8])
    g.op("CONCATENATION", [active, fine], [joined], schema.ConcatenationOptionsT(axis=3))
    padded = g.tensor("padded", [1, 34, 34, 8])
    g.op("PAD", [joined, g.constant("pads", [[0, 0], [1, 1], [1, 1], [0, 0]], "int32")], [padded], schema.PadOptionsT())
    coarse = conv(padded, (16, 16), 3, 8, 8, stride=2, padding=1)
    large = g.tensor("large", [1, 32, 32, 8])
    options = schema.ResizeBilinearOptionsT(halfPixelCenters=True)
    g.op("RESIZE_BILINEAR", [coarse, g.constant("size", [32, 32], "int32")], [large], options, version=3)
    total = g.tensor("total", [1, 32, 32, 8])
    g.op("ADD", [joined, large], [total], schema.AddOptionsT())
    outputs = []
    for value, side in ((total, 32), (coarse, 16)):
        outputs += [conv(value, (side, side), 1, 8, 3), conv(value, (side, side), 1, 8, 4)]
    if last:
        y = g.tensor("last", [1, 16, 16, 4])
        g.op(last, [outputs[-1]], [y])
        outputs[-1] = y
    g.ends([image], outputs)
    return model.bytes()


def answers(content, pixels):
    """Scores and distances of a model by LiteRT, the finest grid first."""
    from ai_edge_litert.interpreter import Interpreter

    model = Interpreter(model_content=content, num_threads=1)
    model.allocate_tensors()
    place = model.get_input_details()[0]
    x = ((pixels - IMAGENET_MEAN) / IMAGENET_DEVIATION)[..., ::-1]
    if place["dtype"] == np.int8:
        scale, zero = place["quantization"]
        x = np.clip(np.rint(x / scale) + zero, -128, 127)
    model.set_tensor(place["index"], x.astype(place["dtype"]))
    model.invoke()
    scores, distances = [], []
    for output in sorted(model.get_output_details(), key=lambda output: -output["shape"][1]):
        value = model.get_tensor(output["index"]).astype(np.float32)
        if output["dtype"] == np.int8:
            value = (value - output["quantization"][1]) * output["quantization"][0]
        value = value.reshape(-1, value.shape[-1])
        (distances if value.shape[-1] == 4 else scores).append(value)
    return 1 / (1 + np.exp(-np.concatenate(scores))), np.concatenate(distances)


@unittest.skipIf(MISSING, "Torch or LiteRT is not installed")
class DenseTeacherTests(unittest.TestCase):
    def teacher(self, content):
        """The teacher as it is carried: converted, written and read."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.tflite"
            path.write_bytes(content)
            dense_teacher.save(dense_teacher.converted(path), path.with_suffix(".npz"))
            return dense_teacher.DenseTeacher(dense_teacher.load(path.with_suffix(".npz"))).eval()

    @torch.no_grad() if torch else lambda function: function
    def test_it_answers_as_the_file_does(self):
        pixels = np.random.default_rng(1).integers(0, 255, (1, SIDE, SIDE, 3)).astype(np.float32)
        found = self.teacher(tiny())(torch.from_numpy(pixels).permute(0, 3, 1, 2))
        for mine, wanted in zip(found[:2], answers(tiny(), pixels)):
            np.testing.assert_allclose(mine[0].numpy(), wanted, atol=2e-3)

    @torch.no_grad() if torch else lambda function: function
    def test_it_answers_about_several_pictures_of_another_size(self):
        pixels = torch.rand(3, 3, 2 * SIDE, 2 * SIDE) * 255
        model = self.teacher(tiny())
        scores, distances, _ = model(pixels)
        self.assertEqual((scores.shape, distances.shape), ((3, 64 * 64 + 32 * 32, 3), (3, 64 * 64 + 32 * 32, 4)))
        torch.testing.assert_close(model(pixels[1:2])[0][0], scores[1], atol=1e-4, rtol=1e-4)

    def test_what_only_quantization_needs_is_left_out_and_a_cut_joins_the_convolution_before_it(self):
        steps = [
            ("QUANTIZE", [0], [1], {}),
            ("CONV_2D", [1, 8, 9], [2], {"padding": 1}),
            ("DEQUANTIZE", [2], [3], {}),
            ("LEAKY_RELU", [3], [4], {"alpha": 0.1}),
            ("CONV_2D", [4, 8, 9], [5], {}),
            ("LEAKY_RELU", [5], [6], {"alpha": 0.1}),
            ("ADD", [5, 6], [7], {}),
            ("QUANTIZE", [7], [10], {}),
        ]
        kept, outputs = dense_teacher.simplified(steps, [(10, [1, 4, 4, 4])])
        self.assertEqual([name for name, *_ in kept], ["CONV_2D", "CONV_2D", "LEAKY_RELU", "ADD"])
        self.assertEqual(kept[0][1:], ([0, 8, 9], [4], {"padding": 1, "slope": 0.1}))
        self.assertEqual(outputs, [(7, [1, 4, 4, 4])])
        self.assertEqual(dense_teacher.sum_before(7, kept), 7)
        self.assertIsNone(dense_teacher.sum_before(6, kept))

    def test_an_unknown_operation_is_named(self):
        with self.assertRaisesRegex(TrainingError, r"model\.tflite has the operation LOGISTIC"):
            self.teacher(tiny(last="LOGISTIC"))

    def test_a_missing_or_damaged_teacher_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "teacher.npz"
            with self.assertRaisesRegex(TrainingError, "does not exist: run prepare detector first"):
                dense_teacher.load(path)
            path.write_bytes(b"damaged")
            with self.assertRaisesRegex(TrainingError, r"The teacher .*teacher\.npz is damaged"):
                dense_teacher.load(path)

    @unittest.skipUnless(NANODET.exists(), "SIGHTLINE_TEST_DATA has no NanoDet-Plus")
    @torch.no_grad() if torch else lambda function: function
    def test_nanodet_plus_answers_nearly_as_its_quantized_file_does(self):
        from PIL import Image

        content, picture = NANODET.read_bytes(), next((NANODET.parents[2] / "detection" / "images").glob("*.jpg"))
        with Image.open(picture) as image:
            pixels = np.asarray(image.convert("RGB").resize((416, 416)), np.float32)[None]
        scores, distances, maps = self.teacher(content)(torch.from_numpy(pixels).permute(0, 3, 1, 2))
        self.assertEqual([tuple(part.shape[1:]) for part in maps], [(128, side, side) for side in (52, 26, 13, 7)])
        wanted, reach = answers(content, pixels)
        self.assertLess(float(np.abs(scores[0].numpy() - wanted).mean()), 0.005)
        sure = wanted.max(1) > 0.4
        self.assertGreater(int(sure.sum()), 0)
        self.assertGreater(float(np.mean(scores[0].numpy()[sure].argmax(1) == wanted[sure].argmax(1))), 0.9)
        self.assertLess(float(np.abs(distances[0].numpy()[sure] - reach[sure]).mean()), 8)


if __name__ == "__main__":
    unittest.main()
