"""The way of a stranger from photos to a rollout, in a browser: a new project, a zip of photos, a training,
corrections, another training, a shadow, a rollout with guards.

Every step in the console is a click or a field, as a person would do it. Only what is not in the console is a program:
the hub, `sightline serve`, its clients, and the apps that report results.
"""

import contextlib
import hashlib
import json
import random
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..hubs import Place, ServingHub, send
from ..programs import Word
from ..simulate.devices import Device
from ..waiting import until
from .browser import Browser, PageError

PROJECT, DATA_SET = "my-garden", "leaves"
# Of each label: photos of the archive, of requests, and of a later archive.
COUNTS = (20, 20, 6)
MISLABELED = 3

Look = Callable[[Browser, str], None]
Photos = dict[str, list[Path]]


class Server:
    """A running `sightline serve` on a port of loopback."""

    def __init__(self, executable: Word, *words: Word) -> None:
        command = [str(word) for word in (executable, *words, "--port", "0")]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None and self.process.stderr is not None
        self.log: list[str] = []
        errors = self.process.stderr
        threading.Thread(target=lambda: self.log.extend(errors), daemon=True).start()
        line = self.process.stdout.readline()
        if "http" not in line:
            self.process.wait()
            raise PageError(f"sightline serve did not start: {''.join(self.log)}")
        self.address = line.rpartition(" ")[2].strip()
        self.port = int(self.address.rpartition(":")[2])

    def is_ready(self) -> bool:
        """Whether the server has its model and the shadow."""
        if send(self.port, "GET", "/readyz")[0] != 200:
            return False
        shadows = json.loads(send(self.port, "GET", "/v1/shadows")[1])["shadows"]
        return all(shadow["isReady"] for shadow in shadows)

    def stop(self) -> None:
        """Asks the server to end, and waits until it has."""
        self.process.terminate()
        self.process.wait(timeout=60)


