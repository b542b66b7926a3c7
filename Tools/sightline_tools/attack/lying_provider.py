"""An OpenID Connect provider on loopback that says anything that an attack wants. openssl makes its key and
signatures.
"""

import base64
import hashlib
import hmac
import http.server
import json
import subprocess
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from ..programs import output

CLIENT = "hub"


def encoded(data: bytes) -> str:
    """Base64 for addresses, without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class LyingProvider:
    """A provider. Attacks change what it says between two sign-ins."""

    def __init__(self, folder: Path) -> None:
        self.key = folder / "provider.pem"
        output(["openssl", "genrsa", "-out", self.key, "2048"])
        self.public = output(["openssl", "rsa", "-in", self.key, "-pubout"])
        modulus = output(["openssl", "rsa", "-in", self.key, "-noout", "-modulus"]).strip().rpartition("=")[2]
        self.modulus = encoded(bytes.fromhex(modulus))
        self.claims: dict[str, Any] = {}
        self.header: dict[str, Any] = {}
        # How tokens are signed: "key", "secret" (HMAC with the public key), "nothing" or "other".
        self.signature = "key"
        self.nonce = ""
        # Answers of single paths in place of the usual ones, sent without an end if they are None.
        self.answers: dict[str, bytes | None] = {}
        self.document: dict[str, str] = {}
        self.asked: list[str] = []
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.asked.append(self.path)
                self.answer(self.path, {})

            def do_POST(self) -> None:
                provider.asked.append(self.path)
                text = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
                self.answer(self.path, parse_qs(text))

            def answer(self, path: str, form: dict[str, list[str]]) -> None:
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.end_headers()
                body = provider.answers.get(path, b"") or provider.body(path, form)
                try:
                    if path in provider.answers and provider.answers[path] is None:
                        while True:
                            self.wfile.write(b" " * 65536)
                    self.wfile.write(body)
                except OSError:
                    pass

            def log_message(self, *_: Any) -> None:
                """Keeps the log quiet."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Ends the provider."""
        self.server.shutdown()
        self.server.server_close()

    def body(self, path: str, form: dict[str, list[str]]) -> bytes:
        """The usual answer of a path."""
        content: dict[str, Any] = {}
        if path == "/.well-known/openid-configuration":
            content = {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "device_authorization_endpoint": f"{self.issuer}/device",
            } | self.document
        elif path == "/keys":
            content = {"keys": [{"kty": "RSA", "use": "sig", "kid": "1", "n": self.modulus, "e": "AQAB"}]}
        elif path == "/token":
            content = {"access_token": "x", "token_type": "Bearer", "id_token": self.token()}
        elif path == "/device":
            page = f"{self.issuer}/activate"
            content = {"device_code": "secret-code", "user_code": "AB-CD", "verification_uri": page, "expires_in": 600}
        return json.dumps(content).encode()

    def token(self) -> str:
        """A token with the present claims."""
        now = int(time.time())
        header = {"alg": "RS256", "kid": "1"} | self.header
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "7",
            "email": "ada@example.com",
            "iat": now,
            "exp": now + 600,
            "nonce": self.nonce,
            "groups": ["ml-team"],
        } | self.claims
        text = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
        return f"{text}.{encoded(self.signed(text.encode()))}"

    def signed(self, text: bytes) -> bytes:
        if self.signature == "nothing":
            return b""
        if self.signature == "secret":
            return hmac.new(self.public.encode(), text, hashlib.sha256).digest()
        made = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", str(self.key)], input=text, capture_output=True, check=True
        ).stdout
        return made if self.signature == "key" else made[::-1]
