"""Cameras over RTSP on loopback: ffmpeg plays a video in a loop, in real time, and GStreamer's server passes it on.

    /usr/bin/python3 -m sightline_tools.cameras PORT VIDEO…

Serves the videos at rtsp://127.0.0.1:PORT/0, /1 and so on. Needs Debian's packages ffmpeg, gir1.2-gst-rtsp-server-1.0,
gstreamer1.0-plugins-good, gstreamer1.0-plugins-bad and python3-gi, and Debian's own Python, for which python3-gi is
made.
"""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path


class Cameras:
    """Cameras that can be killed."""

    def __init__(self, port: int, videos: Sequence[str]) -> None:
        self.port, self.videos = port, videos
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts the cameras; they answer a little later."""
        words = ["/usr/bin/python3", "-m", "sightline_tools.cameras", str(self.port), *self.videos]
        # Without output, so that cameras that outlive their tool hold no pipe open.
        self.process = subprocess.Popen(
            words,
            cwd=Path(__file__).parent.parent,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def kill(self) -> None:
        """Ends the cameras; their ffmpegs end with them."""
        if self.process:
            self.process.terminate()
            self.process.wait()
            self.process = None

    def address(self, number: int) -> str:
        """The address of a camera."""
        return f"rtsp://127.0.0.1:{self.port}/{number}"


def serve(port: int, videos: Sequence[str]) -> None:
    """Serves videos until SIGTERM."""
    import gi

    gi.require_version("Gst", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, Gst, GstRtspServer

    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_service(str(port))
    server.set_address("127.0.0.1")
    loop = GLib.MainLoop()
    players: dict[int, subprocess.Popen[bytes]] = {}
    is_over = threading.Event()

    def play(number: int, video: str) -> None:
        address = f"udp://127.0.0.1:{port + 1 + number}?pkt_size=1316"
        words = [
            "ffmpeg",
            "-nostdin",
            "-loglevel",
            "error",
            "-re",
            "-stream_loop",
            "-1",
            "-i",
            video,
            "-an",
            "-c",
            "copy",
        ]
        while not is_over.is_set():
            players[number] = subprocess.Popen([*words, "-f", "mpegts", address])
            players[number].wait()
            time.sleep(0.1)

    for number, video in enumerate(videos):
        factory = GstRtspServer.RTSPMediaFactory()
        source = f"udpsrc address=127.0.0.1 port={port + 1 + number} buffer-size=2000000"
        factory.set_launch(f"( {source} ! tsdemux ! h264parse config-interval=1 ! rtph264pay name=pay0 pt=96 )")
        factory.set_shared(True)
        server.get_mount_points().add_factory(f"/{number}", factory)
        threading.Thread(target=play, args=(number, video), daemon=True).start()
    server.attach(None)

    def stop(*_: object) -> None:
        is_over.set()
        for player in players.values():
            player.kill()
        loop.quit()

    signal.signal(signal.SIGTERM, stop)
    # Signals are handled between the steps of the loop.
    GLib.timeout_add(200, lambda: True)
    loop.run()


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2:])
