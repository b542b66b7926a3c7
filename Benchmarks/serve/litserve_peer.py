"""Peer: litserve with LiteRT and Pillow, one worker a core.

MODEL=… PORT=8002 WORKERS=2 python3 litserve_peer.py
"""

import os
from typing import Any

import litserve
from fastapi import Request
from litert_model import Detector


class Detection(litserve.LitAPI):
    """Bytes of a picture in, JSON out."""

    def setup(self, device: str) -> None:
        self.detector = Detector(os.environ["MODEL"])

    def decode_request(self, request: Request) -> bytes:
        # The file of a form, which is what litserve reads.
        return bytes(request["content"].file.read())

    def predict(self, body: bytes) -> dict[str, Any]:
        return self.detector.answer(body)

    def encode_response(self, output: dict[str, Any]) -> dict[str, Any]:
        return output


if __name__ == "__main__":
    server = litserve.LitServer(
        Detection(api_path="/v1/detect"), accelerator="cpu", workers_per_device=int(os.environ["WORKERS"])
    )
    server.run(port=int(os.environ["PORT"]), generate_client_file=False, log_level="warning")
