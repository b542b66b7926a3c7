"""Attacks on the hub's disk: uploads, quotas, backups."""

import concurrent.futures
import contextlib
import hashlib
import os
import sqlite3
import stat
import subprocess
import tempfile
from pathlib import Path

from ..attacked import MODEL, PROJECT, Hub, attack

UPLOAD = "/upload/storage/v1/b/attacked.appspot.com/o"
QUOTA = 2_000_000


def uploads(hub: Hub) -> int:
    """Bytes of all that uploads and files take."""
    return sum(
        path.stat().st_size
        for name in ("uploads", "blobs")
        for path in (hub.folder / name).rglob("*")
        if path.is_file()
    )


def begin(hub: Hub, token: str, name: str, length: int | None = None) -> tuple[int, str]:
    headers = {"X-Upload-Content-Length": str(length)} if length else {}
    status, _, reply = hub.request("POST", f"{UPLOAD}?uploadType=resumable&name={name}", b"", token, headers)
    return status, (reply["Location"] or "").partition("/upload/")[2]


def send(hub: Hub, token: str, location: str, body: bytes, total: int | str = "*") -> int:
    headers = {"Content-Range": f"bytes 0-{len(body) - 1}/{total}"}
    return hub.request("PUT", f"/upload/{location}", body, token, headers)[0]


@attack(rate_limit=0)
def refused_uploads_do_not_fill_the_disk(hub: Hub) -> str | None:
    """A publisher sends uploads that the quota has no room for, again and again."""
    hub.run("project", "set", PROJECT, "--quota", "2")
    token = hub.token("publish")
    body = bytes(3_000_000)
    statuses = set()
    for number in range(20):
        status, location = begin(hub, token, f"x{number}")
        statuses.add(send(hub, token, location, body, len(body)) if status == 200 else status)
    used = uploads(hub)
    assert statuses == {429}, f"an upload beyond the quota was answered with {statuses}"
    assert used <= QUOTA, f"refused uploads left {used} bytes"
    return f"60 MB were sent, {used} bytes are on the disk"


@attack(rate_limit=0)
def unfinished_uploads_do_not_fill_the_disk(hub: Hub) -> str | None:
    """A publisher begins uploads and never ends them."""
    hub.run("project", "set", PROJECT, "--quota", "2")
    token = hub.token("publish")
    statuses = []
    for number in range(20):
        status, location = begin(hub, token, f"x{number}")
        statuses.append(send(hub, token, location, bytes(400_000)) if status == 200 else status)
    used = uploads(hub)
    assert used <= QUOTA + 20_000, f"unfinished uploads have {used} bytes"
    assert statuses.count(308) == 5, f"the quota has room for 5 of these, and {statuses.count(308)} were taken"
    assert begin(hub, token, "announced", 3_000_000)[0] == 429, "an upload beyond the quota was begun"
    return f"8 MB were sent, {used} bytes are on the disk"


@attack(rate_limit=0)
def parallel_uploads_do_not_pass_the_quota(hub: Hub) -> str | None:
    """A publisher sends many uploads at once, each of which alone has room."""
    hub.run("project", "set", PROJECT, "--quota", "2")
    token = hub.token("publish")

    def upload(number: int) -> int:
        body = number.to_bytes(4, "big") * 75_000
        return hub.request("POST", f"{UPLOAD}?uploadType=media&name=x{number}", body, token)[0]

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(upload, range(40)))
    used = uploads(hub)
    assert used <= QUOTA, f"{used} bytes are kept of {QUOTA}"
    assert set(statuses) == {200, 429}, f"statuses {set(statuses)}"
    return f"{statuses.count(200)} of 40 uploads were kept, {used} bytes are on the disk"


@attack(rate_limit=0)
def deleted_uploads_do_not_fill_the_disk(hub: Hub) -> str | None:
    """A publisher deletes and replaces uploads, whose files stay for those who have an address."""
    hub.run("project", "set", PROJECT, "--quota", "2")
    token = hub.token("publish")
    for number in range(20):
        body = number.to_bytes(4, "big") * 250_000
        assert hub.request("POST", f"{UPLOAD}?uploadType=media&name=x", body, token)[0] in (200, 429)
        if number % 2:
            hub.request("DELETE", "/storage/v1/b/attacked.appspot.com/o/x", None, token)
    used = uploads(hub)
    assert used <= QUOTA, f"{used} bytes are on the disk"
    return f"20 MB were sent, {used} bytes are on the disk"


