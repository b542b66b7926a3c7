"""Glewlwyd, an OpenID Connect provider, on loopback: with a database, a configuration and its own users."""

import gzip
import http.cookiejar
import json
import re
import secrets
import shutil
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from .places import free_port
from .programs import output

DOCUMENTS = Path("/usr/share/doc/glewlwyd/database")
CONFIGURATION = Path("/etc/glewlwyd/glewlwyd.conf")
# The administrator of a new database.
ADMINISTRATOR, INITIAL_PASSWORD = "admin", "password"
CLIENT = "sightline"
# The kinds of sign-in that Glewlwyd knows, in its settings.
KINDS = ("code", "token", "id-token", "none", "password", "client", "refresh", "device")


class Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Browser:
    """A browser with cookies, which stays where it is."""

    def __init__(self) -> None:
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies), Stay())

    def ask(self, method: str, address: str, body: Any = None) -> tuple[int, str, str]:
        """Status, text and the address of a redirect of an answer. `body` is sent as JSON."""
        data = None if body is None else json.dumps(body).encode()
        headers = {} if body is None else {"Content-Type": "application/json"}
        request = urllib.request.Request(address, data, headers, method=method)
        try:
            with self.opener.open(request, timeout=30) as reply:
                return reply.status, reply.read().decode(), reply.headers.get("location") or ""
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(), error.headers.get("location") or ""


