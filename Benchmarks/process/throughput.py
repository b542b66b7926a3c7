"""Process:Throughput: pictures a second with one worker and with two.

    python3 throughput.py --sightline PATH --model MODEL [--task label] [--rounds 5] FOLDER

Every worker has one thread. Each round runs, one after the other, the whole folder with `--workers 1`, with
`--workers 2`, and as two processes at once with half of the pictures each: that is what the machine's two cores give at
best, since those share nothing.
Times are those of whole processes, start included.
"""

import pathlib
import statistics
import subprocess
import time

import programs


def seconds(commands: list[list[str]]) -> float:
    """The time until all of the programs, started together, have ended."""
    start = time.perf_counter()
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in commands]
    codes = [process.wait() for process in running]
    if any(codes):
        raise SystemExit(f"{' '.join(commands[0][:3])} … gave exit codes {codes}")
    return time.perf_counter() - start


def main() -> None:
    parser = programs.parser(__doc__)
    parser.add_argument("--task", choices=["label", "detect"], default="label")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    pictures = sorted(str(path) for path in options.folder.glob("*.jpg"))

    def command(inputs: list[str], workers: int) -> list[str]:
        return [
            options.sightline,
            options.task,
            *inputs,
            "--model",
            options.model,
            "--format",
            "jsonl",
            "--threads",
            "1",
            "--workers",
            str(workers),
        ]

    contenders = {
        "1 worker": [command(pictures, 1)],
        "2 workers": [command(pictures, 2)],
        "2 processes": [command(pictures[0::2], 1), command(pictures[1::2], 1)],
    }
    times = {name: [] for name in contenders}
    for number in range(options.rounds + 1):
        for name, commands in contenders.items():
            elapsed = seconds(commands)
            if number > 0:
                times[name].append(elapsed)
    for name, values in times.items():
        ratios = [one / other for one, other in zip(times["1 worker"], values)]
        print(
            f"Process:Throughput:{options.task}  {name:11}: {len(pictures) / statistics.median(values):6.1f}"
            f" pictures/s, {statistics.median(ratios):.2f}× one worker (rounds {min(ratios):.2f}…{max(ratios):.2f})"
        )


if __name__ == "__main__":
    main()