@attack(rate_limit=0)
def records_do_not_grow_beside_the_quota(hub: Hub) -> None:
    """A publisher uploads tiny objects with long content types."""
    hub.run("project", "set", PROJECT, "--quota", "1")
    token = hub.token("publish")
    long = hub.request("POST", f"{UPLOAD}?uploadType=media&name=x", b"x", token, {"Content-Type": "x" * 12_000})
    assert long[0] == 400, f"a content type of 12 kB was answered with {long[0]}"
    before = (hub.folder / "hub.sqlite").stat().st_size
    for number in range(150):
        hub.request("POST", f"{UPLOAD}?uploadType=media&name=x{number}", b"x", token, {"Content-Type": "x" * 255})
    grown = hub.stored_bytes() - before
    assert grown < 10_000_000, f"150 objects of one byte took {grown} bytes"


@attack()
def a_reader_cannot_cancel_an_upload(hub: Hub) -> None:
    """Somebody with a read token learned the address of an upload."""
    token, reader = hub.token("publish"), hub.token("read")
    _, location = begin(hub, token, "x")
    status, _, _ = hub.request("DELETE", f"/upload/{location}", None, reader)
    assert status == 403, f"the reader's request was answered with {status}"
    assert send(hub, token, location, MODEL, len(MODEL)) == 200, "the upload is gone"


@attack()
def a_backup_cannot_be_read_by_others(hub: Hub) -> None:
    """Another user of the machine looks into the folder of the backups, which is open to all."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        hub.run("backup", folder)
        for path in [Path(folder), *Path(folder).rglob("*")]:
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode):
                assert mode & 0o077 == 0, f"{path} has the mode {mode & 0o777:o}"


@attack()
def a_restored_backup_brings_no_links(hub: Hub) -> None:
    """A person who can write to the folder of backups puts a link in place of a model."""
    token = hub.token("publish")
    hub.request("POST", f"{UPLOAD}?uploadType=media&name=x", MODEL, token)
    with tempfile.TemporaryDirectory() as folder:
        backup, restored = Path(folder, "backup"), Path(folder, "restored")
        hub.run("backup", str(backup))
        name = hashlib.sha256(MODEL).hexdigest()
        blob = backup / "blobs" / name[:2] / f"{name}.blob"
        for target in ["/etc/passwd", str(Path(folder, "copy"))]:
            Path(folder, "copy").write_bytes(MODEL)
            blob.unlink()
            blob.symlink_to(target)
            done = subprocess.run(
                [hub.executable, "restore", str(backup), "--data", str(restored)], capture_output=True, text=True
            )
            assert done.returncode == 2, f"the command ended with {done.returncode}: {done.stdout}{done.stderr}"
            assert not (restored / "hub.sqlite").exists(), "the hub is in place"
            assert not any(path.is_symlink() for path in restored.rglob("*")), "the link was restored"


@attack(rate_limit=0)
def changes_without_files_do_not_fill_the_disk(hub: Hub) -> str | None:
    """A publisher of a project with a quota of 1 MB moves an alias to and fro."""
    hub.run("project", "set", PROJECT, "--quota", "1")
    token = hub.token("publish")
    (hub.folder / "model.tflite").write_bytes(MODEL)
    hub.run("publish", "plants", str(hub.folder / "model.tflite"))
    target = f"/hub/v1/projects/{PROJECT}/models/plants/aliases/beta"

    def change(number: int) -> int:
        if number % 2:
            return hub.request("DELETE", target, token=token)[0]
        return hub.request("PUT", target, {"version": 1}, token=token)[0]

    # The write-ahead log has its size by now.
    statuses = {change(number) for number in range(1500)}
    before = hub.stored_bytes()
    statuses |= {change(number) for number in range(3000)}
    grown = hub.stored_bytes() - before
    assert statuses == {200}, statuses
    assert grown < 500_000, f"3000 changes took {grown} bytes"
    with contextlib.closing(sqlite3.connect(f"file:{hub.folder / 'hub.sqlite'}?mode=ro", uri=True)) as records:
        actions = {row[0] for row in records.execute("SELECT action FROM audit")}
    assert "key.create" in actions, "the changes pushed the owner's acts out of the audit log"
    return f"3000 changes took {grown} bytes"


@attack()
def two_backups_at_once_are_one(hub: Hub) -> None:
    """A scheduled backup and one by hand write into the same folder."""
    for number in range(6):
        (hub.folder / "model.tflite").write_bytes(MODEL + bytes(200_000) + bytes([number]))
        hub.run("publish", f"plants{number}", str(hub.folder / "model.tflite"), check=False)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "backup"
        words = [hub.executable, "backup", str(target), "--data", str(hub.folder)]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            done = list(
                pool.map(lambda _: subprocess.run(words, capture_output=True, text=True, timeout=120), range(6))
            )
        for result in done:
            refused = "Another command writes a backup" in result.stderr
            assert result.returncode == 0 or refused, result.stderr
        assert any(result.returncode == 0 for result in done)
        restored = Path(folder) / "restored"
        subprocess.run(
            [hub.executable, "restore", str(target), "--data", str(restored)],
            check=True,
            capture_output=True,
            timeout=120,
        )
