"""The command sightline-spark."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from sightline.errors import SightlineError

from .errors import InputError, ModelError
from .job import ARCHIVE, Cluster, run
from .models import Hub, Model, current_sha256
from .progress import duration
from .storage import Storage, absolute, separated
from .work import Settings

SUCCESS, INCOMPLETE, FAILURE, USAGE = 0, 1, 2, 64
EPILOG = """\
INPUT is a folder, a quoted pattern, a list of files (.txt, .lst or @FILE, a path on each line), or an archive of
pictures (.zip, .tar, .tar.gz); on a disk that all machines share, in S3 (s3://BUCKET/FOLDER?endpoint=URL&region=NAME)
or in HDFS. Folders may also hold archives.

OUTPUT becomes a Parquet table with a folder for each chunk. The same command again does the missing work.
Options of sightline come behind --, for example: -- --threshold 0.4.

Exit codes: 0 every picture has a result, or with --keep-going a result or an error; 1 some pictures failed; 2 the job
could not be done; 64 the command line is wrong; 130 or 143 a signal stopped the job. Then, the same command continues.
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are a sentence, with sightline's exit code."""

    def error(self, message: str) -> NoReturn:
        """Ends the command."""
        sys.stderr.write(f"error: {message}; see {self.prog} --help.\n")
        raise SystemExit(USAGE)


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    top = Parser(
        prog="sightline-spark",
        description="Detect, label or track objects in millions of pictures or videos, on one machine or on a cluster.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    tasks = top.add_subparsers(dest="task", required=True, metavar="detect|label|track", parser_class=Parser)
    for task, summary in [
        ("detect", "find the objects in pictures"),
        ("label", "label whole pictures"),
        ("track", "track the objects of videos; a row for each track and frame"),
    ]:
        sub = tasks.add_parser(
            task,
            help=summary,
            description=f"Spark: {summary}.",
            epilog=EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add = sub.add_argument
        add("input", help="what to read", metavar="INPUT")
        add(
            "output",
            help="the folder of the table, on a disk that all machines share, or in S3 or HDFS",
            metavar="OUTPUT",
        )
        add(
            "--model",
            help="a path, the name of an installed model, archive:PATH or hub:NAME[@ALIAS] (default: the built-in one)",
        )
        add("--hub", help="the address of the hub of hub:NAME; the API key is in SIGHTLINE_HUB_KEY", metavar="URL")
        add("--hub-project", help="the project of the hub", metavar="PROJECT")
        add("--program", help="the command sightline on the executors (default: sightline, or that of --archive)")
        add("--archive", help='what "make bundle" wrote; it needs no installation on the executors', metavar="FILE")
        add("--master", help="the master of Spark (default: the cores of this machine)", metavar="URL")
        add("--conf", help="a setting of Spark; repeatable", metavar="NAME=VALUE", action="append", default=[])
        add("--limit", help="the seconds that a picture, or a frame of a video, may take (default: 120)", type=float)
        add("--chunk", help="the files of a chunk (default: 10000)", type=int, default=10_000)
        add("--keep-going", help="exit with 0 even if pictures failed", action="store_true")
        add("--verbose", help="show what Spark says", action="store_true")
        sub.set_defaults(limit=120.0)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command, and returns its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    options: list[str] = []
    if "--" in words:
        place = words.index("--")
        words, options = words[:place], words[place + 1 :]
    try:
        chosen = parser().parse_args(words)
    except SystemExit as end:
        return int(end.code or 0)
    signal.signal(signal.SIGTERM, _terminate)
    try:
        return _run(chosen, tuple(options))
    except KeyboardInterrupt:
        sys.stderr.write("error: stopped; the same command continues.\n")
        return 128 + signal.SIGINT
    except _TerminatedError:
        sys.stderr.write("error: stopped; the same command continues.\n")
        return 128 + signal.SIGTERM
    except SightlineError as error:
        sys.stderr.write(f"error: {error}\n")
        return FAILURE


class _TerminatedError(BaseException):
    """SIGTERM came."""


def _terminate(*_: object) -> None:
    raise _TerminatedError


def _run(chosen: argparse.Namespace, options: tuple[str, ...]) -> int:
    problem = (
        "--chunk must be at least 1"
        if chosen.chunk < 1
        else "--limit must be more than 0"
        if not chosen.limit > 0
        else "--conf must be NAME=VALUE"
        if any("=" not in value for value in chosen.conf)
        else None
    )
    if problem:
        sys.stderr.write(f"error: {problem}; see sightline-spark --help.\n")
        return USAGE
    source, from_input = separated(chosen.input)
    output, from_output = separated(chosen.output)
    if Storage() not in (from_input, from_output) and from_input != from_output:
        raise InputError("INPUT and OUTPUT name different endpoints of S3; copy one of them first.")
    settings = Settings(
        task=chosen.task,
        program=chosen.program or (f"{ARCHIVE}bin/sightline" if chosen.archive else _program()),
        model=_model(chosen),
        options=options,
        limit=chosen.limit,
        storage=from_output if from_input == Storage() else from_input,
    )
    settings_of_spark = [tuple(value.split("=", 1)) for value in chosen.conf]
    cluster = Cluster(
        chosen.master,
        tuple((name, value) for name, value in settings_of_spark),
        chosen.archive,
        chosen.verbose,
    )
    summary = run(source, absolute(output), settings, cluster, chosen.chunk)
    noun = "rows of tracks" if chosen.task == "track" else "pictures"
    print(
        f"{summary.rows:,} {noun}, {summary.failures:,} failed; this run did {summary.rows_of_run:,} "
        f"in {duration(summary.seconds)}: {output}"
    )
    return INCOMPLETE if summary.failures and not chosen.keep_going else SUCCESS


def _program() -> str:
    """The command of the path; otherwise the one beside this command, which may not be in the path."""
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "sightline")
    return beside if not shutil.which("sightline") and os.access(beside, os.X_OK) else "sightline"


def _model(chosen: argparse.Namespace) -> Model:
    model = Model(chosen.model)
    if chosen.model and os.path.exists(chosen.model):
        # Executors have other working folders.
        return Model(os.path.abspath(chosen.model))
    if not model.is_of_hub:
        return model
    key = os.environ.get("SIGHTLINE_HUB_KEY")
    if not chosen.hub or not chosen.hub_project or not key:
        raise ModelError(f"{chosen.model} needs --hub, --hub-project, and an API key in SIGHTLINE_HUB_KEY.")
    model = Model(chosen.model, Hub(chosen.hub, chosen.hub_project, key))
    return Model(model.name, model.hub, current_sha256(model))


if __name__ == "__main__":
    sys.exit(main())
