"""Runs a job: lists the input, gives its pieces to Spark, and records the finished pieces."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sightline.errors import ProgramError, SightlineError

from .errors import OutputError, SightlineSparkError
from .inputs import LISTS, found
from .manifest import FOLDER, Manifest
from .models import Origin, file_sha256, model_file, origin
from .progress import Clock, Line, line
from .shipping import archive
from .storage import LocalFiles, absolute, extension, joined
from .work import Outcome, Piece, Settings, is_done, run_pieces

# Pieces of one Spark job. Cores wait at its end only.
BATCH = 8192
TASKS_OF_CORE, PIECES_OF_TASK = 16, 4
# Parts of an interrupted run that are looked at in parallel.
LOOKERS = 16
ARCHIVE = "archive:"


@dataclass(frozen=True)
class Cluster:
    """The way in which Spark is started."""

    master: str | None = None
    configuration: tuple[tuple[str, str], ...] = ()
    archive: str | None = None
    is_verbose: bool = False

    @property
    def is_local(self) -> bool:
        """Whether the tasks run in this machine's own Spark."""
        return "PYSPARK_GATEWAY_PORT" not in os.environ and (self.master or "local").startswith("local")


@dataclass(frozen=True)
class Summary:
    """The content of the output after a run, and the work of the run."""

    rows: int
    failures: int
    files: int
    rows_of_run: int
    seconds: float


