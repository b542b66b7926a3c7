"""A session of Python in which the statements of a page run in order."""

import json
import subprocess
import sys
from pathlib import Path

from ..places import ROOT
from .firebase_stand_in import google_packages

# Takes a statement as a line of JSON, and answers with whether it failed and what it printed.
DRIVER = """
import contextlib, io, json, sys, traceback
answers, names = sys.stdout, {"__name__": "__main__"}
for line in sys.stdin:
    failed, printed = False, io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(json.loads(line) + "\\n", "page", "single"), names)
        except Exception:
            failed = True
            print(traceback.format_exc().splitlines()[-1])
    print(json.dumps([failed, printed.getvalue()]), file=answers, flush=True)
"""


class PythonSession:
    """A Python as the pages have it: with the package sightline, NumPy, Pillow and pandas, or with Google's client."""

    def __init__(self, folder: Path, environment: dict[str, str], needs_google: bool) -> None:
        if needs_google:
            path = f"{google_packages()}"
        else:
            subprocess.run([ROOT / "Scripts/test-python", "--install"], check=True)
            path = f"{ROOT / 'Python'}:{ROOT / '.build/python-tools'}"
        self.process = subprocess.Popen(
            [sys.executable, "-c", DRIVER],
            cwd=folder,
            env={**environment, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, statement: str) -> tuple[bool, str]:
        """Runs a statement. Returns whether it failed, and what it printed."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(statement) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            return True, "Python ended."
        failed, printed = json.loads(answer)
        return bool(failed), str(printed)

    def stop(self) -> None:
        """Ends the session."""
        self.process.communicate()
