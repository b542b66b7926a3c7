"""Kills cameras, a broker of MQTT and `sightline watch` (kill -9) at random moments, and checks that each event in the
watch's file reached a subscriber, that the file has each once, and that no camera is late or lost permanently.

    Scripts/tools kill watch --kills 20 --model MODEL VIDEO… [--seed 1] [--executable .build/release/sightline]

The videos are played as RTSP cameras (see sightline_tools/cameras.py for what that needs). Prints a line for every ten
kills; with --quiet-minutes, the delays and the memory of a time without kills come first.
"""

import argparse
import functools
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..cameras import Cameras
from ..mqtt import Broker, Subscriber
from ..places import add_executable, free_port, temporary_folder
from ..watches import Watch, is_more, problems, wait


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("videos", nargs="+", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--model", required=True, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--quiet-minutes", type=float, default=0, help="watch for so long first, without kills")
    parser.add_argument("--seed", type=int, default=1)
    add_executable(parser, "sightline")
    arguments = parser.parse_args(words)
    source = random.Random(arguments.seed)
    with temporary_folder("watch", is_shared=True) as folder:
        broker = Broker(free_port(), folder)
        broker.start()
        subscriber = Subscriber(broker.port, "watch/+/events")
        cameras = Cameras(free_port(), arguments.videos)
        cameras.start()
        watch = Watch(str(Path(arguments.executable).resolve()), folder, cameras, broker, arguments.model)
        watch.start()
        try:
            wait(lambda: len(subscriber.messages) >= 4, "the first events")
            if arguments.quiet_minutes:
                measure(watch, arguments.quiet_minutes)
            for kill in range(3 * arguments.kills):
                count = len(subscriber.messages)
                time.sleep(source.uniform(0.5, 3))
                if kill % 3 == 0:
                    cameras.kill()
                    time.sleep(source.uniform(0, 2))
                    cameras.start()
                elif kill % 3 == 1:
                    broker.kill()
                    time.sleep(source.uniform(0, 2))
                    before = subscriber.connections
                    broker.start()
                    wait(functools.partial(is_more, lambda: subscriber.connections, before), "the subscriber")
                else:
                    watch.kill()
                    watch.start()
                    wait(functools.partial(is_more, lambda: len(subscriber.messages), count), "events after a kill")
                if (kill + 1) % 10 == 0:
                    in_file, received = len(watch.events()), len(subscriber.messages)
                    print(f"{kill + 1} kills: {in_file} events in the file, {received} received", flush=True)
            # All cameras must reconnect automatically.
            wait(lambda: all(value == 1 for name, value in watch.metrics.items() if "camera_up" in name), "all cameras")
            code = watch.finish()
            if code != 143:
                sys.exit(f"the watch ended with {code}; {folder / 'watch.log'} has its words")
            uids = [str(event["uid"]) for event in watch.events()]
            wait(lambda: set(uids) <= {m.json["uid"] for m in subscriber.messages}, "the last events", 20)
        finally:
            if watch.process:
                watch.process.kill()
            cameras.kill()
            subscriber.stop()
            broker.kill()
        seen = [str(message.json["uid"]) for message in subscriber.messages]
        if found := problems(uids, seen):
            sys.exit("; ".join(found))
        repeated = len(seen) - len(set(seen))
        print(
            f"{arguments.kills} kills of the cameras, of the broker and of the watch each: {len(uids)} events, none "
            f"lost, each once in the file; the subscriber got {repeated} again, with the same id."
        )


def measure(watch: Watch, minutes: float) -> None:
    """Prints the delays of frames and the growth of memory over some minutes."""
    time.sleep(60)
    first, before = watch.kilobytes, watch.metrics
    time.sleep(minutes * 60)
    last, after = watch.kilobytes, watch.metrics
    print(f"memory {first} → {last} kB ({100 * (last - first) / first:+.1f} %)")
    for number in range(256):
        name = f'sightline_camera_frames_total{{camera="camera{number}"}}'
        if name not in after:
            break
        frames = after[name] - before.get(name, 0)
        late = {
            seconds: after[key] - before.get(key, 0)
            for seconds in ("0.1", "0.25", "0.5", "1.0")
            if (key := f'sightline_camera_late_frames_total{{camera="camera{number}",seconds="{seconds}"}}') in after
        }
        shares = ", ".join(
            f"{100 * count / max(frames, 1):.2f} % later than {seconds} s" for seconds, count in late.items()
        )
        print(f"camera{number}: {frames:.0f} frames, {shares}")
