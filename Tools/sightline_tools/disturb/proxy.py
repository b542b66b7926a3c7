"""A network that can fail: a proxy on loopback between hubs and a server."""

import asyncio
import socket
import struct
import threading


class Proxy:
    """Passes bytes on to a port, or disturbs them.

    The ways, which `set` chooses for old and new connections:

    pass    passes everything on
    cut     resets every connection
    stall   passes nothing on and answers nothing, as if the network lost every packet; "pass" continues
    slow    passes 1 KiB every half second
    500, 503   answers every HTTP request with this status, and passes nothing on
    """

    def __init__(self, port: int) -> None:
        self.target, self.way = port, "pass"
        self.connections: set[asyncio.StreamWriter] = set()
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        threading.Thread(target=self.run, args=(started,), daemon=True).start()
        started.wait()

    def run(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self.loop)
        self.changed = asyncio.Event()
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        self.loop.run_forever()

    def set(self, way: str) -> None:
        """Chooses a way. Connections that were disturbed in the middle of an answer are reset, but for stalled ones."""
        done = threading.Event()
        self.loop.call_soon_threadsafe(self.change, way, done)
        done.wait()

    def change(self, way: str, done: threading.Event) -> None:
        before, self.way = self.way, way
        if way not in ("pass", "stall", "slow") or before not in ("pass", "stall", "slow"):
            for writer in list(self.connections):
                reset(writer)
        self.changed.set()
        self.changed = asyncio.Event()
        done.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.add(writer)
        try:
            if self.way == "cut":
                reset(writer)
            elif self.way in ("500", "503"):
                await self.refuse(reader, writer, self.way)
            else:
                await self.connect(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.connections.discard(writer)
            writer.close()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not await self.may_pass(writer):
            return
        upstream, target = await asyncio.open_connection("127.0.0.1", self.target)
        self.connections.add(target)
        try:
            await asyncio.gather(self.copy(reader, target), self.copy(upstream, writer))
        finally:
            self.connections.discard(target)
            target.close()

    async def copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1024 if self.way == "slow" else 1 << 16):
            if self.way == "slow":
                await asyncio.sleep(0.5)
            if not await self.may_pass(writer):
                return
            writer.write(data)
            await writer.drain()
        writer.close()

    async def may_pass(self, writer: asyncio.StreamWriter) -> bool:
        """Waits while nothing passes; false if the connection was reset meanwhile."""
        while self.way == "stall":
            await self.changed.wait()
        return not writer.transport.is_closing()

    async def refuse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: str) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = [line for line in head.split(b"\r\n") if line.startswith(b"content-length:")]
            await reader.readexactly(int(length[0].split(b":")[1]) if length else 0)
            writer.write(f"HTTP/1.1 {status} Fault\r\nContent-Length: 0\r\n\r\n".encode())
            await writer.drain()


def reset(writer: asyncio.StreamWriter) -> None:
    """Ends a connection as a machine without knowledge of it does."""
    handle = writer.get_extra_info("socket")
    if handle is not None:
        handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