@contextlib.contextmanager
def locked(output: str, storage_files: Any, path: str) -> Iterator[None]:
    """Keeps two runs on this machine from writing one output. Elsewhere, two runs would write the same files."""
    if not isinstance(storage_files, LocalFiles):
        yield
        return
    folder = joined(path, FOLDER)
    os.makedirs(folder, exist_ok=True)
    with open(joined(folder, "lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OutputError(f"another run writes {output} now; wait for its end.") from None
        yield


def run(source: str, output: str, settings: Settings, cluster: Cluster, chunk_files: int) -> Summary:
    """Does the missing work of an output.

    Raises:
        SightlineError: the job cannot begin or continue. The same call continues later.
    """
    files, path = settings.storage.files(output)
    progress = Line()
    noun = "videos" if settings.task == "track" else "pictures"
    try:
        with locked(output, files, path):
            manifest = Manifest(files, path)
            model: Origin | None = None
            if cluster.is_local and not cluster.archive:
                # A wrong program or model is known at once.
                model = origin(settings.program, settings.task, settings.model)
            listed = found(source, settings.storage, settings.task)
            manifest.check(_identity(source, settings, model), output)
            address = absolute(source.removeprefix("@"))
            is_list = source.startswith("@") or extension(address) in LISTS
            manifest.add(
                listed, chunk_files, not is_list, lambda count: progress.show(f"{count:,} new {noun} are listed")
            )
            progress.clear()
            if not manifest.file_count:
                raise OutputError(f"{source} has no {noun}; name another input.")
            return _work(manifest, output, settings, cluster, progress, noun)
    except OSError as error:
        where = error.filename or output
        raise OutputError(f"{where} cannot be written ({(error.strerror or str(error)).lower()}).") from None


def _identity(source: str, settings: Settings, model: Origin | None) -> dict[str, Any]:
    """The settings that must be the same in all runs into one output.

    Files are known by their contents: after a model or a label file was replaced, the same command is another job.

    Args:
        source: the input.
        settings: the settings.
        model: the model on this machine; None if it is on other machines only.
    """
    return {
        "task": settings.task,
        "input": absolute(source.removeprefix("@")),
        "model": settings.model.name,
        "model_sha256": settings.model.sha256 or (model.sha256 if model else None),
        "options": list(settings.options),
        "option_files": _option_files(settings.options),
    }


def _option_files(options: Sequence[str]) -> dict[str, str]:
    """The SHA-256 of each file that options name, such as the one of `--labels`; folders count with their model."""
    files = {}
    for word in options:
        name = word.partition("=")[2] if word.startswith("--") and "=" in word else word
        file = model_file(Path(name)) if name else None
        if file is not None:
            files[name] = file_sha256(file)
    return files


def _work(manifest: Manifest, output: str, settings: Settings, cluster: Cluster, progress: Line, noun: str) -> Summary:
    clock = Clock()
    open_chunks = [chunk for chunk in manifest.chunks if chunk not in manifest.done]
    done_rows = done_failures = 0
    for chunk in manifest.done:
        rows, failures = manifest.result(chunk)
        done_rows, done_failures = done_rows + rows, done_failures + failures
    rows_of_run = 0
    if open_chunks:
        with context(cluster, settings.task) as spark:
            waiting: dict[int, int] = {}
            outcomes: dict[int, list[Outcome]] = defaultdict(list)

            def finish(outcome: Outcome) -> None:
                outcomes[outcome.chunk].append(outcome)
                if len(outcomes[outcome.chunk]) == waiting[outcome.chunk]:
                    manifest.finish(outcome.chunk, outcomes[outcome.chunk])

            def missing() -> Iterator[Piece]:
                for chunk in open_chunks:
                    pieces = manifest.pieces(chunk)
                    waiting[chunk] = len(pieces)
                    earlier = _earlier(pieces, settings, output)
                    for outcome in earlier:
                        finish(outcome)
                    numbers = {outcome.number for outcome in earlier}
                    yield from (piece for piece in pieces if piece.number not in numbers)

            source = missing()
            while pieces := list(itertools.islice(source, BATCH)):
                before = done_rows + sum(outcome.rows for group in outcomes.values() for outcome in group)
                failed = done_failures + sum(outcome.failures for group in outcomes.values() for outcome in group)
                rows, failures = spark.accumulator(0), spark.accumulator(0)
                start = before - rows_of_run

                def text(before: int = before, failed: int = failed, start: int = start, rows: Any = rows,
                         failures: Any = failures) -> str:  # fmt: skip
                    done = before + rows.value
                    return line(noun, done, manifest.file_count, failed + failures.value, clock.seconds, start)

                with progress.following(text):
                    found = _spark_job(spark, pieces, settings, output, (rows, failures), cluster)
                for outcome in found:
                    rows_of_run += outcome.rows
                    finish(outcome)
            del outcomes
    total = [manifest.result(chunk) for chunk in manifest.chunks]
    return Summary(
        sum(rows for rows, _ in total),
        sum(failures for _, failures in total),
        manifest.file_count,
        rows_of_run,
        clock.seconds,
    )


def _earlier(pieces: Sequence[Piece], settings: Settings, output: str) -> list[Outcome]:
    """The pieces whose files an earlier run has written."""
    files, path = settings.storage.files(joined(output, f"chunk={pieces[0].chunk}"))
    names = {item.name for item in files.items(path)}
    if isinstance(files, LocalFiles):
        # What a killed worker left.
        for name in names:
            if name.startswith(".") and name.endswith(".part"):
                Path(path, name).unlink(missing_ok=True)
    there = [piece for piece in pieces if piece.name.rpartition("/")[2] in names]
    with ThreadPoolExecutor(LOOKERS) as pool:
        found = pool.map(lambda piece: is_done(piece, settings, output), there)
    return [outcome for outcome in found if outcome]


def _spark_job(
    spark: Any, pieces: Sequence[Piece], settings: Settings, output: str, counts: tuple[Any, Any], cluster: Cluster
) -> list[Outcome]:
    rows, failures = counts

    def outcomes(own: Iterable[Piece]) -> Iterator[Outcome]:
        from pyspark import TaskContext

        found = located(settings)
        missing = list(own)
        attempt = TaskContext.get()
        if attempt is not None and attempt.attemptNumber() > 0:
            # An attempt that failed may have done some of its pieces.
            earlier = [outcome for piece in missing if (outcome := is_done(piece, found, output))]
            yield from earlier
            numbers = {(outcome.chunk, outcome.number) for outcome in earlier}
            missing = [piece for piece in missing if (piece.chunk, piece.number) not in numbers]
        yield from run_pieces(missing, found, output)

    def task(own: Iterable[Piece]) -> Iterator[Outcome]:
        for outcome in outcomes(own):
            rows.add(outcome.rows)
            failures.add(outcome.failures)
            yield outcome

    # Small enough that cores do not wait for the last one, and that little is done again.
    tasks = max(min(len(pieces), spark.defaultParallelism * TASKS_OF_CORE), -(-len(pieces) // PIECES_OF_TASK))
    try:
        found: list[Outcome] = spark.parallelize(pieces, tasks).mapPartitions(task).collect()
        return found
    except KeyboardInterrupt:
        raise
    except Exception as error:
        raise _reason(error, cluster) from (error if cluster.is_verbose else None)


def _reason(error: Exception, cluster: Cluster) -> SightlineError:
    """The sentence of a failed job: that of the error on an executor, if there is one."""
    text = str(error)
    known = re.search(r"sightline(?:_spark)?\.errors\.(\w+): (.+)", text)
    if known:
        return ProgramError(known.group(2).strip())
    written = re.search(r"^(?:\w+\.)*((?:\w*Error|Exception): .+)$", text, re.MULTILINE)
    lines = [part for part in text.splitlines() if part.strip()]
    reason = written.group(1) if written else lines[0] if lines else type(error).__name__
    advice = "" if cluster.is_verbose else "; --verbose shows what Spark says"
    return SightlineSparkError(f"Spark gave the job up ({reason[:300].rstrip('.')}){advice}.")


def located(settings: Settings) -> Settings:
    """The settings with the places of files that came in the archive."""
    names = (settings.program, settings.model.name or "")
    if not any(name.startswith(ARCHIVE) for name in names):
        return settings
    from pyspark import SparkFiles

    root = Path(SparkFiles.getRootDirectory()) / "sightline"

    def place(name: str) -> str:
        inner = name.removeprefix(ARCHIVE)
        # An archive may have one folder around everything.
        candidates = [root / inner, *sorted(root.glob(f"*/{inner}"))]
        for candidate in candidates:
            if candidate.exists():
                return str(candidate)
        raise ProgramError(f"the archive has no {inner}; list its files with tar --list.")

    program = place(settings.program) if settings.program.startswith(ARCHIVE) else settings.program
    model = settings.model
    if model.name and model.name.startswith(ARCHIVE):
        model = replace(model, name=place(model.name))
    return replace(settings, program=program, model=model)


@contextlib.contextmanager
def context(cluster: Cluster, task: str) -> Iterator[Any]:
    """A context of Spark, which ends with the block."""
    from pyspark import SparkConf, SparkContext

    log = Path(__file__).with_name("log4j2.properties")
    with tempfile.TemporaryDirectory(prefix="sightline-spark-") as folder:
        values = {"spark.ui.showConsoleProgress": "false", "spark.python.worker.faulthandler.enabled": "true"}
        if cluster.is_local:
            os.environ.setdefault("PYSPARK_PYTHON", _python())
            options = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
            if not cluster.is_verbose and log.is_file():
                options += f" -Dlog4j2.configurationFile=file:{log}"
            # local[*] alone would try a task once.
            values |= {"spark.master": "local[*,4]", "spark.ui.enabled": "false"}
            values |= {"spark.driver.extraJavaOptions": options, "spark.driver.host": "127.0.0.1"}
            values |= {"spark.driver.bindAddress": "127.0.0.1"}
        elif "PYSPARK_GATEWAY_PORT" not in os.environ and not cluster.is_verbose and log.is_file():
            values["spark.driver.extraJavaOptions"] = f"-Dlog4j2.configurationFile=file:{log}"
        if cluster.master:
            match = re.fullmatch(r"local\[(\*|\d+)\]", cluster.master)
            values["spark.master"] = f"local[{match.group(1)},4]" if match else cluster.master
        values |= dict(cluster.configuration)
        configuration = SparkConf().setAppName(f"sightline {task}")
        for name, value in values.items():
            configuration.set(name, value)
        with _quiet(cluster.is_verbose):
            try:
                spark = SparkContext(conf=configuration)
            except Exception as error:
                raise _start_reason(error) from (error if cluster.is_verbose else None)
        try:
            spark.addPyFile(archive(folder))
            if cluster.archive:
                spark.addArchive(f"{cluster.archive}#sightline")
            yield spark
        finally:
            with _quiet(cluster.is_verbose), contextlib.suppress(Exception):
                spark.stop()


def _python() -> str:
    import sys

    return sys.executable


def _start_reason(error: Exception) -> SightlineSparkError:
    text = str(error)
    if "JAVA" in text.upper() and "GATEWAY" in text.upper():
        return SightlineSparkError("Spark cannot start Java; install Java 17 or newer, or set JAVA_HOME.")
    lines = [part for part in text.splitlines() if part.strip()]
    return SightlineSparkError(f"Spark cannot be started ({(lines[0] if lines else 'unknown error')[:300]}).")


@contextlib.contextmanager
def _quiet(is_verbose: bool) -> Iterator[None]:
    """Keeps what Java says while it starts and stops from standard error."""
    if is_verbose:
        yield
        return
    with open(os.devnull, "w") as nothing:
        saved = os.dup(2)
        os.dup2(nothing.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)


__all__ = ["ARCHIVE", "BATCH", "Cluster", "Origin", "Summary", "run"]