class Glewlwyd:
    """A provider with its own folder. `lifetime` is that of its ID tokens, in seconds."""

    def __init__(self, folder: Path, hub: str, lifetime: int) -> None:
        if not shutil.which("glewlwyd"):
            sys.exit("error: Glewlwyd is missing; install it with `apt-get install glewlwyd`.")
        self.folder, self.port, self.secret = folder, free_port(), secrets.token_urlsafe(24)
        self.address = f"http://127.0.0.1:{self.port}"
        self.issuer = f"{self.address}/api/oidc"
        self.passwords: dict[str, str] = {}
        with (folder / "log").open("w") as log:
            self.process = subprocess.Popen(
                ["glewlwyd", f"--config-file={self.configuration()}"], stdout=log, stderr=subprocess.STDOUT
            )
        self.administrator = Browser()
        self.wait()
        self.set_up(hub, lifetime)

    def configuration(self) -> Path:
        """Writes Debian's configuration with a port, a database and a log of this provider."""
        database = self.folder / "database"
        with sqlite3.connect(database) as connection:
            connection.executescript(gzip.decompress((DOCUMENTS / "init.sqlite3.sql.gz").read_bytes()).decode())
        text = CONFIGURATION.read_text()
        own = {"port": str(self.port), "external_url": f'"{self.address}"', "log_mode": '"console"'}
        for name, value in own.items():
            text = re.sub(rf"(?m)^{name}=.*", f"{name}={value}", text)
        place = f'database = {{ type = "sqlite3"; path = "{database}" }};\nbind_address="127.0.0.1"'
        path = self.folder / "glewlwyd.conf"
        path.write_text(re.sub(r"(?m)^@include.*", place, text))
        return path

    def wait(self) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.administrator.ask("GET", f"{self.address}/config")
                return
            except OSError:
                time.sleep(0.05)
        sys.exit("error: Glewlwyd did not start:\n" + (self.folder / "log").read_text())

    def manage(self, method: str, path: str, body: Any = None) -> str:
        """A request of the administrator."""
        status, text, _ = self.administrator.ask(method, f"{self.address}/api/{path}", body)
        if status != 200:
            sys.exit(f"error: Glewlwyd answered {method} {path} with {status}: {text}")
        return text

    def set_up(self, hub: str, lifetime: int) -> None:
        """Makes the provider, and the hub as its client."""
        self.manage("POST", "auth/", {"username": ADMINISTRATOR, "password": INITIAL_PASSWORD})
        users = json.loads(self.manage("GET", "mod/user/database"))
        users["parameters"]["data-format"]["groups"] = {"multiple": True, "read": True, "write": True}
        self.manage("PUT", "mod/user/database", users)
        self.manage("PUT", "mod/user/database/reset")
        private = self.folder / "key.pem"
        output(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", private])
        parameters = {
            "iss": self.issuer,
            "jwt-type": "rsa",
            "jwt-key-size": "256",
            "key": private.read_text(),
            "cert": output(["openssl", "pkey", "-in", private, "-pubout"]),
            "access-token-duration": lifetime,
            "refresh-token-duration": 3600,
            "code-duration": 60,
            "refresh-token-rolling": True,
            "refresh-token-one-use": "always",
            "allow-non-oidc": False,
            **{f"auth-type-{name}-enabled": name in ("code", "id-token", "refresh", "device") for name in KINDS},
            "device-authorization-expiration": 60,
            "device-authorization-interval": 1,
            "pkce-allowed": True,
            "pkce-method-plain-allowed": False,
            "pkce-required": True,
            "subject-type": "public",
            "jwks-show": True,
            "session-cookie-name": "GLEWLWYD_OIDC_SESSION",
            "session-cookie-expiration": 3600,
            "session-management-allowed": True,
            "back-channel-logout-allowed": True,
            "front-channel-logout-allowed": False,
            "client-backchannel_logout_uri-parameter": "backchannel_logout_uri",
            "claims": [{"name": "groups", "user-property": "groups", "type": "string", "mandatory": True}],
            "name-claim": "mandatory",
            "email-claim": "mandatory",
            "scope-claim": "no",
        }
        plugin = {"module": "oidc", "name": "oidc", "display_name": "OpenID Connect", "parameters": parameters}
        self.manage("POST", "mod/plugin/", plugin)
        client = {
            "client_id": CLIENT,
            "name": "Sightline",
            "confidential": True,
            "client_secret": self.secret,
            "token_endpoint_auth_method": ["client_secret_basic"],
            "redirect_uri": [f"{hub}/console/sign-in/provider/answer"],
            "backchannel_logout_uri": f"{hub}/console/sign-in/provider/logout",
            "authorization_type": ["code", "refresh_token", "device_authorization"],
            "enabled": True,
            "scope": [],
        }
        self.manage("POST", "client/?source=database", client)

    def add(self, person: str, *groups: str) -> None:
        """Adds a person who is in groups."""
        self.passwords[person] = secrets.token_urlsafe(16)
        user = {
            "username": person,
            "name": person.title(),
            "email": f"{person}@example.com",
            "password": self.passwords[person],
            "enabled": True,
            "scope": ["openid"],
            "groups": list(groups),
        }
        self.manage("POST", "user/?source=database", user)

    def change_groups(self, person: str, *groups: str) -> None:
        """Puts a person into other groups."""
        user = json.loads(self.manage("GET", f"user/{person}?source=database"))
        self.manage("PUT", f"user/{person}?source=database", {**user, "groups": list(groups)})

    def browser(self, person: str) -> Browser:
        """A browser of a person who has signed in here, and permits the hub to know who it is."""
        browser = Browser()
        sign_in = {"username": person, "password": self.passwords[person]}
        for method, path, body in (("POST", "auth/", sign_in), ("PUT", f"auth/grant/{CLIENT}", {"scope": "openid"})):
            status, text, _ = browser.ask(method, f"{self.address}/api/{path}", body)
            if status != 200:
                sys.exit(f"error: Glewlwyd answered {method} {path} with {status}: {text}")
        return browser

    @staticmethod
    def permit(browser: Browser, address: str) -> str:
        """Opens a page of the provider and presses its button; gives the address to which it leads."""
        status, text, location = browser.ask("GET", f"{address}&g_continue")
        if status != 302:
            sys.exit(f"error: Glewlwyd answered {address} with {status}: {text}")
        return location

    def sign_out(self, person: str, browser: Browser) -> None:
        """Ends the session of a person's browser here, as the provider's page does."""
        with sqlite3.connect(self.folder / "database") as connection:
            query = "SELECT gpoi_sid FROM gpo_id_token WHERE gpoi_username = ? ORDER BY gpoi_id DESC LIMIT 1"
            (session,) = connection.execute(query, (person,)).fetchone()
        status, text, _ = browser.ask("DELETE", f"{self.issuer}/session/{session}/")
        if status != 200:
            sys.exit(f"error: Glewlwyd did not end a session ({status}): {text}")

    def stop(self) -> None:
        """Ends the provider."""
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
