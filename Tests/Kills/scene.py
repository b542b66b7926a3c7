"""Hubs at work, and what becomes of their work while something is disturbed."""

import collections
import contextlib
import pathlib
import random
import tempfile
import time

import clients as clients_module
import hub as hubs
import probe as probes
import proxy
import servers

CLIENTS = 4


class Scene:
    """Hubs with clients and probes: a fleet behind networks that can fail, or a single hub in a folder."""

    def __init__(self, arguments, folder, fleet=True):
        self.arguments, self.folder, self.source = arguments, pathlib.Path(folder), random.Random(arguments.seed)
        self.states, self.pending, self.confirmed = clients_module.States(), {}, {}
        self.database = self.storage = None
        if fleet:
            self.folder.chmod(0o711)  # PostgreSQL runs as another user
            self.database = servers.PostgreSQL(f"{folder}/postgresql")
            self.storage = servers.Storage(f"{folder}/storage", arguments.nanio)
            self.networks = [proxy.Proxy(server.port) for server in (self.database, self.storage)]
            for network, server in zip(self.networks, (self.database, self.storage)):
                server.public_port = network.port
        self.hubs = []
        self.token = self.api_key = None

    @property
    def database_network(self):
        return self.networks[0]

    @property
    def storage_network(self):
        return self.networks[1]

    def add(self, name, options=(), variables=None):
        """Starts a hub with a folder of its own. The first hub makes the project, and publishes a model."""
        data = ["--data", str(self.folder / name)]
        variables = dict(variables or {})
        if self.database:
            data += ["--database", self.database.address, "--blobs", self.storage.address]
            variables |= self.storage.variables
        place = hubs.Place(self.arguments.executable, data, variables)
        if not self.token:
            self.token = place.make_project()
            self.api_key = place.run("key", "create", "--api-key", "app").strip()
            model = self.folder / "model.tflite"
            model.write_bytes(clients_module.MODEL + bytes(200_000))
            place.run("publish", probes.Probe.PUBLISHED, str(model))
            self.states.settle(probes.Probe.PUBLISHED, (clients_module.digest(model.read_bytes()), True, None))
        hub = hubs.Hub(place, self.token, options=["--rate-limit", "0", *options])
        hub.start()
        self.hubs.append(hub)
        return hub

    def disturb(self, name, seconds, begin, end, calm=1.0):
        """Lets clients work, disturbs them for some seconds, and reports; returns whether all is as it must be."""
        workers = [self.client(number) for number in range(CLIENTS)]
        asking = [probes.Probe(hub, self.api_key, number, self.confirmed) for number, hub in enumerate(self.hubs)]
        for thread in [*workers, *asking]:
            thread.start()
        time.sleep(calm)
        begin()
        time.sleep(seconds)
        problems = end() or []
        recovery = max(hub.recover(60) for hub in self.hubs)
        time.sleep(calm)
        for thread in [*workers, *asking]:
            thread.stopping.set()
        for thread in [*workers, *asking]:
            thread.join(timeout=90)
        in_doubt = self.states.in_doubt
        problems += [f"{thread} hangs" for thread in [*workers, *asking] if thread.is_alive()]
        problems += [f"client {worker.number}: {worker.problem}" for worker in workers if worker.problem]
        problems += [f"hub {number} ended" for number, hub in enumerate(self.hubs) if not hub.is_running]
        for hub, one in zip(self.hubs, asking):
            problems += one.check_all() + self.states.compare(hub)
        problems += self.hubs[0].place.problems()
        answers = sum((one.answers for one in asking), collections.Counter())
        text = ", ".join(f"{count} × {kind}" for kind, count in sorted(answers.items()))
        print(
            f"{name}: {text}, slowest {max(one.slowest for one in asking):.1f} s; ready after {recovery:.1f} s;"
            f" {self.states.alive} models whole, {in_doubt} requests were cut off",
            flush=True,
        )
        for problem in problems[:10]:
            print(f"  PROBLEM: {problem}", flush=True)
        return not problems

    def client(self, number):
        hub, seed = self.source.choice(self.hubs), self.source.random()
        return clients_module.Client(hub, number, self.states, self.pending, random.Random(seed))

    def stop(self):
        for hub in self.hubs:
            hub.kill()
        for server in (self.database, self.storage):
            if server:
                server.kill()


@contextlib.contextmanager
def scene(arguments, fleet=True):
    """A scene in a temporary folder that goes with it."""
    with tempfile.TemporaryDirectory(prefix="sightline-disturb-") as folder:
        stage = Scene(arguments, folder, fleet)
        try:
            yield stage
        finally:
            stage.stop()
