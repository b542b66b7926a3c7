"""Process:Similar: pictures that are like a photo, in the index of a large folder, beside numpy.

    python3 similar.py --sightline PATH --model MODEL [--numpy PYTHON] [--rounds 5] PHOTO FOLDER

The index of the folder is made first, if it is not there. Each round runs the command with the photo once and
twenty-one times; the difference, divided by twenty, is one answer: the photo is decoded, the network sees it, and all
pictures are compared. In the same round, a Python with numpy reads the same index and multiplies it with as many
vectors, as float32 with BLAS on one thread, which has neither to decode nor to run a network.
"""

import os
import statistics
import subprocess
import sys

import programs

NUMPY = """
import struct, sys, time
import numpy as np
start = time.perf_counter()
data = open(sys.argv[1], "rb").read()
width, thumbnail, count = struct.unpack_from("<III", data, 12)
place, offsets = 56, []
for _ in range(count):
    (path,) = struct.unpack_from("<I", data, place)
    offsets.append(place + 64 + thumbnail)
    place += 64 + thumbnail + width + path
vectors = np.empty((count, width), np.float32)
for row, offset in enumerate(offsets):
    vectors[row] = np.frombuffer(data, np.int8, width, offset)
vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1)
mean = vectors.sum(axis=0) / (count + 20)
vectors -= mean
vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
read = time.perf_counter()
for row in range(20):
    likeness = vectors @ vectors[row * 37 % count]
    best = np.argpartition(-likeness, min(10, count - 1))[:10]
    best[np.argsort(-likeness[best])]
print((read - start) * 1000, (time.perf_counter() - read) * 1000 / 20)
"""


def main() -> None:
    parser = programs.parser(__doc__)
    parser.add_argument("--numpy", help="a Python that has numpy")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("photo")
    parser.add_argument("folder")
    options = parser.parse_args()

    def command(count: int) -> list[str]:
        photos = [options.photo] * count
        return [options.sightline, "similar", *photos, options.folder, "--start", options.model, "--format", "jsonl"]

    programs.timed_run(command(1))
    times: dict[str, list[float]] = {"one photo": [], "an answer": [], "numpy, index": [], "numpy, an answer": []}
    peak = 0
    for _ in range(options.rounds):
        one, many = programs.timed_run(command(1)), programs.timed_run(command(21))
        peak = max(peak, one.peak_memory)
        times["one photo"].append(one.finished)
        times["an answer"].append((many.finished - one.finished) / 20)
        if options.numpy:
            answer = subprocess.run(
                [options.numpy, "-c", NUMPY, os.path.join(options.folder, ".sightline-similar")],
                env=dict(os.environ, OPENBLAS_NUM_THREADS="1"),
                stdout=subprocess.PIPE,
                text=True,
            )
            if answer.returncode:
                sys.exit(f"{options.numpy} gave exit code {answer.returncode}")
            for name, value in zip(["numpy, index", "numpy, an answer"], answer.stdout.split()):
                times[name].append(float(value))
    for name, values in times.items():
        if values:
            print(f"Process:Similar  {name:16}: {programs.summary(values)}")
    print(f"Process:Similar  peak memory     : {peak / 1e6:.0f} MB")
    for own, other in [("one photo", "numpy, index"), ("an answer", "numpy, an answer")]:
        if times[other]:
            ratios = [a / b for a, b in zip(times[own], times[other])]
            print(f"Process:Similar  {own:16}: {statistics.median(ratios):.2f}× {other}")


if __name__ == "__main__":
    main()
