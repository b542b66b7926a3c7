"""Shows whether Sightline's runtime gives the same bytes as LiteRT's Python Interpreter.

    python3 byte_identity.py --raw-invoke PATH_OF_raw-invoke [--data FOLDER] [--photo FILE] [--seeds N]

For every .tflite under FOLDER/models: fills the inputs with seeded random values (and, with --photo, an image
input also with that photo), runs the model in Python with the default one-thread Interpreter and in the
`raw-invoke` program of this package on the same bytes, and compares each output byte by byte. A model says
`identical`, `different` (which output, how far) or `not run` (which side refused it, and why). The exit code is 1
where any output differs.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import coco
import numpy
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

TIMEOUT_SECONDS = 60


def random_input(detail: dict, generator: numpy.random.Generator) -> numpy.ndarray:
    """Values over the whole range of an integer type, and over -1…1 of a float type."""
    kind, shape = numpy.dtype(detail["dtype"]), detail["shape"]
    if kind.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    if kind.itemsize == 1:
        limits = numpy.iinfo(kind)
        return generator.integers(limits.min, limits.max + 1, shape).astype(kind)
    if numpy.issubdtype(kind, numpy.integer):
        return generator.integers(0, 2, shape).astype(kind)
    return generator.uniform(-1, 1, shape).astype(kind)


def photo_input(detail: dict, photo: Image.Image) -> numpy.ndarray | None:
    """The photo as an image tensor, or None where the input is none."""
    shape, kind = detail["shape"], numpy.dtype(detail["dtype"])
    if len(shape) != 4 or shape[3] != 3 or kind not in (numpy.uint8, numpy.int8, numpy.float32):
        return None
    pixels = numpy.asarray(photo.resize((int(shape[2]), int(shape[1])), Image.Resampling.BILINEAR))[None]
    if kind == numpy.int8:
        return (pixels.astype(numpy.int16) - 128).astype(numpy.int8)
    return pixels if kind == numpy.uint8 else (pixels.astype(numpy.float32) - 127.5) / 127.5


def python_outputs(interpreter: Interpreter, inputs: list[numpy.ndarray]) -> list[tuple[str, numpy.ndarray]]:
    for detail, values in zip(interpreter.get_input_details(), inputs):
        interpreter.set_tensor(detail["index"], values)
    interpreter.invoke()
    return [(detail["name"], interpreter.get_tensor(detail["index"])) for detail in interpreter.get_output_details()]


def sightline_outputs(program: str, model: pathlib.Path, inputs: list[numpy.ndarray]) -> list[tuple[str, bytes]]:
    """Raises RuntimeError with the program's own words where it refuses the model."""
    with tempfile.TemporaryDirectory() as folder:
        for index, values in enumerate(inputs):
            pathlib.Path(folder, f"input{index}.bin").write_bytes(values.tobytes())
        done = subprocess.run(
            [program, str(model), folder], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")
        outputs = json.loads(done.stdout)
        return [(one["name"], pathlib.Path(folder, one["file"]).read_bytes()) for one in outputs]


def difference(name: str, expected: numpy.ndarray, found: bytes) -> str:
    if len(found) != expected.nbytes:
        return f"{name}: {len(found)} bytes instead of {expected.nbytes}"
    values = numpy.frombuffer(found, expected.dtype).reshape(expected.shape)
    largest = numpy.max(numpy.abs(values.astype(numpy.float64) - expected.astype(numpy.float64)))
    return f"{name}: {numpy.sum(values != expected)} of {expected.size} values, by at most {largest:g}"


def compare(program: str, path: pathlib.Path, photo: Image.Image | None, seeds: int) -> tuple[str, str]:
    """`identical`, `different` or `not run`, and the details."""
    try:
        interpreter = Interpreter(str(path), num_threads=1)
        interpreter.allocate_tensors()
    except (RuntimeError, ValueError) as error:
        return "not run", f"Python: {error}"
    details = interpreter.get_input_details()
    cases = [[random_input(detail, numpy.random.default_rng(seed)) for detail in details] for seed in range(seeds)]
    if photo and len(details) == 1 and (values := photo_input(details[0], photo)) is not None:
        cases.append([values])

    notes, total = [], 0
    for inputs in cases:
        try:
            found = sightline_outputs(program, path, inputs)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return "not run", f"Sightline: {error}"
        expected = python_outputs(interpreter, inputs)
        if [name for name, _ in found] != [name for name, _ in expected]:
            notes.append(f"outputs {[name for name, _ in found]} instead of {[name for name, _ in expected]}")
            continue
        for (name, values), (_, data) in zip(expected, found):
            total += len(data)
            if values.tobytes() != data:
                notes.append(difference(name, values, data))
    if notes:
        return "different", "; ".join(sorted(set(notes)))
    return "identical", f"{len(cases)} inputs, {total:,} bytes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--raw-invoke", required=True, help="the raw-invoke program of the Benchmarks package")
    parser.add_argument("--data", help="the folder of real data")
    parser.add_argument("--photo", type=pathlib.Path, help="a photo that image inputs get as well")
    parser.add_argument("--seeds", type=int, default=3, help="random inputs per model (3)")
    options = parser.parse_args()
    photo = Image.open(options.photo).convert("RGB") if options.photo else None
    models = coco.data_folder(options.data) / "models"

    counts = {"identical": 0, "different": 0, "not run": 0}
    for path in sorted(models.rglob("*.tflite")):
        verdict, details = compare(options.raw_invoke, path, photo, options.seeds)
        counts[verdict] += 1
        print(f"{verdict:10} {path.relative_to(models)}: {details}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    sys.exit(counts["different"] > 0)


if __name__ == "__main__":
    main()
