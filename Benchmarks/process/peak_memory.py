"""Process:PeakMemory: the high-water mark of resident memory, over that of the runtime and the model alone.

    python3 peak_memory.py --sightline PATH --raw-invoke PATH --model MODEL [--task label] PICTURE…

The base is `raw-invoke MODEL`: it loads the runtime and the model and invokes it once on zeros.
"""

import pathlib
import statistics
import sys

import programs

RUNS = 5
MEGABYTE = 1_000_000
PEERS = pathlib.Path(__file__).resolve().parents[1] / "peers"


def peak(command: list[str], line: str | None = None) -> float:
    """The median high-water mark in megabytes (of 10⁶ bytes)."""
    return statistics.median(programs.timed_run(command, line).peak_memory for _ in range(RUNS)) / MEGABYTE


def main() -> None:
    parser = programs.parser(__doc__)
    parser.add_argument("--raw-invoke", required=True)
    parser.add_argument("--task", choices=["label", "detect"], default="label")
    parser.add_argument("pictures", nargs="+", metavar="PICTURE")
    options = parser.parse_args()
    base = peak([options.raw_invoke, options.model])
    print(f"Process:PeakMemory:{options.task}  runtime and model alone: {base:.1f} MB")
    for picture in options.pictures:
        name = pathlib.Path(picture).name
        ours = peak([options.sightline, options.task, picture, "--model", options.model, "--format", "jsonl"])
        peer = peak([sys.executable, str(PEERS / "litert_pillow.py"), options.task, "--model", options.model], picture)
        print(
            f"Process:PeakMemory:{options.task}  {name}: Sightline {ours:.1f} MB ({ours - base:+.1f} MB over the base),"
            f" LiteRT + Pillow {peer:.1f} MB"
        )


if __name__ == "__main__":
    main()
