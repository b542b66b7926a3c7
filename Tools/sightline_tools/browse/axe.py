"""axe-core, which finds what makes pages hard to use with a keyboard, a screen reader or weak eyes.

It is Deque's, under the Mozilla Public License, and no part of this repository: pip installs it into .build.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

from ..places import ROOT
from .browser import Browser

# A package of PyPI that contains axe.min.js.
PACKAGE = "axe-core-python==0.1.0"


def axe_script() -> str:
    """The text of axe.min.js, which is installed first if it is missing."""
    folder = ROOT / ".build/test-axe"
    file = folder / "axe_core_python/axe.min.js"
    if not file.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        options = ["--root-user-action=ignore", "--no-deps", "--upgrade", "--target", str(folder), PACKAGE]
        if subprocess.run([*command, *options]).returncode != 0:
            sys.exit(f"error: {PACKAGE} cannot be installed; check the connection to PyPI.")
    return Path(file).read_text()


def findings(browser: Browser, script: str) -> list[str]:
    """The findings of axe-core in the page as it is shown: rule, reason and place. No rule is left out."""
    if not browser.evaluate("typeof window.axe === 'object'"):
        browser.evaluate(script + "; undefined")
    found: list[dict[str, Any]] = browser.evaluate("""axe.run(document, { resultTypes: ["violations"] }).then(
      (result) => result.violations.map(({ id, help, nodes }) => ({
        id, help,
        nodes: nodes.map((node) => ({ html: node.html, target: node.target.join(" "), why: node.failureSummary })),
      })))""")
    return [
        f"{rule['id']} ({rule['help']}) at {node['target']}: {node['html'][:160]} {' '.join(node['why'].split())[:300]}"
        for rule in found
        for node in rule["nodes"]
    ]
