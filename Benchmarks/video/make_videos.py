"""Makes the videos of the video benchmarks: a real video scaled to 720p and 1080p, H.264 as cameras write it.

    make_videos.py SOURCE OUT [--seconds 40]

Needs the ffmpeg program. The source is looped until the videos are long enough.
"""

import argparse
import pathlib
import subprocess

SIZES = {"720p": (1280, 720), "1080p": (1920, 1080)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=40)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, (width, height) in SIZES.items():
        target = arguments.out / f"{name}.mp4"
        subprocess.run(
            ["ffmpeg", "-loglevel", "error", "-y", "-stream_loop", "-1", "-i", arguments.source]
            + ["-t", str(arguments.seconds), "-vf", f"scale={width}:{height}:flags=bicubic", "-an"]
            + ["-c:v", "libx264", "-preset", "medium", "-crf", "23", "-pix_fmt", "yuv420p", target],
            check=True,
        )
        print(target)


if __name__ == "__main__":
    main()
