#!/usr/bin/env python3
"""Compares a server of answers with an earlier one, in turns, so that small losses do not add up unseen.

    python3 serve/earlier.py --serve ../.build/release/sightline-serve --earlier PROGRAM --model MODEL --pictures FOLDER
                             [--rounds 6] [--seconds 5] [--load 0.7]

The client and both servers share the machine; only one server has work at a time. The rows have a column for both
programs, with the ratio to the earlier one:

Start      from exec to the first answer to a picture, in milliseconds
Rate       answers a second over 16 connections
Processor  milliseconds of processor time for an answer, which depends little on what else the machine does
p50, p99   milliseconds, at a share (--load) of the earlier program's rate
"""

import argparse
import asyncio
import os
import pathlib
import statistics

import load
from serve import CONNECTIONS, Server


def processor_seconds(server: Server) -> float:
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(server: Server, pictures: list[bytes], seconds: float) -> tuple[float, float]:
    """The answers a second, and the processor time of each in milliseconds."""
    before = processor_seconds(server)
    found = asyncio.run(load.for_seconds(server.port, pictures, CONNECTIONS, seconds))
    assert set(found.statuses) == {200}, found.statuses
    return found.rate, (processor_seconds(server) - before) * 1000 / len(found.milliseconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", type=pathlib.Path, required=True)
    parser.add_argument("--earlier", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--pictures", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--load", type=float, default=0.7)
    options = parser.parse_args()
    pictures = [file.read_bytes() for file in sorted(options.pictures.resolve().glob("*.jpg"))[:40]]
    values: list[dict[str, list[float]]] = [{}, {}]
    for number in range(options.rounds):
        servers = []
        try:
            for index, program in enumerate([options.earlier, options.serve]):
                words = [str(program.resolve()), "--model", str(options.model.resolve()), "--port", str(8113 + index)]
                servers.append(Server(str(program), words, 8113 + index, {}, pictures[0]))
                values[index].setdefault("Start", []).append(servers[index].start_milliseconds)
            # Each goes first as often as the other.
            order = [0, 1] if number % 2 == 0 else [1, 0]
            for index in order:
                rate, cost = measure(servers[index], pictures, options.seconds)
                values[index].setdefault("Rate", []).append(rate)
                values[index].setdefault("Processor", []).append(cost)
            pace = statistics.median(values[0]["Rate"]) * options.load
            for index in order:
                found = asyncio.run(load.open_loop(servers[index].port, pictures, pace, options.seconds))
                assert set(found.statuses) == {200}, found.statuses
                for share in (0.5, 0.99):
                    values[index].setdefault(f"p{share * 100:.0f}", []).append(found.percentile(share))
        finally:
            for server in servers:
                server.stop()
    for row in values[0]:
        medians = [statistics.median(each[row]) for each in values]
        ratio = statistics.median(now / before for before, now in zip(values[0][row], values[1][row], strict=True))
        print(f"{row:10} {medians[0]:8.2f}  {medians[1]:8.2f} ({ratio:.3f} x)")


if __name__ == "__main__":
    main()
