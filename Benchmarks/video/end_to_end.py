"""Video end to end, every frame through an SSD: Sightline beside OpenCV + LiteRT and an ffmpeg pipe + LiteRT.

    end_to_end.py --sightline PROGRAM --model MODEL [--rounds 3] [--cores 1,2] VIDEO …

Contenders take turns in each round, each as a process on the given cores; times are those of the loop over the frames,
without loading. Ratios are medians over rounds of frame rates within the same round.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys
from collections.abc import Callable
from typing import Any

PEER = pathlib.Path(__file__).parent / "litert_video.py"


def sightline(program: str, model: str, video: str, *more: Any) -> Callable[[str], float]:
    def run(cores: str) -> float:
        text = subprocess.run(
            ["taskset", "-c", cores, program, "track", video, "--model", model, "--format", "mot"]
            + ["--output", "/dev/null", *more],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        return float(re.search(r"frames, ([\d.]+) frames/s", text).group(1))

    return run


def peer(decoder: str, model: str, video: str, threads: int) -> Callable[[str], float]:
    def run(cores: str) -> float:
        text = subprocess.run(
            ["taskset", "-c", cores, sys.executable, PEER, decoder, video, "--model", model, "--threads", str(threads)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        count, seconds, _ = text.split()
        return int(count) / float(seconds)

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sightline", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cores", default="1,2")
    parser.add_argument("videos", nargs="+")
    arguments = parser.parse_args()
    for video in arguments.videos:
        for count in map(int, arguments.cores.split(",")):
            contenders = {
                "sightline": sightline(arguments.sightline, arguments.model, video),
                "sightline --every 3": sightline(arguments.sightline, arguments.model, video, "--every", "3"),
            }
            for threads in sorted({1, count}):
                for decoder in ("opencv", "ffmpeg"):
                    name = f"{decoder} + LiteRT, {threads} thread{'s' if threads > 1 else ''}"
                    contenders[name] = peer(decoder, arguments.model, video, threads)
            rates = {name: [] for name in contenders}
            for _ in range(arguments.rounds):
                for name, run in contenders.items():
                    rates[name].append(run(",".join(map(str, range(count)))))
            label = f"Video:COCOSSD:{pathlib.Path(video).stem}:{count}core{'s' if count > 1 else ''}"
            for name, values in rates.items():
                ratio = statistics.median(a / b for a, b in zip(rates["sightline"], values))
                print(
                    f"{label:32}{name:30}{statistics.median(values):8.1f} frames/s   sightline is {ratio:5.2f}×",
                    flush=True,
                )


if __name__ == "__main__":
    main()
