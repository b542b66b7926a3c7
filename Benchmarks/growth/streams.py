"""Growth of videos and cameras: objects, frames, zones, rules, cameras."""

import json

import material
from bench import BLOCK_DETECTOR, Bench, Row
from costs import MOST_OF_PAIRS, Cost, Word, of_program

FRAMES = 100


def tracking(bench: Bench, objects: int, side: float, frame_count: int, *words: str) -> Cost:
    file = bench.folder / f"{objects}-{side:.0f}.txt"
    if not file.exists():
        material.detections(file, frame_count, objects, side)
    return of_program([bench.sightline, "track", "--detections", file, *words])


def objects(bench: Bench, count: int) -> dict[str, Cost]:
    return {
        "equally dense": tracking(bench, count, 60 * count**0.5, 40),
        # Each object touches a twelfth of the others.
        "all in 200 × 200 pixels": tracking(bench, count, 200, 40).may(MOST_OF_PAIRS),
    }


def frames(bench: Bench, count: int) -> dict[str, Cost]:
    return {
        "track": tracking(bench, 20, 1000, count),
        "--offline": tracking(bench, 20, 1000, count, "--offline"),
    }


def rectangle(number: int) -> str:
    """A zone in a frame of blocks."""
    left, top = number * 7 % 48, number * 11 % 48
    return f"{left},{top} {left + 16},{top} {left + 16},{top + 16} {left},{top + 16}"


def line(number: int) -> str:
    left = number * 5 % 60 + 2
    return f"{left},0,{left},64"


def zones(bench: Bench, count: int) -> dict[str, Cost]:
    video = material.frames(bench.folder / "frames", FRAMES)
    words = [word for number in range(count) for word in ("--zone", f"z{number}={rectangle(number)}")]
    fixed: list[Word] = ["--model", BLOCK_DETECTOR, "--threshold", "0.8", "--no-optimize", "--format", "jsonl"]
    return {"track": of_program([bench.sightline, "track", video, *fixed, *words])}


def watching(bench: Bench, cameras: int, rules: int) -> list[str]:
    """The command that watches cameras, each with some rules, which are halves lines and zones."""
    video = material.frames(bench.folder / "frames", FRAMES)
    lines = {f"l{number}": line(number) for number in range(rules // 2)}
    zones = {f"z{number}": rectangle(number) for number in range(rules - rules // 2)}
    # JSON is YAML, too.
    file = {
        "defaults": {"model": str(BLOCK_DETECTOR), "threshold": 0.8, "optimize": False},
        "events": str(bench.folder / "events.jsonl"),
        "cameras": {
            f"c{number}": {
                "input": str(video),
                "line": lines,
                "zone": zones,
                "counts": str(bench.folder / f"{number}.csv"),
            }
            for number in range(cameras)
        },
    }
    path = bench.folder / "cameras.yaml"
    path.write_text(json.dumps(file, indent=1))
    return [str(bench.sightline), "watch", str(path)]


def rules(bench: Bench, count: int) -> dict[str, Cost]:
    command = watching(bench, 1, count)
    return {"watch --check": of_program([*command, "--check"]), "watch": of_program(command)}


def cameras(bench: Bench, count: int) -> dict[str, Cost]:
    return {"watch": of_program(watching(bench, count, 2))}


ROWS = [
    Row("objects", "objects in a frame", (10, 100, 1000, 3000), (10, 100, 300), objects),
    Row("frames", "frames of 20 objects", (1000, 10_000, 60_000), (100, 1000), frames),
    Row("zones", "zones", (10, 100, 1000), (10, 100), zones),
    Row("rules", "rules of a camera", (10, 100, 500), (10, 100), rules),
    Row("cameras", "cameras", (1, 4, 16, 32), (1, 4), cameras),
]
