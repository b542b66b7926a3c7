#!/usr/bin/env python3
"""Answers as `sightline detect --stdin-format frames` does, and does to itself what a picture says.

A picture's bytes are its width. CRASH ends the process by a signal, EXIT by an exit code, ONCE FILE by a signal unless
the file exists, HANG never answers, WAIT FILE answers when the file exists, LIE answers for another picture, NOISE
fills standard error, SAY TEXT ends the process after a line there. An address is its own content.
"""

import json
import os
import pathlib
import signal
import sys
import time

VERSION = "9.9.9"


def answer(name, content):
    times = {"decoding": 1.5, "preprocessing": 1.0, "inference": 1.0, "postprocessing": 1.0, "total": 4.5}
    if content == b"":
        return {"image": name, "error": "The picture has no bytes: check that the file was written completely."}
    if content.startswith(b"BAD"):
        return {"image": name, "error": "This is not a picture."}
    label = {"text": "cup", "index": 3, "confidence": 0.9}
    found = {
        "frame": {"x": 1.0, "y": 2.0, "width": 3.5, "height": 4.0},
        "confidence": 0.5,
        "classIndex": 7,
        "labels": [label],
    }
    findings = {"labels": [label]} if sys.argv[1] == "label" else {"objects": [found]}
    return {"image": name, "width": len(content), "height": 1, **findings, "milliseconds": times}


def stills():
    while header := sys.stdin.buffer.readline():
        size, _, name = header.rstrip(b"\n").partition(b" ")
        content = size if size.startswith(b"@") else sys.stdin.buffer.read(int(size))
        words = content.split(b" ", 1)
        if words[0] == b"CRASH":
            os.kill(os.getpid(), signal.SIGSEGV)
        if words[0] == b"EXIT":
            sys.exit(3)
        if words[0] == b"ONCE" and not os.path.exists(words[1]):
            pathlib.Path(words[1].decode()).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if words[0] == b"HANG":
            time.sleep(1000)
        while words[0] == b"WAIT" and not os.path.exists(words[1]):
            time.sleep(0.001)
        if words[0] == b"SAY":
            print("INFO: before", words[1].decode(), "INFO: after", sep="\n", file=sys.stderr)
            sys.exit(3)
        if words[0] == b"NOISE":
            sys.stderr.write("noise\n" * 100_000)
        text = "somebody else" if words[0] == b"LIE" else name.decode()
        print(json.dumps(answer(text, content), separators=(",", ":"), ensure_ascii=False), flush=True)


def video(path):
    words = pathlib.Path(path).read_text().split()
    if words[0] == "CRASH":
        os.kill(os.getpid(), signal.SIGSEGV)
    if words[0] == "HANG":
        time.sleep(1000)
    if words[0] == "BAD":
        print(f"error: {path} has no video.", file=sys.stderr)
        sys.exit(2)
    for index in range(int(words[1])):
        found = answer("", b"x")["objects"][0] if words[0] == "TRACKS" else None
        objects = [{"id": 1, **found, "detected": True, "firstSeen": 0.0, "age": index / 10}] if found else []
        frame = {"index": index, "time": index / 10, "width": 64, "height": 48, "detected": True, "dropped": 0}
        print(json.dumps({**frame, "objects": objects, "milliseconds": {"total": 1.0}}), flush=True)
    if words[-1] == "CUT":
        print(f"error: {path} is cut off after frame {words[1]}.", file=sys.stderr)
        sys.exit(1)


def main():
    if "--version" in sys.argv:
        print(VERSION)
    elif any(word.endswith("missing.tflite") for word in sys.argv):
        print("error: there is no model missing.tflite.", file=sys.stderr)
        sys.exit(2)
    elif sys.argv[1] == "track":
        video(sys.argv[-1] if "--" in sys.argv else sys.argv[2])
    else:
        stills()


if __name__ == "__main__":
    main()
