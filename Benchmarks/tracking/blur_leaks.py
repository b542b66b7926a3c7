"""Track:Blur: how much of the objects a blurred video shows.

    python3 tracking/blur_leaks.py --sightline PROGRAM --model FILE [--threshold 0.5] [--offline] SEQUENCES…

Each of the SEQUENCES has img1/, gt/gt.txt and seqinfo.ini. The command writes the blurred frames without loss, and
once more without any drawing. A pixel is shown if it and its eight neighbors are the same in both.

An object counts if the command finds it: a result and the truth overlap by an IoU of at least 0.5 in some frame. Its
pixels are those of its true box, from half a second before the first such frame to half a second after the last one, so
far as the truth has it then. `all` counts every frame of these objects. `rest` is what remains visible of the picture
outside of all true boxes: the price.
"""

import argparse
import configparser
import pathlib
import subprocess
import tempfile

import numpy as np
from PIL import Image
from same_id import matches, rows


def picture(path: pathlib.Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB"))


def shown(plain: np.ndarray, blurred: np.ndarray) -> np.ndarray:
    """The pixels that are the same as their neighbors are."""
    same = np.pad((plain == blurred).all(axis=2), 1, mode="edge")
    height, width = plain.shape[:2]
    return np.logical_and.reduce([same[y : y + height, x : x + width] for y in range(3) for x in range(3)])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sightline", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--threshold", default="0.5")
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("sequences", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    options = ["--offline"] if arguments.offline else []
    sums = {name: np.zeros(2, dtype=int) for name in ("window", "all", "rest")}
    for sequence in arguments.sequences:
        settings = configparser.ConfigParser()
        settings.read(sequence / "seqinfo.ini")
        reach = round(float(settings["Sequence"]["frameRate"]) / 2)
        truth = rows(sequence / "gt/gt.txt")
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            command = [
                *(
                    arguments.sightline,
                    "track",
                    str(sequence / "img1"),
                    "--model",
                    arguments.model,
                    "--allow",
                    "person",
                ),
                *("--threshold", arguments.threshold, "--format", "mot", *options),
            ]
            for name, drawing in (("plain", ["--draw", "zone"]), ("blurred", ["--blur"])):
                (folder / name).mkdir()
                place = ["--annotate", str(folder / name / "%06d.png"), "--output", str(folder / f"{name}.txt")]
                subprocess.run(command + place + drawing, check=True, capture_output=True)
            found = matches(truth, rows(folder / "blurred.txt"))
            windows = {}
            for identity, frames in found.items():
                seen = [frame for frame, row in frames.items() if row >= 0]
                if seen:
                    windows[identity] = (min(seen) - reach, max(seen) + reach)
            counts = {name: np.zeros(2, dtype=int) for name in sums}
            for number in np.unique(truth[:, 0]):
                plain = picture(folder / "plain" / f"{int(number):06d}.png")
                visible = shown(plain, picture(folder / "blurred" / f"{int(number):06d}.png"))
                for name, count in counts.items():
                    mask = np.zeros(visible.shape, dtype=bool)
                    for row in truth[truth[:, 0] == number]:
                        first, last = windows.get(int(row[1]), (1, 0))
                        if name != "rest" and (first > last or (name == "window" and not first <= number <= last)):
                            continue
                        left, top = max(round(row[2]), 0), max(round(row[3]), 0)
                        mask[top : max(round(row[3] + row[5]), 0), left : max(round(row[2] + row[4]), 0)] = True
                    if name == "rest":
                        mask = ~mask
                    count += (int((visible & mask).sum()), int(mask.sum()))
        for name, count in counts.items():
            sums[name] += count
        text = ", ".join(f"{name} {100 * c[0] / max(c[1], 1):.3f} % of {c[1]}" for name, c in counts.items())
        print(f"{sequence.name}: {len(windows)} of {len(found)} objects found; {text}")
    print("sum:", ", ".join(f"{name} {100 * c[0] / max(c[1], 1):.3f} %" for name, c in sums.items()))


if __name__ == "__main__":
    main()
