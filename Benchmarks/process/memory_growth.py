"""Process:MemoryGrowth: resident memory over many pictures in one process.

    python3 memory_growth.py --sightline PATH --model MODEL [--task detect] [--pictures 10000] FOLDER

Feeds the pictures of the folder, over and over, to `sightline … --stdin`, and reads the process's resident memory
from /proc ten times on the way. The exit code is 1 where it grew by more than 2 MB after the first tenth.
"""

import json
import pathlib
import subprocess
import sys
import time

import programs

ALLOWED_GROWTH_KILOBYTES = 2000


def resident_kilobytes(process: int) -> int:
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise SystemExit("the process has no VmRSS")


def main() -> None:
    parser = programs.parser(__doc__)
    parser.add_argument("--task", choices=["label", "detect"], default="detect")
    parser.add_argument("--pictures", type=int, default=10_000)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    pictures = sorted(str(path) for path in options.folder.iterdir())
    process = subprocess.Popen(
        [options.sightline, options.task, "--stdin", "--model", options.model, "--format", "jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        bufsize=1,
    )
    samples, errors, start = [], 0, time.perf_counter()
    for number in range(1, options.pictures + 1):
        process.stdin.write(pictures[number % len(pictures)] + "\n")
        errors += "error" in json.loads(process.stdout.readline())
        if number % (options.pictures // 10) == 0:
            samples.append(resident_kilobytes(process.pid))
            print(f"Process:MemoryGrowth:{options.task}  {number:6} pictures: {samples[-1] / 1000:.1f} MB", flush=True)
    elapsed = time.perf_counter() - start
    process.stdin.close()
    process.wait()
    growth = samples[-1] - samples[0]
    print(
        f"Process:MemoryGrowth:{options.task}  {growth / 1000:+.2f} MB after the first tenth; "
        f"{options.pictures / elapsed:.0f} pictures/s, {errors} errors"
    )
    sys.exit(growth > ALLOWED_GROWTH_KILOBYTES)


if __name__ == "__main__":
    main()
