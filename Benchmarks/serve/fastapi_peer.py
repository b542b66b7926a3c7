"""Peer: FastAPI with Uvicorn, LiteRT and Pillow, one process a core.

MODEL=… uvicorn fastapi_peer:app --port 8001 --workers 2
"""

import asyncio
import os
from typing import Any

from fastapi import FastAPI, Request
from litert_model import Detector
from starlette.concurrency import run_in_threadpool

app = FastAPI()
detector = Detector(os.environ["MODEL"])
# The interpreter has one owner at a time.
free = asyncio.Lock()


@app.get("/healthz")
def health() -> dict[str, str]:
    return {"status": "alive"}


@app.post("/v1/detect")
async def detect(request: Request) -> dict[str, Any]:
    body = await request.body()
    async with free:
        return await run_in_threadpool(detector.answer, body)
