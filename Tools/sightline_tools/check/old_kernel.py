"""Checks on a kernel of Linux without Landlock what the sandbox of the hub's processes still forbids.

    Scripts/tools check old-kernel --kernel VMLINUZ

The kernel runs in QEMU (`apt-get install qemu-system-x86`), without KVM, with debug builds of SandboxProbe,
sightline-hub and what they load. Debian 11 has Linux 5.10: linux-image-5.10.0-…-cloud-amd64 contains the file
boot/vmlinuz-…, which `dpkg-deb --extract` takes out, and busybox-static for --busybox is in any Debian.
"""

import argparse
import gzip
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..places import FIXTURES, debug_program, temporary_folder
from ..programs import output

# What works in the sandbox without Landlock: reading files whose user is that of the hub. All else must fail.
ALLOWED = {"systemCalls", "threads", "read", "readForbidden", "readConnections", "thread", "descriptorFlags"}
ATTEMPTS = 21
INIT = """#!/bin/busybox sh
export PATH=/bin HOME=/root
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
mount -t sysfs sys /sys
ifconfig lo 127.0.0.1 up
echo readable >/tmp/readable
echo forbidden >/tmp/forbidden
cd {programs}
echo "== kernel $(uname -r)"
echo "== probe"
./SandboxProbe /tmp/readable /tmp/forbidden 9
echo "== rest $(ls /tmp | grep forbidden | tr '\\n' ' ')"
./sightline-hub project create kernel --data /tmp/hub
./sightline-hub publish good /tmp/model.tflite --data /tmp/hub
echo "== good $?"
dd if=/dev/urandom of=/tmp/bad.tflite bs=5000 count=1 2>/dev/null
./sightline-hub publish bad /tmp/bad.tflite --data /tmp/hub
echo "== bad $?"
./sightline-hub serve --data /tmp/hub --port 0 >/tmp/log 2>&1 &
for second in $(seq 120); do
    if grep -q '"address"' /tmp/log; then break; fi
    sleep 1
done
cat /tmp/log
kill $!
wait $!
echo "== over"
poweroff -f
"""


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--kernel", type=Path, required=True, metavar="VMLINUZ")
    parser.add_argument("--busybox", type=Path, default=Path("/bin/busybox"), help="a static busybox (/bin/busybox)")
    options = parser.parse_args(words)
    emulator = shutil.which(f"qemu-system-{platform.machine()}")
    if emulator is None:
        sys.exit('error: QEMU is not installed; run "apt-get install qemu-system-x86".')
    for path in (options.kernel, options.busybox):
        if not path.exists():
            sys.exit(f"error: there is no file {path}; --help says where it comes from.")
    with temporary_folder("kernel") as folder:
        root = folder / "root"
        fill(root, options.busybox)
        initial = folder / "root.gz"
        with gzip.open(initial, "wb", compresslevel=1) as file:
            for piece in archive(root):
                file.write(piece)
        # KVM has to be allowed, and is not on machines that are virtual themselves.
        command = [emulator, "-M", "pc", "-cpu", "max", "-accel", "tcg,thread=multi", "-smp", "2", "-m", "3G"]
        command += ["-nographic", "-nic", "none", "-no-reboot", "-kernel", str(options.kernel), "-initrd", str(initial)]
        command += ["-append", "console=ttyS0 panic=-1 quiet"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired as error:
            sys.exit(f"error: the kernel did not end in ten minutes; it said: {(error.stdout or b'')[-2000:]!r}")
    text = done.stdout.replace("\r", "")
    if found := problems(text):
        sys.exit("".join(f"error: {problem}.\n" for problem in found) + text[-4000:])
    kernel = re.search(r"== kernel (\S+)", text)
    print(f"On Linux {kernel[1] if kernel else '?'}, the sandbox forbids all but reading; the hub says so and works.")


def problems(text: str) -> list[str]:
    """The problems that the kernel's console shows."""
    lines = re.findall(r"^(\w+) (ok|failed)$", text, re.MULTILINE)
    found = []
    if len(lines) != ATTEMPTS:
        found.append(f"the probe made {len(lines)} attempts, not {ATTEMPTS}")
    works = {name for name, state in lines if state == "ok"}
    found += [f"{name} works in the sandbox" for name in sorted(works - ALLOWED)]
    found += [f"{name} does not work in the sandbox" for name in sorted({"systemCalls", "read", "thread"} - works)]
    if "== rest forbidden \n" not in text:
        found.append("the sandbox has changed the forbidden file")
    if "== good 0" not in text:
        found.append("the hub does not publish a model")
    if not re.search(r"== bad [1-9]", text):
        found.append("the hub publishes a damaged model")
    if "Landlock" not in text:
        found.append("the hub does not say that the kernel has no Landlock")
    if "== over" not in text:
        found.append("the programs have not ended")
    return found


def fill(root: Path, busybox: Path) -> None:
    """Puts all files of the machine into a folder, each program where it is here, since it finds its libraries so."""
    for name in ("proc", "sys", "dev", "tmp", "bin", "root"):
        (root / name).mkdir(parents=True)
    shutil.copy(busybox, root / "bin/busybox")
    programs = [debug_program(name) for name in ("SandboxProbe", "sightline-hub")]
    runtime = Path(output(["Scripts/fetch-runtime", "--print-folder"]).strip())
    libraries = {*runtime.glob("*.so")}
    for program in [*programs, *libraries]:
        loaded = output(["ldd", program])
        libraries |= {Path(path) for path in re.findall(r"(/\S+) \(0x", loaded)}
    for path in [*programs, *libraries]:
        target = root / path.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["strip", "--strip-debug", "-o", target, path.resolve()], check=True)
    # The home folder may be another one there.
    here, there = root / runtime.relative_to("/"), root / "root/.local/share/sightline" / runtime.name
    if here != there:
        shutil.copytree(here, there, dirs_exist_ok=True)
    shutil.copytree(
        debug_program("Sightline_Sightline.resources").resolve(),
        root / debug_program("Sightline_Sightline.resources").relative_to("/"),
    )
    shutil.copy(FIXTURES / "models/ssd_metadata.tflite", root / "tmp/model.tflite")
    (root / "init").write_text(INIT.format(programs=programs[0].parent))
    (root / "init").chmod(0o755)


def archive(root: Path) -> Iterator[bytes]:
    """A folder in the form "newc" of cpio, which the kernel unpacks: https://docs.kernel.org/driver-api/early-userspace/"""
    for number, path in enumerate(sorted(root.rglob("*")), start=1):
        data = b"" if path.is_dir() else path.read_bytes()
        yield member(str(path.relative_to(root)), path.stat().st_mode, number, data)
    yield member("TRAILER!!!", 0, 0, b"")


def member(name: str, mode: int, number: int, data: bytes) -> bytes:
    """A file or folder of root."""
    fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name.encode()) + 1, 0]
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)
