"""Signs people and commands in at a hub with a real OpenID Connect provider, Debian's Glewlwyd, on loopback.

    sudo apt-get install glewlwyd
    Scripts/tools check openid [--executable .build/debug/sightline-hub]

Its ID tokens last three seconds, so that the hub renews sessions while the check waits.
"""

import argparse
import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..glewlwyd import CLIENT, Browser, Glewlwyd
from ..hubs import Place, ServingHub
from ..places import add_executable, free_port, temporary_folder
from ..waiting import until

PROJECT, GROUP = "plants", "ml-team"
TOKEN_SECONDS = 3


class Check:
    """A hub and its provider."""

    def __init__(self, executable: str, folder: Path, hub: ServingHub, provider: Glewlwyd) -> None:
        self.executable, self.folder, self.hub, self.provider = executable, folder, hub, provider
        self.environment = {**os.environ, "XDG_DATA_HOME": str(folder / "user"), "SIGHTLINE_HUB_TOKEN": ""}

    def sign_in(self, person: str) -> tuple[Browser, Browser, str]:
        """Signs a person in to the console: the browser at the hub, the one at the provider, and the last page."""
        there, here = self.provider.browser(person), Browser()
        _, _, begun = here.ask("GET", f"{self.hub.address}/console/sign-in/provider")
        answer = self.provider.permit(there, begun)
        _, page, _ = here.ask("GET", answer)
        return here, there, page

    def models(self, browser: Browser) -> tuple[int, str]:
        """Opens the console's page of models."""
        status, page, _ = browser.ask("GET", f"{self.hub.address}/console/models")
        return status, page

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a command of a user who is not on the hub's machine."""
        line = [self.executable, *words, "--hub", self.hub.address]
        return subprocess.run(line, capture_output=True, text=True, timeout=60, env=self.environment)

    def let_command_in(self, person: str) -> tuple[Browser, str]:
        """Signs a command in: the browser at the provider, and what the command printed."""
        line = [self.executable, "sign-in", "--hub", self.hub.address]
        process = subprocess.Popen(
            line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment
        )
        assert process.stdout is not None and process.stderr is not None
        printed = process.stderr.readline()
        found = re.search(r"Open (\S+) in a browser", printed)
        if not found:
            sys.exit(f"error: the command did not print an address: {printed}{process.stderr.read()}")
        browser = self.provider.browser(person)
        self.provider.permit(browser, found[1])
        printed, _ = process.communicate(timeout=60)
        return browser, printed


def expect(condition: bool, text: str, found: object = "") -> None:
    """Prints what was checked, or ends with it."""
    if not condition:
        sys.exit(f"error: failed: {text}: {found}")
    print(f"passed  {text}", flush=True)


def check(parts: Check) -> None:
    """Checks everything that people see of it."""
    ada, at_provider, page = parts.sign_in("ada")
    expect("/console/models" in page, "a person signs in", page)
    status, page = parts.models(ada)
    expect(status == 200 and "publisher" in page, "the group gives its role", status)
    _, _, page = parts.sign_in("eve")
    expect("none of its groups has a role" in page, "a person without such a group is refused", page)

    time.sleep(TOKEN_SECONDS + 1)
    expect(parts.models(ada)[0] == 200, "the session continues after the end of the ID token")
    time.sleep(TOKEN_SECONDS + 1)
    expect(parts.models(ada)[0] == 200, "and again, with the next refresh token")
    parts.provider.sign_out("ada", at_provider)
    expect(until(lambda: parts.models(ada)[0] == 303), "who signs out at the provider is signed out here")

    at_provider, printed = parts.let_command_in("ada")
    expect(printed == f"You are signed in to {parts.hub.address}.\n", "a command signs in", printed)
    files = list((parts.folder / "user").rglob("*.json"))
    expect(len(files) == 1 and files[0].stat().st_mode & 0o077 == 0, "only its user can read its token", files)
    listed = parts.command("list")
    expect(listed.returncode == 0, "it may do what the person may", listed.stderr)
    refused = parts.command("audit")
    expect(refused.returncode != 0 and "editor" in refused.stderr, "and nothing else", refused.stderr)
    time.sleep(TOKEN_SECONDS + 1)
    expect(parts.command("list").returncode == 0, "it continues after the end of the ID token")
    parts.provider.sign_out("ada", at_provider)
    expect(until(lambda: parts.command("list").returncode != 0), "the provider ends its session")

    parts.let_command_in("ada")
    parts.provider.change_groups("ada", "everyone")
    time.sleep(TOKEN_SECONDS + 1)
    expect(parts.command("list").returncode != 0, "who leaves the group is signed out at the next renewal")
    parts.provider.change_groups("ada", GROUP)

    parts.let_command_in("ada")
    done = parts.command("sign-out")
    expect(done.returncode == 0 and not list((parts.folder / "user").rglob("*.json")), "it signs out", done.stderr)
    refused = parts.command("list")
    expect("sightline hub sign-in" in refused.stderr, "and shows how to sign in again", refused.stderr)


@contextlib.contextmanager
def started(executable: str, folder: Path) -> Iterator[Check]:
    """A hub and a provider that know each other."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    (folder / "provider").mkdir()
    provider = Glewlwyd(folder / "provider", address, TOKEN_SECONDS)
    try:
        provider.add("ada", GROUP, "everyone")
        provider.add("eve", "everyone")
        place = Place(executable, ["--data", folder / "hub"])
        place.run("project", "create", PROJECT)
        secret = folder / "secret"
        secret.write_text(provider.secret)
        hub = place.serve(
            *("--port", str(port), "--public-address", address, "--oidc-issuer", provider.issuer),
            *("--oidc-client-id", CLIENT, "--oidc-client-secret-file", secret),
            *("--oidc-role", f"{GROUP}=publisher@{PROJECT}", "--oidc-scopes", "openid"),
        )
        try:
            yield Check(executable, folder, hub, provider)
        finally:
            hub.stop()
    finally:
        provider.stop()


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    add_executable(parser, "sightline-hub")
    options = parser.parse_args(words)
    with temporary_folder("openid") as folder, started(options.executable, folder) as parts:
        check(parts)
