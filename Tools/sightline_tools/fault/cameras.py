"""A watch of cameras, whose events go into a file and to a webhook."""

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from ..places import FIXTURES
from ..programs import Word
from ..watches import problems
from .flow import Flow, TornError
from .library import Run
from .receiver import PORT, received, receiving


class Watch(Flow):
    """Events wait in queues until the file and the receiver have them."""

    def prepare(self, folder: Path) -> None:
        shutil.copy(FIXTURES / "videos/h264-aac.mp4", folder / "a.mp4")
        lines = [
            f"defaults: {{model: {FIXTURES / 'models/ssd_metadata.tflite'}, zone: {{all: '0,0 999,0 999,999 0,999'}}}}",
            "events: events.jsonl",
            f"webhook: http://127.0.0.1:{PORT}/",
            "queue: queue",
            "cameras:",
            "  door: {input: a.mp4, counts: door.csv, pictures: {folder: pictures}}",
        ]
        (folder / "cameras.yaml").write_text("\n".join(lines) + "\n")

    def companions(self, folder: Path) -> AbstractContextManager[None]:
        return receiving(folder)

    def words(self) -> Sequence[Word]:
        return [self.programs / "sightline", "watch", "cameras.yaml"]

    def state(self, folder: Path) -> str:
        """The kinds of events, which are the same in each run."""
        kinds = {f"{event['event']} {event['label']} {event['time']}" for event in self.events(folder)}
        for picture in (folder / "pictures").glob("*.jpg"):
            if not picture.read_bytes().endswith(b"\xff\xd9"):
                raise TornError(f"{picture.name} is cut")
        return "\n".join(sorted(kinds))

    def events(self, folder: Path) -> list[dict[str, object]]:
        """The whole lines of the file of events."""
        file = folder / "events.jsonl"
        lines = file.read_text().split("\n")[:-1] if file.exists() else []
        try:
            return [json.loads(line) for line in lines]
        except ValueError as error:
            raise TornError(f"a line of events is cut: {error}") from error

    def is_between(self, state: str, old: str, new: str) -> bool:
        return set(state.splitlines()) <= set(new.splitlines())

    def contradictions(self, folder: Path, run: Run) -> Iterator[str]:
        events = [str(event["uid"]) for event in self.events(folder)]
        at_receiver = [str(event["uid"]) for event in received(folder)]
        # Without room for the file and for its queue, a run loses events of the file when it ends, and says so.
        is_said = run.status == 1 and "cannot be written" in run.errors
        yield from problems(events, [uid for uid in at_receiver if uid in events] if is_said else at_receiver)
        rows = (folder / "door.csv").read_text().splitlines() if (folder / "door.csv").exists() else []
        if any(row.count(",") != 6 for row in rows):
            yield f"the counts have a row that is cut: {rows}"
