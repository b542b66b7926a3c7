"""Turns trained weights into an int8 .tflite file with metadata.

The graph is written with plain TensorFlow operations over weights that have batch normalization folded in; the numbers
of `calibration` views set the ranges of the activations. The localizer's boxes and scores go through
TFLite_Detection_PostProcess.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import argparse
import functools
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from flatbuffers import flexbuffers

from . import coco, data, network, shards
from .errors import TrainingError
from .fast_input import with_fast_input
from .files import write
from .prepare import DEFAULT_WORK
from .tflite import Graph, Metadata, schema
from .tflite import Model as TFLiteModel

VERSION = "1.0"
AUTHOR = "Sightline"
LICENSE = "Apache-2.0"
CALIBRATION = 400

# Numbers of the published metadata schema.
RGB, AXIS_LABELS, VALUE_LABELS, BOUNDARIES, RATIO = 1, 2, 3, 1, 0


class Builder:
    """Makes a network of TensorFlow operations over folded weights."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        import tensorflow

        self.tf, self.weights = tensorflow, weights

    def conv(
        self,
        name: str,
        x: Any,
        channels: int | None,
        kernel: int,
        stride: int,
        depthwise: bool = False,
        act: bool = False,
        norm: bool = True,
    ) -> Any:
        tf, weight = self.tf, self.weights[f"{name}/weight"]
        if depthwise:
            y = tf.nn.depthwise_conv2d(x, tf.constant(weight.transpose(0, 1, 3, 2)), [1, stride, stride, 1], "SAME")
        else:
            y = tf.nn.conv2d(x, tf.constant(weight), stride, "SAME")
        y = tf.nn.bias_add(y, tf.constant(self.weights[f"{name}/bias"]))
        return tf.nn.relu6(y) if act else y

    def dense(self, name: str, x: Any, classes: int) -> Any:
        return self.tf.matmul(x, self.tf.constant(self.weights[f"{name}/weight"])) + self.tf.constant(
            self.weights[f"{name}/bias"]
        )

    def add(self, a: Any, b: Any) -> Any:
        return a + b

    def relu(self, x: Any) -> Any:
        return self.tf.nn.relu6(x)

    def up(self, x: Any) -> Any:
        """Each cell as four: an operation that needs no size, so that the size of the input can stay open."""
        return self.tf.nn.depth_to_space(self.tf.concat([x] * 4, -1), 2)

    def mean(self, x: Any) -> Any:
        return self.tf.reduce_mean(x, [1, 2])

    def summary(self, features: list[Any], maps: dict[int, Any], logits: list[Any]) -> list[Any]:
        """The three parts of `Detector.summary`, whose ranges are quantized apart."""
        tf = self.tf
        means = [
            tf.concat([self.mean(y) for y in part], 1) for part in (features, [maps[side] for side in network.MAPS])
        ]
        return [*means, functools.reduce(tf.maximum, [tf.reduce_max(part, [1, 2]) for part in logits])]

    def shown(self, name: str, summary: list[Any]) -> Any:
        """The answer of a layer about the whole picture."""
        tf, ends = self.tf, np.cumsum([part.shape[1] for part in summary])
        weights = np.split(self.weights[f"{name}/weight"], ends[:-1])
        answers = [tf.matmul(part, tf.constant(weight)) for part, weight in zip(summary, weights)]
        return functools.reduce(tf.add, answers) + tf.constant(self.weights[f"{name}/bias"])


def configured(weights: dict[str, np.ndarray]) -> dict[str, Any]:
    """The configuration of the network that the weights are of."""
    try:
        return network.CONFIGURATIONS[str(weights["configuration"])]
    except KeyError:
        raise TrainingError("The weights name no known network: train again, or give other weights.") from None


def input_side(model: str, configuration: dict[str, Any]) -> int:
    """The side of the pictures that a model takes, in pixels."""
    sides = {"detector": network.DETECTOR_SIDE, "features": network.FEATURES_SIDE}
    return sides.get(model, configuration["side"])


