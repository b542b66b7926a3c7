#!/usr/bin/env python3
"""Measures `sightline serve --shadow` beside the same server without a shadow, in one run and in turns.

    python3 serve/shadow.py --bin ../.build/release --model MODEL --shadow OTHER --pictures FOLDER
                            [--sample 5%] [--rounds 10] [--seconds 10] [--load 0.7]

The client and both servers share the machine; only one server has work at a time. The rows:

Shadow:Rate      answers a second over 16 connections
Shadow:Latency   at a share (--load) of the rate of the server without a shadow: median and 99th percentile over all
                 rounds, and the ratio with a shadow to without
Shadow:Requests  the drawn requests, by outcome
"""

import argparse
import asyncio
import json
import pathlib
import random
import statistics
import urllib.request

import load
from serve import CONNECTIONS, Server


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def interval(pairs: list[tuple[list[float], list[float]]], share: float) -> tuple[float, float]:
    """The 95 % interval of the ratio of percentiles, by drawing rounds again."""
    drawn = random.Random(1)
    ratios = []
    for _ in range(1000):
        rounds = [drawn.choice(pairs) for _ in pairs]
        without, with_shadow = ([value for pair in rounds for value in pair[index]] for index in (0, 1))
        ratios.append(percentile(with_shadow, share) / percentile(without, share))
    return percentile(ratios, 0.025), percentile(ratios, 0.975)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--shadow", type=pathlib.Path, required=True)
    parser.add_argument("--pictures", type=pathlib.Path, required=True)
    parser.add_argument("--sample", default="5%")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--load", type=float, default=0.7)
    options = parser.parse_args()
    pictures = [file.read_bytes() for file in sorted(options.pictures.resolve().glob("*.jpg"))[:40]]
    words = [f"{options.bin.resolve()}/sightline-serve", "--model", str(options.model.resolve())]
    shadow = ["--shadow", str(options.shadow.resolve()), "--sample", options.sample]
    servers = [
        Server("without", [*words, "--port", "8111"], 8111, {}, pictures[0]),
        Server("with", [*words, "--port", "8112", *shadow], 8112, {}, pictures[0]),
    ]
    try:
        rates: list[list[float]] = [[], []]
        pairs: list[tuple[list[float], list[float]]] = []
        for number in range(options.rounds):
            steady: list[list[float]] = [[], []]
            # The first of a round changes, so that what grows or cools favors neither.
            order = [0, 1] if number % 2 == 0 else [1, 0]
            for index in order:
                found = asyncio.run(load.for_seconds(servers[index].port, pictures, CONNECTIONS, options.seconds / 2))
                rates[index].append(found.rate)
            rate = statistics.median(rates[0]) * options.load
            for index in order:
                found = asyncio.run(load.open_loop(servers[index].port, pictures, rate, options.seconds))
                assert set(found.statuses) == {200}, found.statuses
                steady[index] = found.milliseconds
            pairs.append((steady[0], steady[1]))
            print(
                f"round {number + 1}: {rate:.0f}/s, p99 {percentile(steady[0], 0.99):.1f} ms without, "
                f"{percentile(steady[1], 0.99):.1f} ms with a shadow",
                flush=True,
            )
        ratio = statistics.median(with_shadow / without for without, with_shadow in zip(*rates, strict=True))
        print(
            f"Shadow:Rate {statistics.median(rates[0]):.1f}/s without, {statistics.median(rates[1]):.1f}/s with, "
            f"ratio {ratio:.3f}"
        )
        for share in (0.5, 0.99):
            without, with_shadow = ([value for pair in pairs for value in pair[index]] for index in (0, 1))
            first, second = percentile(without, share), percentile(with_shadow, share)
            low, high = interval(pairs, share)
            print(
                f"Shadow:Latency:p{share * 100:.0f} {first:.2f} ms without, {second:.2f} ms with, "
                f"ratio {second / first:.3f} ({low:.3f}–{high:.3f}) of {len(without)} requests"
            )
        with urllib.request.urlopen("http://127.0.0.1:8112/v1/shadows") as answer:
            print(f"Shadow:Requests {json.load(answer)['shadows'][0]['requests']}")
    finally:
        for server in servers:
            server.stop()


if __name__ == "__main__":
    main()
