"""Child processes that handle files within limits of time and memory."""

import contextlib
import os
import resource
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from .programs import Word, peak_megabytes


def limits(megabytes: int) -> Callable[[], None]:
    """A function that limits the address space of the child that runs it; 0 stands for no limit."""

    def limit() -> None:
        if megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return limit


class ProgramForEachFile:
    """A program that runs once for each file, in the folder of the file."""

    def __init__(
        self,
        command: Callable[[Path], Sequence[Word]],
        judged: Callable[[subprocess.CompletedProcess[str]], str],
        megabytes: int = 0,
    ) -> None:
        """`command` is the one for a file; `judged` its answer, which begins with "ok" or "error" if all is right."""
        self.command, self.judged, self.megabytes = command, judged, megabytes

    def ask(self, path: Path, seconds: float) -> str:
        """The judged answer, or "hang"."""
        try:
            done = subprocess.run(
                self.command(path),
                cwd=path.parent,
                env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=seconds,
                preexec_fn=limits(self.megabytes),
            )
        except subprocess.TimeoutExpired:
            return "hang"
        return self.judged(done)

    def peak(self) -> int:
        """The most megabytes that one run has had."""
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10

    def stop(self) -> int:
        """Nothing: each run has ended."""
        return 0


class LimitedChild:
    """A program that reads paths on standard input, and answers each with the same number of lines.

    A child that dies is started again for the next path.
    """

    def __init__(self, command: Sequence[Word], megabytes: int = 0, lines: int = 1) -> None:
        """`megabytes` limits the address space; with 0, nothing does."""
        self.command, self.megabytes, self.lines = command, megabytes, lines
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        """The running child."""
        if self.process is not None:
            return self.process
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            preexec_fn=limits(self.megabytes),
        )
        return self.process

    def ask(self, path: Path, seconds: float) -> str:
        """The last line of the child's answer, or "crash SIGNAL", "crash exit STATUS" or "hang"."""
        process = self.start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(f"{path}\n".encode())
            process.stdin.flush()
        except BrokenPipeError:
            return self.ended()
        deadline = time.monotonic() + seconds
        answer = b""
        while answer.count(b"\n") < self.lines:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                process.kill()
                self.ended()
                return "hang"
            chunk = process.stdout.read1(65536)  # type: ignore[attr-defined]
            if not chunk:
                return self.ended()
            answer += chunk
        return answer.split(b"\n")[self.lines - 1].decode(errors="replace").strip()

    def peak(self) -> int:
        """The most megabytes that the running child has had."""
        return peak_megabytes(self.process.pid) if self.process else 0

    def stop(self) -> int:
        """The status of the child when it has nothing left to do: a sanitizer that found leaks makes it end badly."""
        if self.process is None:
            return 0
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=60)
        return self.close()

    def ended(self) -> str:
        """The description of a child that ended before it answered."""
        code = self.close()
        return f"crash {signal.Signals(-code).name}" if code < 0 else f"crash exit {code}"

    def close(self) -> int:
        """Takes leave of a child that ends, and returns its status."""
        assert self.process is not None and self.process.stdin is not None and self.process.stdout is not None
        code = self.process.wait()
        # Nothing reads what is left to write.
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.process = None
        return code
