"""Video end to end, every frame through an SSD: Sightline beside OpenCV + LiteRT and an ffmpeg pipe + LiteRT.

    end_to_end.py --sightline PROGRAM --model MODEL [--rounds 3] [--cores 1,2] VIDEO …

Contenders take turns in each round, each as a process on the given cores. Without --processor-time, times are those of
the loop over the frames, without loading. With it, they are processor times without loading: a run over the first frame
alone shows what Sightline's start takes. Ratios are medians over rounds of frame rates within the same round.
"""

import argparse
import dataclasses
import pathlib
import re
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable

PEER = pathlib.Path(__file__).parent / "litert_video.py"


@dataclasses.dataclass
class Rate:
    """Frames a second of a run, by the clock and by processor time."""

    clock: float
    processor: float


def sightline(program: str, model: str, video: str, *more: str) -> Callable[[str], Rate]:
    def track(cores: str, *range: str) -> tuple[int, float, float]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        text = subprocess.run(
            ["taskset", "-c", cores, program, "track", video, "--model", model, "--format", "mot"]
            + ["--output", "/dev/null", *more, *range],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        count, rate = re.search(r"(\d+) frames?, ([\d.]+) frames/s", text).groups()
        return int(count), float(rate), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def run(cores: str) -> Rate:
        first, _, start = track(cores, "--to", "0:00.01")
        count, rate, seconds = track(cores)
        return Rate(rate, (count - first) / (seconds - start))

    return run


def peer(decoder: str, model: str, video: str, threads: int) -> Callable[[str], Rate]:
    def run(cores: str) -> Rate:
        text = subprocess.run(
            ["taskset", "-c", cores, sys.executable, PEER, decoder, video, "--model", model, "--threads", str(threads)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        count, seconds, processor_seconds, _ = text.split()
        return Rate(int(count) / float(seconds), int(count) / float(processor_seconds))

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sightline", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cores", default="1,2")
    parser.add_argument("--processor-time", action="store_true", help="for one core on a machine that does other work")
    parser.add_argument("videos", nargs="+")
    arguments = parser.parse_args()
    kinds = [["--no-optimize"], [], ["--no-optimize", "--every", "3"], ["--every", "3"]]
    for video in arguments.videos:
        for count in map(int, arguments.cores.split(",")):
            own = {
                " ".join(["sightline", *kind]): sightline(arguments.sightline, arguments.model, video, *kind)
                for kind in kinds
            }
            peers = {
                f"{decoder} + LiteRT, {threads} thread{'s' if threads > 1 else ''}": peer(
                    decoder, arguments.model, video, threads
                )
                for threads in sorted({1, count})
                for decoder in ("opencv", "ffmpeg")
            }
            rates = {name: [] for name in own | peers}
            for _ in range(arguments.rounds):
                for name, run in (own | peers).items():
                    rate = run(",".join(map(str, range(count))))
                    rates[name].append(rate.processor if arguments.processor_time else rate.clock)
            label = f"Video:COCOSSD:{pathlib.Path(video).stem}:{count}core{'s' if count > 1 else ''}"
            for name in own:
                print(f"{label:32}{name:34}{statistics.median(rates[name]):8.1f} frames/s", flush=True)
            for name in peers:
                ratios = (
                    statistics.median(a / b for a, b in zip(rates[mine], rates[name], strict=True)) for mine in own
                )
                print(
                    f"{label:32}{name:34}{statistics.median(rates[name]):8.1f} frames/s, the above are "
                    + " ".join(f"{ratio:.2f}×" for ratio in ratios),
                    flush=True,
                )


if __name__ == "__main__":
    main()
