#!/usr/bin/env python3
"""Measures `sightline serve` on loopback beside Python's servers and beside the command, in one run and in turns.

    python3 serve/serve.py --bin ../.build/release --model $models/coco_ssd/detect.tflite --pictures FOLDER
                           [--rounds 5] [--seconds 10] [--requests 100000]

Needs the LiteRT library, and for the peers `pip install -r requirements-serve.txt`; a peer that is not installed is
left out. Python's servers have two processes, all have the same model and JPEG files. The rows:

Serve:Start            from exec to the first answer to a picture
Serve:Rate             answers a second over 16 connections; the command with --workers 2 on the same files; the peers
Serve:Latency:70       at 70 % of the own rate of the round, pictures at a steady pace: median and 99th percentile
Serve:Memory           resident memory after a tenth of --requests, and after all of them
"""

import argparse
import asyncio
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import load

HERE = pathlib.Path(__file__).resolve().parent
CONNECTIONS = 16


class Server:
    """A server with a port, ready to answer."""

    def __init__(self, name: str, words: list[str], port: int, variables: dict[str, str], picture: bytes) -> None:
        self.name, self.port = name, port
        self.takes_forms = name == "litserve"
        picture = self.body(picture)
        start = time.perf_counter()
        self.process = subprocess.Popen(
            words,
            cwd=HERE,
            env={**os.environ, **variables},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while True:
            try:
                if asyncio.run(load.Connection(port).ask(picture)) == 200:
                    break
            except (OSError, asyncio.IncompleteReadError):
                pass
            if self.process.poll() is not None or time.perf_counter() - start > 60:
                self.stop()
                raise RuntimeError(f"{name} does not answer")
            time.sleep(0.002)
        self.start_milliseconds = (time.perf_counter() - start) * 1000

    def body(self, picture: bytes) -> bytes:
        """The body of a request with a picture."""
        return load.form(picture) if self.takes_forms else picture

    def stop(self) -> None:
        """Ends the server and its workers."""
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(timeout=20)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            self.process.kill()

    def memory(self) -> float:
        """Megabytes of resident memory of the process itself."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1000


def servers(options: argparse.Namespace, picture: bytes) -> list[Server]:
    model = str(options.model.resolve())
    candidates = [
        (
            "sightline",
            [f"{options.bin}/sightline-serve", "--port", "8101", "--model", model],
            8101,
            {},
        ),
        (
            "fastapi",
            [
                sys.executable,
                "-m",
                "uvicorn",
                "fastapi_peer:app",
                "--port",
                "8102",
                "--workers",
                "2",
                "--no-access-log",
            ],
            8102,
            {"MODEL": model},
        ),
        ("litserve", [sys.executable, "litserve_peer.py"], 8103, {"MODEL": model, "PORT": "8103", "WORKERS": "2"}),
    ]
    found = []
    for name, words, port, variables in candidates:
        try:
            found.append(Server(name, words, port, variables, picture))
            print(f"Serve:Start:{name:10} {found[-1].start_milliseconds:7.0f} ms", flush=True)
        except RuntimeError as error:
            print(f"left out: {error}", flush=True)
    return found


def command_rate(options: argparse.Namespace, files: list[pathlib.Path], seconds: float) -> float:
    """Pictures a second of `sightline detect --workers 2`, the start of the process left out."""

    def run(count: int) -> float:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
            names.write("\n".join(str(files[number % len(files)]) for number in range(count)))
            names.flush()
            start = time.perf_counter()
            with open(names.name) as stdin:
                subprocess.run(
                    [f"{options.bin}/sightline", "detect", "--stdin", "--model", options.model, "--format", "jsonl"]
                    + ["--workers", "2", "--threads", "1"],
                    stdin=stdin,
                    stdout=subprocess.DEVNULL,
                    check=True,
                )
            return time.perf_counter() - start

    few, many = len(files), len(files) * max(int(seconds * 20 / len(files)), 4)
    return (many - few) / (run(many) - run(few))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--pictures", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--requests", type=int, default=0)
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    files = sorted(options.pictures.resolve().glob("*.jpg"))[:40]
    pictures = [file.read_bytes() for file in files]
    print(f"{len(files)} pictures of {statistics.mean(map(len, pictures)) / 1000:.0f} kB")
    running = servers(options, pictures[0])
    rates: dict[str, list[float]] = {}
    latencies: dict[str, list[tuple[float, float]]] = {}
    try:
        for number in range(options.rounds):
            rates.setdefault("command", []).append(command_rate(options, files, options.seconds))
            for server in running:
                bodies = [server.body(picture) for picture in pictures]
                found = asyncio.run(load.for_seconds(server.port, bodies, CONNECTIONS, options.seconds))
                assert set(found.statuses) == {200}, (server.name, found.statuses)
                rates.setdefault(server.name, []).append(found.rate)
                steady = asyncio.run(load.open_loop(server.port, bodies, found.rate * 0.7, options.seconds))
                latencies.setdefault(server.name, []).append((steady.percentile(0.5), steady.percentile(0.99)))
            print(
                f"round {number + 1}: " + ", ".join(f"{name} {values[-1]:.1f}/s" for name, values in rates.items()),
                flush=True,
            )
        for name, values in rates.items():
            ratio = statistics.median(rates["sightline"][i] / values[i] for i in range(len(values)))
            print(
                f"Serve:Rate:{name:10} {statistics.median(values):7.1f}/s   sightline serve is {ratio:.2f} times that"
            )
        for name, pairs in latencies.items():
            median, latest = (statistics.median(pair[index] for pair in pairs) for index in (0, 1))
            ratio = statistics.median(pair[1] / pair[0] for pair in pairs)
            print(f"Serve:Latency:70:{name:10} p50 {median:.1f} ms, p99 {latest:.1f} ms, ratio {ratio:.2f}")
        if options.requests:
            server = running[0]
            tenth = options.requests // 10
            asyncio.run(load.closed(server.port, pictures, CONNECTIONS, lambda sent: sent < tenth))
            early = server.memory()
            asyncio.run(load.closed(server.port, pictures, CONNECTIONS, lambda sent: sent < 9 * tenth))
            late = server.memory()
            growth = f"{early:.1f} MB after {tenth}, {late:.1f} MB after {options.requests}: {late / early - 1:+.1%}"
            print(f"Serve:Memory {growth}")
    finally:
        for server in running:
            server.stop()


if __name__ == "__main__":
    main()
