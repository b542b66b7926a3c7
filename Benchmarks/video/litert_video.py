"""A peer: every frame of a video through an SSD in LiteRT, decoded by OpenCV or by a pipe from the ffmpeg program.

    litert_video.py opencv|ffmpeg VIDEO --model MODEL [--threads N]

Prints frames, seconds of the loop (after loading and one warm-up run), its seconds of processor time with those of the
ffmpeg program, and how many boxes were above 0.5.
"""

import argparse
import resource
import subprocess
import time
from collections.abc import Iterator

import numpy as np
from ai_edge_litert.interpreter import Interpreter


def opencv_frames(path: str, width: int, height: int) -> Iterator[np.ndarray]:
    import cv2

    video = cv2.VideoCapture(path)
    while True:
        found, frame = video.read()
        if not found:
            return
        small = cv2.resize(frame, (width, height), interpolation=cv2.INTER_LINEAR)
        yield cv2.cvtColor(small, cv2.COLOR_BGR2RGB)


def ffmpeg_frames(path: str, width: int, height: int) -> Iterator[np.ndarray]:
    # The pipe carries frames of the model's size: the cheapest way known to us.
    process = subprocess.Popen(
        ["ffmpeg", "-loglevel", "error", "-i", path, "-vf", f"scale={width}:{height}:flags=fast_bilinear"]
        + ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        stdout=subprocess.PIPE,
        bufsize=width * height * 3 * 4,
    )
    size = width * height * 3
    while True:
        data = process.stdout.read(size)
        if len(data) < size:
            process.wait()
            return
        yield np.frombuffer(data, np.uint8).reshape(height, width, 3)


def processor_seconds() -> float:
    """Of this process and of those that it has waited for."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("decoder", choices=["opencv", "ffmpeg"])
    parser.add_argument("video")
    parser.add_argument("--model", required=True)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    interpreter = Interpreter(arguments.model, num_threads=arguments.threads)
    interpreter.allocate_tensors()
    entry = interpreter.get_input_details()[0]
    outputs = interpreter.get_output_details()
    _, height, width, _ = map(int, entry["shape"])
    interpreter.set_tensor(entry["index"], np.zeros(entry["shape"], np.uint8))
    interpreter.invoke()
    frames = opencv_frames if arguments.decoder == "opencv" else ffmpeg_frames
    count, found, start, processor_start = 0, 0, time.perf_counter(), processor_seconds()
    for frame in frames(arguments.video, width, height):
        interpreter.set_tensor(entry["index"], frame[np.newaxis])
        interpreter.invoke()
        # All three are read, as a program that shows boxes would.
        _boxes, _classes, scores = (interpreter.get_tensor(output["index"])[0] for output in outputs[:3])
        found += int((scores >= 0.5).sum())
        count += 1
    print(count, time.perf_counter() - start, processor_seconds() - processor_start, found)


if __name__ == "__main__":
    main()
