"""The folder in which the commands of a page run, and its content."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from ..fuzz import onnx
from ..places import FIXTURES, ROOT, free_port
from .firebase_stand_in import FirebaseStandIn
from .python_session import PythonSession
from .sample_files import (
    CLASSIFIER,
    DETECTOR,
    FLOAT_CLASSIFIER,
    LABELS,
    NEXT_CLASSIFIER,
    PICTURES,
    POSE,
    SEGMENTATION,
    SLOW_CLASSIFIER,
    UNLABELED_CLASSIFIER,
    VIDEO,
    YOLOX,
    boxes,
    copy,
    labeled_folder,
    sha256,
    template,
)
from .shown_commands import Command

DATA = Path(os.environ.get("SIGHTLINE_TEST_DATA") or ROOT / "../shared/data").resolve()
# Files of the test data under the names that the pages give them.
SHARED = {
    "walkers.mp4": DATA / "video/one-by-one-person-detection.mp4",
    "flower-model/manifest.json": DATA / "models/automl_flowers/manifest.json",
    "flowers/": DATA / "training/coarse/labels.csv",
    "flowers.zip": DATA / "training/coarse/labels.csv",
}
CATALOG = {
    model["name"]: model["sha256"]
    for model in json.loads((ROOT / "Sources/ModelCatalog/catalog.json").read_text())
    if "sha256" in model
}
TRAINING = r"\S*python3? -m sightline_training"
# What a hub must hold before a command, where the document does not say how it came there.
BEFORE = [
    (
        r"hub config (?:get|diff|rollback)|hub experiment start new-plants",
        [
            f"sightline hub publish plants_v1 {CLASSIFIER}",
            f"sightline hub publish plants_v2 {NEXT_CLASSIFIER}",
            "sightline hub config set before.json",
        ],
    ),
]


class Workplace:
    """A folder in which the commands of one document run."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder, self.port, self.tls_port = folder / "work", free_port(), free_port()
        self.folder.mkdir()
        path = folder / "bin"
        path.mkdir()
        for name in ("sightline", "sightline-hub", "sightline-serve"):
            (path / name).symlink_to(programs / name)
        # Commands that a server's administrator gives with sudo run as they are.
        (path / "sudo").write_text('#!/bin/sh\n[ "$1" = -u ] && shift 2\nexec "$@"\n')
        (path / "sudo").chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{path}:{os.environ['PATH']}",
            "HOME": str(folder / "home"),
            "XDG_DATA_HOME": str(folder / "home/data"),
            "XDG_CONFIG_HOME": str(folder / "home/config"),
            "SIGHTLINE_TEST_DATA": str(folder / "data"),
            # Commands that a page shows answer by the models that they name.
            "SIGHTLINE_MODEL": "built-in",
            # A download fails at once.
            "http_proxy": "http://127.0.0.1:9",
            "https_proxy": "http://127.0.0.1:9",
            "no_proxy": "127.0.0.1,localhost",
        }
        runtime = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share", "sightline")
        (folder / "home/data/sightline").mkdir(parents=True)
        for library in [*runtime.glob("litert-*"), *runtime.glob("onnxruntime-*")]:
            (folder / "home/data/sightline" / library.name).symlink_to(library)
        # A failure has a status of its own, and no progress is shown. A name that --resolve leads here needs no proxy.
        options = "fail-with-body\nsilent\nshow-error\nnoproxy = 127.0.0.1,localhost,models.example.org\n"
        (folder / "home/.curlrc").write_text(options)
        self.servers: list[subprocess.Popen[bytes]] = []
        self.session: PythonSession | None = None
        self.firebase: FirebaseStandIn | None = None
        self.hub_port = self.port
        self.done: set[str] = set()
        self.hub, self.hub_stands_in = folder / "home/data/sightline/hub", False
        # The texts of the files that the page shows, by name.
        self.files: dict[str, str] = {}
        # Files and models of the test data that some output is about, and those that fixtures stand for.
        self.shared: set[str] = set()
        self.stand_ins: set[str] = set()
        (self.folder / "before.json").write_text(template("plants_v1"))

    def run(self, command: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            # In the order in which a terminal shows both.
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout,
        )

    def train(self, command: str) -> subprocess.CompletedProcess[str]:
        """Runs a command of Training, whose options are read before anything else."""
        words = shlex.split(re.sub(TRAINING, "", command, count=1).replace("\\\n", " "), comments=True)
        tools = ROOT / ".build/style-tools"
        return subprocess.run(
            [sys.executable, "-m", "sightline_training", *words],
            cwd=ROOT / "Training",
            env={**self.environment, "PYTHONPATH": str(tools), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def run_python(self, command: Command) -> tuple[bool, str]:
        """Runs a statement in the page's session of Python. Returns whether it failed, and what it printed."""
        for word in command.words:
            path = self.folder / word
            is_model = word in CATALOG or path.suffix == ".tflite"
            if not path.exists() and (is_model or path.suffix or word.endswith("/")) and "*" not in word:
                self.make(path, word, "--model" if is_model else "", command.text)
        if not self.session:
            self.session = PythonSession(self.folder, self.environment, "firebase_admin" in command.text)
        statement = command.text.replace(":8080", f":{self.port}")
        if self.stands_in(command):
            # The fixture that stands for a detector knows colors, and that for YOLOX has no labels.
            statement = statement.replace('["person"]', "[]" if "yolox" in statement else '["red"]')
        return self.session.run(statement)

    def stands_in(self, command: Command) -> bool:
        """Whether a fixture stands for something that the command names."""
        return not self.stand_ins.isdisjoint(command.words)

    def serve(self, command: str) -> tuple[int, str]:
        """Starts a server in the background and waits until its port answers."""
        named = re.search(r"--port (\d+)", command)
        port = int(named[1]) if named else self.port
        if " hub serve" in command:
            self.hub_port = port
        with (self.folder / "server.log").open("w") as log:
            server = subprocess.Popen(
                ["bash", "-c", "exec " + command],
                cwd=self.folder,
                env=self.environment,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.servers.append(server)
        for _ in range(300):
            if server.poll() is not None:
                return server.returncode, (self.folder / "server.log").read_text()
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return 0, ""
            time.sleep(0.1)
        return 1, f"nothing listens on port {port} after 30 seconds"

    def stop(self) -> None:
        if self.session:
            self.session.stop()
        if self.firebase:
            self.firebase.stop()
        for server in self.servers:
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGTERM)
                server.wait(timeout=30)

    def import_from_stand_in(self, command: str) -> str:
        """The command `hub import --firebase KEY-FILE` about a hub that stands for Firebase, and its key file."""
        if not self.firebase:
            folder = self.folder.parent
            self.firebase = FirebaseStandIn(folder / "firebase", folder / "bin/sightline-hub", self.environment)
        key_file = re.search(r"--firebase (\S+)", command)
        if key_file and not (self.folder / key_file[1]).exists():
            self.firebase.make_key_file(self.folder / key_file[1])
        return command.replace("hub import", f"hub import {self.firebase.options}", 1)

    # Inputs

    def prepare(self, command: str) -> None:
        """Makes the files that the command reads and that are not there."""
        self.prepare_hub(command)
        words = shlex.split(command.replace("\\\n", " "), comments=True)
        outputs = {">", "--annotate", "--html", "--output", "--store", "--json", "--crop", "--check"}
        for number, word in enumerate(words):
            before = words[number - 1] if number else ""
            if words[0] == "curl":
                # The file of a body, or of a field of a form.
                word = word.rpartition("@")[2]
            if before in outputs or word.startswith(("-", "hub:")) or "://" in word:
                continue
            # A file that curl sends.
            word = re.sub(r"^(?:[\w-]+=)?@(?=\w)", "", word)
            path = self.folder / os.path.expandvars(
                word.replace("$SIGHTLINE_TEST_DATA", self.environment["SIGHTLINE_TEST_DATA"])
            )
            if not path.exists():
                self.make(path, word, before, command)

    def prepare_hub(self, command: str) -> None:
        """Makes the hub, and what the command needs in it."""
        if "hub restore" in command:
            # The page moves to a new server.
            shutil.rmtree(self.folder / "hub", ignore_errors=True)
            if not (self.folder / "backup/hub").exists():
                self.run(f"sightline hub backup {self.folder}/backup/hub")
        if "hub config diff" in command:
            # The reader has changed the file.
            (self.folder / "config.json").write_text(template("plants_v2"))
        if " hub " not in command or re.search(r"hub restore|hub migrate|--data |--database |--blobs ", command):
            return
        if "hub project create" in command:
            # The page begins a hub of its own.
            if self.hub_stands_in:
                shutil.rmtree(self.hub, ignore_errors=True)
                self.done.clear()
            self.hub_stands_in = False
            return
        setup = []
        if not self.hub.exists():
            self.hub_stands_in = True
            setup.append("sightline hub project create my-plants")
        for pattern, steps in BEFORE:
            if re.search(pattern, command) and pattern not in self.done:
                self.done.add(pattern)
                setup += steps
        if publish := re.search(r"hub publish (\S+)", command):
            self.done.add(publish[1])
        if (evaluate := re.search(r"hub evaluate (\S+)", command)) and evaluate[1] not in self.done:
            self.done.add(evaluate[1])
            model, labels = CLASSIFIER, ""
            if "flowers.zip" in self.shared and SHARED["flowers.zip"].exists():
                folder = SHARED["flower-model/manifest.json"].parent
                model, labels = folder / "model.tflite", f" --labels {folder}/dict.txt"
            setup.append(f"sightline hub publish {evaluate[1]} {model}{labels}")
        for step in setup:
            done = self.run(step)
            if done.returncode != 0:
                sys.exit(f"error: a hub could not be prepared for a test: {step}\n{done.stdout}")

    def make(self, path: Path, word: str, before: str, command: str) -> None:
        if (ROOT / word).is_file():
            copy(ROOT / word, path)
            return
        if word in self.files:
            path.write_text(self.files[word])
            for name in re.findall(r"\bmodel: ([\w-]+)", self.files[word]):
                self.install(name, YOLOX if "yolox" in name else DETECTOR)
            return
        names = re.search(r" labels? ", command) or before == "--classifier"
        classifies = names or "publish" in command or "plants" in word
        detector = POSE if "movenet" in word or "pose" in word else YOLOX if "yolox" in word else DETECTOR
        model = CLASSIFIER if classifies else detector
        if word in SHARED:
            if word in self.shared and SHARED[word].exists():
                self.make_shared(path, SHARED[word])
                return
            self.stand_ins.add(word)
        if "--labels" in command:
            model = UNLABELED_CLASSIFIER
        if re.search("sightline optimize|hub publish .*--optimize", command):
            model = FLOAT_CLASSIFIER if "--calibrate" in command else SLOW_CLASSIFIER
        model = next((found for part, found in SEGMENTATION.items() if part in word), model)
        if "--stage" in command:
            model = NEXT_CLASSIFIER
        if path.suffix in PICTURES:
            copy(FIXTURES / "images" / PICTURES[path.suffix], path)
        elif path.suffix in (".mp4", ".mkv", ".mov", ".avi"):
            copy(VIDEO, path)
        elif path.suffix == ".tflite":
            copy(model, path)
        elif path.suffix == ".onnx" and "publish" in command:
            path.write_bytes(onnx.convolution())
        elif path.name in ("dict.txt", "labels.txt"):
            path.write_text("".join(f"{label}\n" for label in LABELS))
        elif path.suffix == ".zip":
            labeled_folder(self.folder / ".labeled")
            self.crop_drawing(self.folder / ".labeled")
            with zipfile.ZipFile(path, "w") as archive:
                for file in sorted((self.folder / ".labeled").rglob("*.*")):
                    archive.write(file, file.relative_to(self.folder / ".labeled"))
        elif path.name == "hub.json":
            # The address and a key of the hub of the page, which serves the model that the command names.
            for name in re.findall(r"hub:([\w-]+)", command):
                self.run(f"sightline hub publish {name} {CLASSIFIER}")
            key = self.run("sightline hub key create --api-key app").stdout.split()[-1]
            address = f"http://127.0.0.1:{self.hub_port}"
            path.write_text(json.dumps({"hub": address, "projectID": "my-plants", "apiKey": key}))
        elif path.name == "config.json":
            path.write_text(template("plants_v2"))
        elif path.name == "det.txt":
            path.write_text("".join(f"{frame},-1,10,20,30,40,0.9,-1,-1,-1\n" for frame in range(1, 10)))
        elif path.suffix == ".json" and "--images" in command:
            boxes(path)
        elif path.name == "manifest.json" or (before == "--model" and word.endswith("-model")):
            folder = path.parent if path.suffix else path
            copy(model, folder / "model.tflite")
            (folder / "dict.txt").write_text("".join(f"{label}\n" for label in LABELS))
            kind = "IMAGE_LABELING" if classifies else "OBJECT_DETECTION"
            manifest = {"modelType": kind, "modelFile": "model.tflite", "labelsFile": "dict.txt"}
            (folder / "manifest.json").write_text(json.dumps(manifest))
        elif path.suffix == ".txt" and "key" in path.name:
            path.write_text("AIzaSyA0123456789abcdefghijklmnopqrstuv\n")
        elif before.endswith("-token-file"):
            path.write_text("a-token-of-sixteen-letters-or-more\n")
        elif word.endswith("/"):
            if "evaluate labels" in command or "hub evaluate" in command:
                labeled_folder(path)
            elif "train labels" in command:
                labeled_folder(path, 4)
            elif path.name == "videos":
                copy(VIDEO, path / "a.mp4")
            else:
                copy(FIXTURES / "images/large-444.jpg", path / "a.jpg")
        elif before == "--model" or (before in ("inspect", "show", "path") and "/" not in word):
            self.install(word, model)

    def crop_drawing(self, folder: Path) -> None:
        """Makes pictures that the built-in classifier labels, from the drawing of the tutorials."""
        drawing = ROOT / "Documentation/Pictures/scene.png"
        classifier = ROOT / "Sources/Sightline/Resources/coarse_classifier.sightline.json"
        options = f"--classifier {classifier} --threshold 0.35 --crop .crops --format json"
        found = self.run(f"sightline detect {drawing} {options}")
        for number, detected in enumerate(json.loads(found.stdout)[0]["objects"], start=1):
            for file in (self.folder / ".crops").rglob(f"*-{number}.jpg"):
                if detected["labels"]:
                    copy(file, folder / detected["labels"][0]["text"] / file.name)

    def make_shared(self, path: Path, source: Path) -> None:
        """Makes a file or folder of the test data available under the name of a page."""
        if source.name == "labels.csv":
            photos = [row.split(",") for row in source.read_text().splitlines() if row.split(",")[3] == "flower_photos"]
            for name, _, label, *_ in photos:
                copy(source.parent / "images" / name, self.folder / "flowers" / label / name)
            if path.suffix == ".zip":
                shutil.make_archive(str(path.with_suffix("")), "zip", self.folder / "flowers")
        elif source.name == "manifest.json":
            for file in source.parent.iterdir():
                copy(file, path.parent / file.name)
        else:
            path.symlink_to(source)

    def install(self, name: str, model: Path) -> None:
        """Installs a model of the catalog, or a fixture under its name."""
        if name in CATALOG and name in self.shared:
            model = next((file for file in DATA.glob("models/*/*.tflite") if sha256(file) == CATALOG[name]), model)
        if name in CATALOG and sha256(model) != CATALOG[name]:
            self.stand_ins.add(name)
        done = self.run(f"sightline models install {shlex.quote(name)} --from {model} --sha256 {sha256(model)}")
        if done.returncode != 0:
            sys.exit(f"error: the model {name} could not be installed for a test.\n{done.stdout}")
