"""Sends pictures to a server of answers over many connections, from one process with one event loop."""

import asyncio
import time
from collections.abc import Callable


def form(picture: bytes) -> bytes:
    """A form with a picture, for servers that read nothing else."""
    head = b'--border\r\nContent-Disposition: form-data; name="content"; filename="a.jpg"\r\n\r\n'
    return head + picture + b"\r\n--border--\r\n"


class Connection:
    """A connection that is kept."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, picture: bytes) -> int:
        """The status of the answer to a picture."""
        if self.writer is None or self.reader is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        kind = "multipart/form-data; boundary=border" if picture.startswith(b"--border") else "image/jpeg"
        head = f"POST /v1/detect HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\n"
        self.writer.write(f"{head}Content-Length: {len(picture)}\r\n\r\n".encode() + picture)
        await self.writer.drain()
        answer = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = next(
            int(line.split(":")[1]) for line in answer.split("\r\n") if line.lower().startswith("content-length:")
        )
        await self.reader.readexactly(length)
        if "connection: close" in answer.lower():
            self.close()
        return int(answer.split(" ", 2)[1])

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


class Load:
    """The results of a load: the time of each answer in milliseconds, and its status."""

    def __init__(self) -> None:
        self.milliseconds: list[float] = []
        self.statuses: dict[int, int] = {}
        self.seconds = 0.0

    def add(self, start: float, status: int) -> None:
        self.milliseconds.append((time.perf_counter() - start) * 1000)
        self.statuses[status] = self.statuses.get(status, 0) + 1

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.milliseconds) / self.seconds

    def percentile(self, share: float) -> float:
        ordered = sorted(self.milliseconds)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


async def closed(port: int, pictures: list[bytes], connections: int, more: Callable[[int], bool]) -> Load:
    """Each connection sends its next picture when it has the answer, as long as `more` says so for their number."""
    load, sent = Load(), 0

    async def run() -> None:
        nonlocal sent
        connection = Connection(port)
        while more(sent):
            picture = pictures[sent % len(pictures)]
            sent += 1
            start = time.perf_counter()
            load.add(start, await connection.ask(picture))
        connection.close()

    start = time.perf_counter()
    await asyncio.gather(*(run() for _ in range(connections)))
    load.seconds = time.perf_counter() - start
    return load


async def for_seconds(port: int, pictures: list[bytes], connections: int, seconds: float) -> Load:
    """As `closed`, for some seconds."""
    end = time.perf_counter() + seconds
    return await closed(port, pictures, connections, lambda _: time.perf_counter() < end)


async def open_loop(port: int, pictures: list[bytes], rate: float, seconds: float) -> Load:
    """Pictures come at a steady rate, whether or not the server has answered the earlier ones."""
    load, free = Load(), [Connection(port)]
    start = time.perf_counter()

    async def run(number: int, due: float) -> None:
        connection = free.pop() if free else Connection(port)
        load.add(due, await connection.ask(pictures[number % len(pictures)]))
        free.append(connection)

    tasks = []
    for number in range(int(rate * seconds)):
        due = start + number / rate
        await asyncio.sleep(max(due - time.perf_counter(), 0))
        tasks.append(asyncio.create_task(run(number, due)))
    await asyncio.gather(*tasks)
    load.seconds = time.perf_counter() - start
    for connection in free:
        connection.close()
    return load