def converted(model: str, weights: dict[str, np.ndarray], pictures: np.ndarray, quantized: bool = True) -> bytes:
    """The .tflite bytes of a localizer (boxes and scores of the anchors), of a detector (logits and distances in
    pixels of the cells of each grid, a probability of its own for each label of the whole picture, and the
    probabilities of our classes, which sum to one), or of the network of features (those probabilities alone).
    """
    import tensorflow as tf

    configuration = configured(weights)
    side = input_side(model, configuration)
    if model == "detector":
        weights = network.separated(weights)
    builder = Builder(weights)
    bytes_out = model == "features"  # what a training appends to it computes with bytes, too

    @tf.function(input_signature=[tf.TensorSpec([1, side, side, 3], tf.float32, name="image")])
    def graph(x: Any) -> dict[str, Any]:
        if model == "detector":
            maps = network.backbone(builder, x, configuration)
            features = network.neck(builder, maps)
            answers = network.heads(builder, features, weights["g8c/bias"].shape[0])
            grids = {
                f"{name}{stride}": part
                for stride, pair in zip(network.STRIDES, answers)
                for name, part in zip(("scores", "distances"), pair)
            }
            summary = builder.summary(features, maps, [logits for logits, _ in answers])
            labels = builder.shown(network.LABELS, summary)
            classes = builder.dense(
                network.CLASSES, tf.nn.relu6(builder.shown(network.HIDDEN, summary)), len(data.CLASSES)
            )
            return grids | {"whole 1 labels": tf.sigmoid(labels), "whole 2 classes": tf.nn.softmax(classes)}
        if model == "features":
            features, _ = network.features(builder, network.early_layers(builder, x, configuration)[8], configuration)
            return {"probabilities": tf.nn.softmax(builder.dense("fc", features, len(data.CLASSES)))}
        answers = network.localizer(builder, x, configuration)
        codes = tf.concat([tf.reshape(codes, [1, -1, 4]) for codes, _ in answers], 1)
        logits = tf.concat([tf.reshape(logits, [1, -1, 1]) for _, logits in answers], 1)
        return {"boxes": codes, "scores": tf.sigmoid(logits)}

    converter = tf.lite.TFLiteConverter.from_concrete_functions([graph.get_concrete_function()])
    if quantized:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: (
            [picture[None].astype(np.float32) / 127.5 - 1] for picture in pictures
        )
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = tf.uint8
        converter.inference_output_type = tf.uint8 if bytes_out else tf.float32
    return converter.convert()


def opened(content: bytes) -> TFLiteModel:
    """A converted model as a Model of `tflite`, to which operators and metadata can be added."""
    model = TFLiteModel()
    model.table = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
    model.table.metadata = []
    model.table.signatureDefs = []
    model.codes = {}
    return model