class Stranger:
    """Somebody with photos, in front of a browser."""

    def __init__(self, programs: Path, folder: Path, browser: Browser, photos: Photos, look: Look) -> None:
        self.programs, self.folder, self.browser, self.photos, self.show = programs, folder, browser, photos, look
        self.place = Place(programs / "sightline-hub", ["--data", folder / "hub"])
        # The label that each photo deserves, by the hash of its file.
        self.truth = {
            hashlib.sha256(file.read_bytes()).hexdigest(): label for label, files in photos.items() for file in files
        }

    def look(self, name: str) -> None:
        """Looks at the page."""
        self.show(self.browser, name)

    def say(self, text: str) -> None:
        print(f"passed  {text}", flush=True)

    def heading(self) -> str:
        return str(self.browser.evaluate("document.querySelector('h1').textContent"))

    def archive(self, name: str, start: int, count: int, mislabeled: int = 0) -> Path:
        """A zip archive with a folder for each label; a few photos are in the wrong one."""
        labels, target = list(self.photos), self.folder / name
        with zipfile.ZipFile(target, "w") as made:
            for index, label in enumerate(labels):
                for number, file in enumerate(self.photos[label][start : start + count]):
                    is_wrong = number == 2 and index < mislabeled
                    made.write(file, f"{labels[(index + 1) % len(labels)] if is_wrong else label}/{file.name}")
        return target

    # The parts of the way, in their order.

    def walk(self, hub: ServingHub) -> None:
        """Goes the whole way."""
        self.hub = hub
        self.sign_in()
        self.begin_project()
        self.add_photos()
        self.train("1")
        self.serve_first_version()
        self.correct()
        self.train("2")
        self.draw_boxes()
        self.make_keys()
        with self.server() as server:
            self.compare(server)
        self.roll_out()
        self.meet_other_labels()
        self.see_the_rest()

    def sign_in(self) -> None:
        self.place.run("project", "create", "first-project")
        link = self.place.run("console", "--project", "first-project").strip()
        self.browser.open(link)
        self.look("sign-in-link")
        self.browser.press("Sign in")
        self.browser.wait("location.pathname === '/console/models'")
        self.look("models-empty")
        self.say("a link signs the stranger in")

    def begin_project(self) -> None:
        self.browser.open(f"{self.hub.address}/console/projects")
        self.browser.fill("id", PROJECT)
        self.browser.press("Create the project")
        self.look("projects")
        self.browser.press(f"Show {PROJECT}")
        self.say("a project is made")

    def add_photos(self) -> None:
        self.browser.press("Data sets")
        self.look("datasets-empty")
        self.browser.fill("name", DATA_SET)
        self.browser.press("Create")
        self.browser.wait(f"document.querySelector('h1').textContent === '{DATA_SET}'")
        self.look("dataset-empty")
        archive = self.archive("photos.zip", 0, COUNTS[0], MISLABELED)
        self.browser.choose("photos-file", [archive])
        self.browser.wait("!document.querySelector('[data-chosen]').hidden")
        self.look("dataset-chosen")
        self.browser.press("Add")
        self.browser.wait_for(f"{COUNTS[0] * len(self.photos)} photos added.")
        self.look("dataset")
        self.browser.press("Data sets", "nav.sections")
        self.look("datasets")
        self.browser.press(DATA_SET)
        self.say(f"{COUNTS[0] * len(self.photos)} photos are added from a zip archive")

    def train(self, version: str) -> None:
        self.browser.press("Train")
        # The page would show the next state meanwhile.
        self.browser.evaluate("window.fetch = () => new Promise(() => {})")
        if version == "1" and self.browser.evaluate("!!document.querySelector('[data-poll-text]')"):
            self.look("training")
        self.browser.open(f"{self.hub.address}/console/datasets/{DATA_SET}")
        self.browser.wait_for(f"Version {version} of {DATA_SET} is staged.")
        self.look(f"trained-{version}")
        self.say(f"version {version} is trained")

    def model_page(self, part: str = "Overview") -> None:
        self.browser.press("Models", "nav.sections")
        self.browser.press(DATA_SET)
        if part != "Overview":
            self.browser.press(part, "nav.parts")

    def serve_first_version(self) -> None:
        self.browser.press("See its evaluation")
        self.look("evaluation")
        self.browser.press(DATA_SET)
        self.look("model-staged")
        self.browser.press("Versions", "nav.parts")
        self.browser.press("Serve version 1")
        self.browser.press("Publish")
        self.browser.wait_for("Published")
        self.look("model-published")
        self.say("the first version is served")

    def correct(self) -> None:
        """Clicks the right label of doubtful photos whose label is wrong."""
        self.browser.press("Data sets", "nav.sections")
        self.browser.press(DATA_SET)
        doubts = self.browser.evaluate("""[
          ...document.querySelectorAll("[aria-labelledby=doubtful-title] [data-photo]")
        ].map((one) => [one.dataset.photo, one.querySelector("[data-label]").textContent])""")
        wrong = [(photo, self.truth[photo]) for photo, label in doubts if self.truth[photo] != label]
        for photo, label in wrong[:MISLABELED]:
            item = f"[aria-labelledby=doubtful-title] [data-photo='{photo}']"
            self.browser.click(label, item)
            self.browser.wait(f"document.querySelector(\"{item} [data-label]\").textContent === '{label}'")
        if len(wrong) < MISLABELED:
            raise PageError(
                f"only {len(wrong)} of {MISLABELED} wrong labels are among the {len(doubts)} doubtful photos"
            )
        self.look("corrected")
        self.say(f"{MISLABELED} labels are corrected, all of them found among {len(doubts)} doubtful photos")

    def draw_boxes(self) -> None:
        self.browser.new_page(lambda: self.browser.evaluate("document.querySelector('.photo-link').click()"))
        self.browser.click("New box in the middle")
        self.browser.wait("document.querySelector('.drawn-box')")
        self.look("boxes")

    def make_keys(self) -> None:
        """An API key and a token, with which the server gets models and adds pictures."""
        for name, kind in (("server", "apiKey"), ("shadow", "token")):
            self.browser.open(f"{self.hub.address}/console/keys")
            if kind == "apiKey":
                self.look("keys-empty")
            self.browser.fill("name", name)
            self.browser.pick("kind", "API key" if kind == "apiKey" else "Token")
            self.browser.pick("role", "Publisher")
            self.browser.press("Create")
            self.browser.wait("document.getElementById('secret')")
            secret = self.browser.evaluate("document.getElementById('secret').value")
            if kind == "apiKey":
                self.look("secret")
                words = {"hub": self.hub.address, "projectID": PROJECT, "apiKey": secret}
                (self.folder / "hub.json").write_text(json.dumps(words))
                self.key = secret
            else:
                (self.folder / "token").write_text(secret)
            self.browser.press("I have copied it")
        self.look("keys")
        self.say("a key and a token are made")

    @contextlib.contextmanager
    def server(self) -> Iterator[Server]:
        words: list[Word] = ["--model", f"hub:{DATA_SET}", "--shadow", f"hub:{DATA_SET}@staging", "--sample", "100%"]
        kept: list[Word] = ["--keep-different", "200", "--keep-folder", self.folder / "different"]
        hub: list[Word] = ["--hub", self.folder / "hub.json", "--keep-token-file", self.folder / "token"]
        server = Server(self.programs / "sightline-serve", *words, *kept, *hub)
        try:
            if not until(server.is_ready, 120):
                raise PageError(f"sightline serve does not become ready: {''.join(server.log)}")
            yield server
        finally:
            server.stop()

    def compare(self, server: Server) -> None:
        """Real requests, which the staged version answers unseen."""
        self.browser.open(f"{server.address}/shadows")
        self.look("shadows-empty")
        files = [file for files in self.photos.values() for file in files[COUNTS[0] : COUNTS[0] + COUNTS[1]]]
        random.Random(1).shuffle(files)
        for file in files:
            # Unhurried, so that the shadow gets each of them.
            for _ in range(2):
                status, body, _ = send(server.port, "POST", "/v1/label", file.read_bytes())
                if status != 200:
                    raise PageError(f"a request was answered with {status}: {body[:200]!r}")
            time.sleep(0.1)
        self.browser.open(f"{server.address}/shadows")
        self.browser.wait_for("The answers differ in")
        pictures = "document.querySelectorAll('#pictures li').length > 0"
        self.browser.wait(f"{pictures} || document.querySelector('#shadows p').textContent.includes(' 0.0 %')")
        self.look("shadows")
        text = self.browser.evaluate("document.querySelector('#shadows p').textContent")
        self.say(f"the staged version answers unseen: {text}")
        if self.browser.evaluate("document.getElementById('add').hidden"):
            self.say("no answer differs, so no picture is kept")
        else:
            self.browser.fill("dataset", DATA_SET)
            self.browser.click("Add all pictures")
            self.browser.wait("document.getElementById('added').textContent.includes(' new in the data set ')")
            self.look("shadows-added")
            self.say(self.browser.evaluate("document.getElementById('added').textContent"))
        self.browser.open(f"{server.address}/")
        self.look("serve")
        # The server reports once a minute.
        self.browser.open(f"{self.hub.address}/console/models")
        self.browser.press(DATA_SET)
        self.browser.press("Evaluate", "nav.parts")
        end = time.monotonic() + 150
        while not self.browser.evaluate("document.body.innerText.includes('Different answers')"):
            if time.monotonic() > end:
                raise PageError("the hub shows no different answers")
            time.sleep(2)
            self.browser.open(self.browser.evaluate("location.href"))
        self.look("different-answers")
        self.say("the hub shows how often the answers differ")

    def roll_out(self) -> None:
        self.browser.press("Overview", "nav.parts")
        self.browser.press("Roll out a version")
        self.look("rollout-new")
        self.browser.fill("steps", "50, 100")
        # So long that the plan does not end by itself before the stranger does.
        self.browser.fill("hours", "0.5")
        self.browser.press("Start the rollout")
        self.browser.wait_for("The rollout is running")
        self.look("rollout-begun")
        # Apps ask for the model and report what they see.
        with ThreadPoolExecutor(4) as threads:
            devices = list(
                threads.map(lambda number: Device(self.hub, self.key, number, 0.9, PROJECT, DATA_SET), range(120))
            )
            for _ in range(4):
                list(threads.map(Device.work, devices))
        self.browser.open(self.browser.evaluate("location.href"))
        self.browser.wait("!!document.querySelector('.chart')")
        self.look("rollout")
        self.browser.press("Give all devices version 2")
        self.browser.wait_for("version 2")
        self.look("rollout-finished")
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(Device.work, devices))
        if len({device.known for device in devices}) != 1:
            raise PageError("some devices did not get the version that was rolled out")
        self.browser.press("Rollouts", "nav.sections")
        self.look("rollouts")
        self.model_page()
        self.look("model")
        self.say(f"version 2 is rolled out to {len(devices)} devices, and served")

    def meet_other_labels(self) -> None:
        """A model with one more label is not served without a question."""
        self.browser.press("Data sets", "nav.sections")
        self.browser.press(DATA_SET)
        archive = self.archive("more.zip", sum(COUNTS[:2]), COUNTS[2])
        with zipfile.ZipFile(archive, "a") as made:
            for number, file in enumerate(next(iter(self.photos.values()))[-COUNTS[2] :]):
                made.write(file, f"other leaves/{number}.jpg")
        self.browser.click("Add photos")
        self.browser.choose("photos-file", [archive])
        self.browser.press("Add")
        self.train("3")
        self.model_page("Versions")
        self.look("versions")
        self.browser.press("Serve version 3")
        self.look("other-labels")
        self.browser.press("Cancel")
        self.say("other labels are shown before they are served")

    def see_the_rest(self) -> None:
        for part in ("Try", "Use", "Evaluate", "Data", "Settings"):
            self.model_page(part)
            self.look(f"model-{part.lower()}")
        for path in ("models", "activity", "people", "projects", "webhooks", "experiments", "config"):
            self.browser.open(f"{self.hub.address}/console/{path}")
            self.look(f"all-{path}")
        self.browser.evaluate("document.querySelector('.account').open = true")
        self.look("account")
        self.browser.open(f"{self.hub.address}/console/datasets/{DATA_SET}/delete")
        self.look("deletion")
