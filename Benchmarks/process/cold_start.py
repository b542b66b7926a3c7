"""Process:ColdStart: from starting the process to its first result, Sightline beside the Python peer.

    python3 cold_start.py --sightline PATH --model MODEL [--task label] [--runs 30] PICTURE

Each round starts each program once, one after the other. The files are in the page cache after the first round,
which is not counted.
"""

import pathlib
import sys

import programs

PEERS = pathlib.Path(__file__).resolve().parents[1] / "peers"


def main() -> None:
    parser = programs.parser(__doc__)
    parser.add_argument("--task", choices=["label", "detect"], default="label")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("picture")
    options = parser.parse_args()
    sightline = [options.sightline, options.task, options.picture, "--model", options.model, "--format", "jsonl"]
    peer = [sys.executable, str(PEERS / "litert_pillow.py"), options.task, "--model", options.model]
    contenders = {"Sightline": (sightline, None), "LiteRT + Pillow": (peer, options.picture)}

    runs = {name: [] for name in contenders}
    for number in range(options.runs + 1):
        for name, (command, line) in contenders.items():
            run = programs.timed_run(command, line)
            if number > 0:
                runs[name].append(run)
    for name, taken in runs.items():
        for what, values in {
            "to first output": [run.first_output for run in taken],
            "to exit": [run.finished for run in taken],
            "processor time": [run.processor for run in taken],
        }.items():
            print(f"Process:ColdStart:{options.task}  {name:16}{what:16}ms: {programs.summary(values)}")


if __name__ == "__main__":
    main()