def with_last_layers(labeler: dict[str, np.ndarray], classifier: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights of a detector with the last layers of a labeler and of a classifier, both fitted to it."""
    shared = [name for name in labeler if not name.startswith(network.LABELS)]
    if any(name not in classifier or not np.array_equal(labeler[name], classifier[name]) for name in shared):
        raise TrainingError(
            "The classifier and the labeler belong to different detectors: fit both to the same weights with --initial."
        )
    last = (network.CLASSES, network.HIDDEN)
    return labeler | {name: value for name, value in classifier.items() if name.startswith(last)}


def with_open_side(model: TFLiteModel) -> None:
    """Leaves the size of the picture open: the labels and the classes are found from smaller ones than the boxes."""
    graph = model.table.subgraphs[0]
    graph.tensors[graph.inputs[0]].shapeSignature = np.array([1, -1, -1, 3], np.int32)


def with_post_processing(model: TFLiteModel, anchors: np.ndarray, most: int = 100) -> None:
    """Appends TFLite_Detection_PostProcess: at most `most` boxes, overlaps above 0.5 suppressed."""
    graph = Graph.__new__(Graph)
    graph.model, graph.table, graph.index = model, model.table.subgraphs[0], 0
    # In the order of their names.
    boxes, scores = (int(index) for index in graph.table.outputs)
    table = graph.constant("anchors", anchors)
    names = [("", [1, most, 4]), (":1", [1, most]), (":2", [1, most]), (":3", [1])]
    answers = [graph.tensor("TFLite_Detection_PostProcess" + suffix, shape) for suffix, shape in names]
    options = flexbuffers.Dumps(
        {
            "max_detections": most,
            "max_classes_per_detection": 1,
            "detections_per_class": most,
            "num_classes": 1,
            "use_regular_nms": False,
            "nms_score_threshold": 1e-8,
            "nms_iou_threshold": 0.5,
            "x_scale": 10.0,
            "y_scale": 10.0,
            "w_scale": 5.0,
            "h_scale": 5.0,
            "_output_quantized": False,
            "_support_output_type_float_in_quantized_op": False,
        }
    )
    graph.op("CUSTOM", [boxes, scores, table], answers, custom="TFLite_Detection_PostProcess", custom_options=options)
    graph.table.outputs = np.array(answers, np.int32)


def picture(m: Metadata, subject: str, side: int) -> int:
    """The input of all models."""
    return m.tensor(
        "image",
        f"{subject}, RGB, stretched to {side}x{side}.",
        m.image(RGB, side, side),
        [m.normalization([127.5], [127.5])],
        minimum=[0.0],
        maximum=[255.0],
    )


def localizer_metadata(side: int) -> tuple[bytes, dict[str, str]]:
    m = Metadata()
    threshold = m.threshold(network.LOCALIZER_THRESHOLD)
    image = picture(m, "The picture", side)
    outputs = [
        m.tensor(
            "location",
            "Boxes as top, left, bottom, right in 0...1 of the picture.",
            m.boxes([1, 0, 3, 2], BOUNDARIES, RATIO),
        ),
        m.tensor(
            "category",
            "Numbers of the classes, from 0.",
            m.feature(),
            files=[m.file("labels.txt", VALUE_LABELS, description="The names of the classes.")],
        ),
        m.tensor("score", "How sure it is that the box holds one object.", m.feature(), [threshold]),
        m.tensor("number of detections", "How many rows are filled.", m.feature()),
    ]
    about = "Finds the prominent objects of a picture, whatever they are."
    content = m.finish("Sightline object localizer", [image], outputs, about, VERSION, AUTHOR, LICENSE)
    return content, {"labels.txt": "object\n"}


def features_metadata() -> tuple[bytes, dict[str, str]]:
    m = Metadata()
    image = picture(m, "The largest centered square of a picture", network.FEATURES_SIDE)
    output = m.tensor(
        "probability",
        f"The probabilities of {', '.join(data.DISPLAY_NAMES)}; they sum to one.",
        m.feature(),
        files=[m.file(network.CLASS_LABELS, AXIS_LABELS, "en", "The names of the classes.")],
        minimum=[0.0],
        maximum=[1.0],
    )
    about = (
        f"Describes a picture by {network.FEATURES} numbers, from which its last layer finds a coarse class, and which"
        " a training of labels starts from."
    )
    content = m.finish("Sightline image features", [image], [output], about, VERSION, AUTHOR, LICENSE)
    return content, {network.CLASS_LABELS: "".join(f"{line}\n" for line in data.DISPLAY_NAMES)}


def detector_metadata(model: TFLiteModel, names: list[str]) -> tuple[bytes, dict[str, str]]:
    """The metadata, and the files with the names of the kinds, of the labels of whole pictures, and of our classes."""
    m, side, graph = Metadata(), network.DETECTOR_SIDE, model.table.subgraphs[0]
    sides = f"for labels {network.LABELER_SIDE}, for the classes of one object {network.CLASSIFIER_SIDE} pixels"
    image = picture(m, f"The picture, {sides}", side)
    outputs = []
    for index in graph.outputs[: 2 * len(network.STRIDES)]:
        shape = [int(count) for count in graph.tensors[int(index)].shape]
        stride = next(stride for stride in network.STRIDES if -(-side // stride) == shape[1])
        if shape[3] == 4:
            about = f"Distances in pixels from the cells, {stride} apart, to left, top, right and bottom of the box."
            outputs.append(m.tensor(f"distances {stride}", about, m.feature()))
        else:
            about = f"Logits of the cells, {stride} pixels apart: one for each label; the last, of any object."
            labels = m.file("labels.txt", VALUE_LABELS, "en", "The names of the kinds.")
            outputs.append(m.tensor(f"scores {stride}", about, m.feature(), files=[labels]))
    outputs.append(
        m.tensor(
            "labels",
            "The probability of each label of the whole picture, which may have several.",
            m.feature(),
            [m.threshold(network.LABELER_THRESHOLD)],
            [m.file(network.PICTURE_LABELS, AXIS_LABELS, "en", "The names of the labels.")],
            [0.0],
            [1.0],
        )
    )
    outputs.append(
        m.tensor(
            "classes",
            f"The probabilities of {', '.join(data.DISPLAY_NAMES)}, if the picture is one object; they sum to one.",
            m.feature(),
            [m.threshold(network.CLASSIFIER_THRESHOLD)],
            [m.file(network.CLASS_LABELS, AXIS_LABELS, "en", "The names of the classes.")],
            [0.0],
            [1.0],
        )
    )
    about = (
        f"Finds the things of a picture and names {len(coco.NAMES)} kinds of them; says which of {len(names)} everyday"
        " things, places and activities a picture shows, or what an object is."
    )
    content = m.finish("Sightline object detector", [image], outputs, about, VERSION, AUTHOR, LICENSE)
    lists = {
        "labels.txt": (*coco.NAMES, "object"),
        network.PICTURE_LABELS: names,
        network.CLASS_LABELS: data.DISPLAY_NAMES,
    }
    return content, {name: "".join(f"{line}\n" for line in lines) for name, lines in lists.items()}


def finished(name: str, model: bytes, configuration: dict[str, Any], labels: list[str] | None = None) -> bytes:
    """The bytes of a converted model with post-processing, metadata and label file."""
    result = opened(model)
    if name == "localizer":
        with_post_processing(result, network.anchors(configuration))
        content, files = localizer_metadata(configuration["side"])
    elif name == "detector":
        with_open_side(result)
        content, files = detector_metadata(result, labels or [])
    else:
        content, files = features_metadata()
    with_fast_input(result)
    about = "image features" if name == "features" else f"object {name}"
    result.table.description = f"Sightline {about}"
    result.metadata(content)
    result.pack(files)
    return result.bytes()


def read_weights(path: pathlib.Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise TrainingError(f"The weights {path} do not exist: train first, or name others with --weights.") from None
    except (OSError, ValueError) as error:
        raise TrainingError(f"The weights {path} cannot be read ({error}): train again.") from None


def sample(folder: pathlib.Path) -> np.ndarray:
    """Pictures that set the ranges of the activations."""
    views = shards.Shards(folder, ["x"])
    return views.rows(np.arange(min(CALIBRATION, len(views))), ["x"])["x"]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m sightline_training export",
        description="Turns trained weights into an int8 .tflite file with metadata.",
    )
    parser.add_argument("model", choices=["localizer", "detector", "features"])
    parser.add_argument("output", type=pathlib.Path, help="the .tflite file to write")
    parser.add_argument(
        "--weights",
        type=pathlib.Path,
        help="localizer, features: folded weights (.npz); without it those of the last training",
    )
    parser.add_argument("--work", type=pathlib.Path, default=DEFAULT_WORK)
    parser.add_argument("--float", action="store_true", help="leave the weights and activations float")
    options = parser.parse_args(arguments)
    if options.model == "detector":
        if options.weights:
            parser.error(
                "the detector is made of what fit labeler and fit classifier wrote: name their folder with --work"
            )
        weights = with_last_layers(*(read_weights(options.work / f"{name}.npz") for name in ("labeler", "classifier")))
    else:
        weights = read_weights(options.weights or options.work / f"{options.model}.npz")
    pictures = sample(options.work / f"{options.model}-val")
    labels = [str(name) for name in weights["labels"]] if "labels" in weights else None
    model = converted(options.model, weights, pictures, not options.float)
    content = finished(options.model, model, configured(weights), labels)
    write(options.output, content)
    print(f"{options.output}: {len(content) / 1e6:.2f} MB")
