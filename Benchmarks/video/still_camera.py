"""Still cameras: what `sightline track --motion` costs of `track`, and what it misses.

    still_camera.py --sightline PROGRAM --model MODEL --photo PHOTO --object PHOTO --out FOLDER [VIDEO …]

Makes scenes of 1080p from the photo, as cameras write them (H.264 without bidirectional frames, 4 Mbit/s): still with a
sensor's noise by day and by night, and with an object that comes in, stands still and leaves. Needs the ffmpeg program.
Each scene, and each video that is named, is tracked on one thread with and without --motion. Printed are the processor
time of both, without the start of the program, the time of FFmpeg's decoder alone, the frames on which the detector
ran, the number of identities, and the boxes of the run without --motion that the run with it lacks (no box with an IoU
of 0.5).
"""

import argparse
import json
import pathlib
import resource
import subprocess

CAMERA = ["-c:v", "libx264", "-preset", "veryfast", "-bf", "0", "-g", "50", "-b:v", "4M", "-maxrate", "4M"]
CAMERA += ["-bufsize", "4M", "-pix_fmt", "yuv420p", "-an"]
RATE = 25


def ffmpeg(*arguments: str | pathlib.Path) -> None:
    subprocess.run(["ffmpeg", "-v", "error", "-y", *arguments], check=True)


def make_scenes(photo: pathlib.Path, thing: pathlib.Path, out: pathlib.Path, seconds: int) -> list[pathlib.Path]:
    """Writes the scenes and returns their paths."""
    out.mkdir(parents=True, exist_ok=True)
    still = "scale=1920:1080:force_original_aspect_ratio=increase,crop=1920:1080,setsar=1"
    noise = "noise=all_seed=1:all_strength={}:all_flags=t"
    whole: list[str | pathlib.Path] = ["-loop", "1", "-framerate", str(RATE), "-t", str(seconds), "-i", photo]
    scenes = []
    for name, strength in [("noise", 8), ("night", 20)]:
        scenes.append(out / f"{name}.mp4")
        ffmpeg(*whole, "-vf", f"{still},{noise.format(strength)}", *CAMERA, scenes[-1])
    # The object comes in from the left, stands from half of the time on, and leaves to the right after three quarters.
    quarter = seconds / 4
    (come, go) = (f"-500+1000*(t/{quarter}-1)", f"500+1500*(t/{quarter}-3)")
    way = f"if(lt(t,{quarter}),-500,if(lt(t,{2 * quarter}),{come},if(lt(t,{3 * quarter}),500,{go})))"
    scenes.append(out / "visitor.mp4")
    ffmpeg(
        *whole, "-loop", "1", "-framerate", str(RATE), "-t", str(seconds), "-i", thing, "-filter_complex",
        f"[0:v]{still}[b];[1:v]scale=480:-2[o];[b][o]overlay=x='{way}':y=500,{noise.format(8)}",
        *CAMERA, scenes[-1],
    )  # fmt: skip
    return scenes


def processor_time(command: list[str | pathlib.Path]) -> tuple[float, str]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, output


def iou(a: dict[str, float], b: dict[str, float]) -> float:
    width = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
    height = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
    if width <= 0 or height <= 0:
        return 0
    common = width * height
    return common / (a["width"] * a["height"] + b["width"] * b["height"] - common)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sightline", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--photo", type=pathlib.Path, required=True)
    parser.add_argument("--object", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("videos", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    track = [arguments.sightline, "track", "--model", arguments.model, "--threads", "1", "--workers", "1"]
    track += ["--format", "jsonl"]
    for video in make_scenes(arguments.photo, arguments.object, arguments.out, arguments.seconds) + arguments.videos:
        start, _ = processor_time([*track, video, "--to", "0:00.01"])
        decoding, _ = processor_time(["ffmpeg", "-v", "error", "-threads", "1", "-i", video, "-f", "null", "-"])
        runs = []
        for options in ([], ["--motion"], ["--motion", "--camera", "fixed"]):
            seconds, output = processor_time([*track, video, *options])
            runs.append((seconds - start, [json.loads(line) for line in output.splitlines()]))
        (all_seconds, frames), (motion_seconds, resting), (fixed_seconds, _) = runs
        lacking = boxes = 0
        for full, sparse in zip(frames, resting, strict=True):
            for thing in full["objects"]:
                boxes += 1
                lacking += all(iou(thing["frame"], other["frame"]) < 0.5 for other in sparse["objects"])
        identities = [len({thing["id"] for frame in run for thing in frame["objects"]}) for run in (frames, resting)]
        print(
            f"Video:StillCamera:{video.stem:24} {all_seconds:6.2f} s, --motion {motion_seconds / all_seconds:.3f}, "
            f"with --camera fixed {fixed_seconds / all_seconds:.3f}, decoding {decoding / all_seconds:.3f}; "
            f"detector on {sum(frame['detected'] for frame in resting)} of {len(resting)} frames; "
            f"identities {identities[0]} and {identities[1]}; lacking {lacking} of {boxes} boxes",
            flush=True,
        )


if __name__ == "__main__":
    main()
