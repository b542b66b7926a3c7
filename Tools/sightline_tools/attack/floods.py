"""Many requests at once, and connections that may have been closed."""

import socket
import threading
import time
from collections.abc import Callable


def flood(seconds: float, connections: int, send: Callable[[], int]) -> list[int]:
    """Lets clients send the same request again and again; gives the statuses of the answers."""
    statuses, end = [], time.monotonic() + seconds

    def run() -> None:
        while time.monotonic() < end:
            try:
                statuses.append(send())
            except OSError:
                statuses.append(0)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return statuses


def is_open(connection: socket.socket) -> bool:
    """Whether the other side has not closed a connection, whatever it has sent before."""
    connection.settimeout(0.05)
    try:
        while connection.recv(65536):
            pass
        return False
    except TimeoutError:
        return True
    except OSError:
        return False
