#!/usr/bin/env python3
"""Measures a hub on loopback, beside nginx where nginx does the same work, in one run and in turns.

    python3 hub/hub.py --hub ../.build/release/sightline-hub [--rounds 5] [--seconds 5] [--models 100000]

Needs wrk and nginx (Debian: wrk, nginx-light) and the LiteRT library. The rows:

Hub:Start            from exec to the first answer of /healthz
Hub:File:4MB         downloads of a 4 MB model over 64 connections, and nginx (sendfile, two workers) with the same file
Hub:DownloadInfo     `:download` of a published model with an API key, over 64 connections, and nginx (two workers) with
                     a fixed answer of the same size
Hub:List:Page        pages of 100 among many models, one connection; also by prefix, by a rare tag, and by state
Hub:Config:Fetch     configuration fetches at 1,000 conditions, over 64 connections, from many installations in turns
Hub:Memory           resident memory of the hub: idle, and its peak over all of the above
"""

import argparse
import atexit
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.parse
from typing import Any

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
MODEL = (PACKAGE / "Tests/Fixtures/models/add.tflite").read_bytes()


class Hub:
    def __init__(self, program: str, folder: str, *options: str) -> None:
        self.program, self.folder = program, folder
        start = time.perf_counter()
        self.process = subprocess.Popen(
            [program, "serve", "--data", folder, "--port", "0", "--rate-limit", "0", *options],
            stderr=subprocess.PIPE,
            text=True,
        )
        # A measurement that fails leaves no hub behind.
        atexit.register(self.process.kill)
        for line in self.process.stderr:
            found = re.search(r'"address":"http://127\.0\.0\.1:(\d+)"', line)
            if found:
                self.port = int(found.group(1))
                break
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.get("/healthz")
        self.start_seconds = time.perf_counter() - start

    def get(self, target: str, headers: dict[str, str] | None = None) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", target, headers=headers or {})
        reply = connection.getresponse()
        body = reply.read()
        connection.close()
        assert reply.status == 200, (target, reply.status, body[:200])
        return body

    def memory(self, field: str) -> float:
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{field}:\s+(\d+) kB", status).group(1)) / 1000

    def processor_seconds(self) -> float:
        """The processor time that the hub has used."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def load(self, url: str, seconds: int, script: str | None = None) -> tuple[float, str, float]:
        """Requests a second, the time of 99 % of them, and the microseconds of the hub's processor time for each, which
        depend little on what else the machine does."""
        used = self.processor_seconds()
        rate, latest = wrk(url, seconds, script=script)
        return rate, latest, (self.processor_seconds() - used) / (rate * seconds) * 1e6

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def command(program: str, folder: str, *words: Any) -> str:
    done = subprocess.run([program, *words, "--data", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def wrk(
    url: str, seconds: int, connections: int = 64, script: str | None = None, threads: int = 2
) -> tuple[float, str]:
    words = ["-s", script] if script else []
    text = subprocess.run(
        ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--latency", *words, url],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "Non-2xx" not in text, text
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)), re.search(r"99%\s+(\S+)", text).group(1)


def start_nginx(folder: pathlib.Path, file: pathlib.Path) -> subprocess.Popen:
    shutil.copy(file, folder / "model.tflite")
    configuration = folder / "nginx.conf"
    configuration.write_text(f"""worker_processes 2; daemon off; pid {folder}/pid; error_log {folder}/error.log;
        events {{ worker_connections 1024; }}
        http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
          client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
          uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
          server {{ listen 127.0.0.1:18971; root {folder};
            location /info {{ default_type application/json; return 200 '{{"downloadUri":"{"a" * 250}"}}'; }} }} }}""")
    os.chmod(folder, 0o755)
    process = subprocess.Popen(["nginx", "-c", configuration, "-p", folder], stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    return process


def seed(folder: str, count: int) -> None:
    """Many models without files, straight into the records."""
    database = sqlite3.connect(folder + "/hub.sqlite")
    with database:
        for index in range(count):
            tags = ["common"] + (["rare"] if index % 5000 == 0 else [])
            cursor = database.execute(
                """INSERT INTO model (project, displayName, tags, createTime, updateTime, etag, isPublished, errorCode,
                errorMessage) VALUES ('bench-project', ?, ?, 1800000000000, 1800000000000, 'e', 0, 3,
                'No model file has been uploaded.')""",
                (f"model_{index:06}", json.dumps(tags)),
            )
            for tag in tags:
                database.execute("INSERT INTO tag VALUES ('bench-project', ?, ?)", (tag, cursor.lastrowid))
    database.close()


def template(seeds: int) -> str:
    """A template of 1,000 conditions, of which every second has a percentage with one of some seeds, and 100 parameters
    with ten conditional values each."""
    conditions, parameters = [], {}
    for index in range(1000):
        expression = [
            (
                f"app.version.>=(['{index % 50}.0']) && device.country in ['AT', 'DE', 'FR'] &&"
                f" percent('seed_{index % seeds}') <= 0.5"
            ),
            f"app.customSignal['group'].exactlyMatches(['g{index}'])",
            f"device.os == 'ios' && percent('seed_{index % seeds}') between {index % 90} and {index % 90 + 1}",
            f"device.language in ['l{index}', 'm{index}'] && app.userProperty['age'] >= {index % 80}",
        ][index % 4]
        conditions.append({"name": f"condition {index}", "expression": expression})
    for index in range(100):
        values = {f"condition {index * 10 + offset}": {"value": f"value {offset} of {index}"} for offset in range(10)}
        parameters[f"parameter_{index}"] = {
            "defaultValue": {"value": f"default of {index}"},
            "conditionalValues": values,
        }
    return json.dumps({"conditions": conditions, "parameters": parameters})


FETCH = """
local count = 0
request = function()
    count = count + 1
    local body = '{"app_instance_id":"installation-' .. count .. '","app_id":"1:1234:ios:ab12","country_code":"DE",' ..
        '"language_code":"de-DE","app_version":"12.4.1","app_build":"7","sdk_version":"12.0.0",' ..
        '"time_zone":"Europe/Berlin","package_name":"org.example.plants",' ..
        '"analytics_user_properties":{"age":"40"},"custom_signals":{"group":"g' ..
        count % 1000 .. '"}}'
    return wrk.format("POST", nil, {["Content-Type"] = "application/json"}, body)
end
"""


# The filters of lists, by their names in rows.
LISTS = [
    ("all", ""),
    ("prefix", "&filter=displayName%3Amodel_09*"),
    ("rare tag", "&filter=tags%3Arare"),
    ("unpublished", "&filter=state.published%3Dfalse"),
    ("not a tag", "&filter=NOT+tags%3Acommon"),
]


def pages(hub: Hub, token: str, query: str, limit: int = 300) -> list[float]:
    """The time of each page of a list, in milliseconds."""
    connection = http.client.HTTPConnection("127.0.0.1", hub.port)
    times, page_token = [], ""
    while len(times) < limit:
        target = f"/v1beta2/projects/bench-project/models?pageSize=100&pageToken={page_token}{query}"
        start = time.perf_counter()
        connection.request("GET", target, headers={"Authorization": f"Bearer {token}"})
        body = connection.getresponse().read()
        times.append((time.perf_counter() - start) * 1000)
        page_token = urllib.parse.quote(json.loads(body).get("nextPageToken", ""))
    return sorted(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", default=str(PACKAGE / ".build/release/sightline-hub"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--models", type=int, default=100_000)
    arguments = parser.parse_args()
    program = arguments.hub
    with tempfile.TemporaryDirectory(prefix="sightline-hub-bench-") as name:
        root = pathlib.Path(name)
        folder = str(root / "hub")
        command(program, folder, "project", "create", "bench-project")
        key = command(program, folder, "key", "create", "--api-key", "app")
        token = command(program, folder, "key", "create", "--token", "ci", "--role", "admin")
        file = root / "model.tflite"
        file.write_bytes(MODEL + random.Random(1).randbytes(4_000_000 - len(MODEL)))
        command(program, folder, "publish", "big", str(file))

        starts = []
        for _ in range(11):
            hub = Hub(program, folder)
            starts.append(hub.start_seconds * 1000)
            hub.stop()
        print(f"Hub:Start: median {statistics.median(starts):.0f} ms, worst of 11 {max(starts):.0f} ms", flush=True)

        hub = Hub(program, folder)
        idle = hub.memory("VmRSS")
        info = f"http://127.0.0.1:{hub.port}/v1beta2/projects/bench-project/models/big:download?key={key}"
        uri = json.loads(hub.get(urllib.parse.urlsplit(info).path + "?key=" + key))["downloadUri"]
        nginx_folder = root / "nginx"
        nginx_folder.mkdir()
        os.chmod(root, 0o755)
        nginx = start_nginx(nginx_folder, file)
        try:
            ratios, ours, theirs = [], [], []
            for _ in range(arguments.rounds):
                ours.append(wrk(uri, arguments.seconds)[0])
                theirs.append(wrk("http://127.0.0.1:18971/model.tflite", arguments.seconds)[0])
                ratios.append(ours[-1] / theirs[-1])
            print(
                f"Hub:File:4MB: {statistics.median(ours):.0f} requests/s ({statistics.median(ours) * 4 / 1000:.2f}"
                f" GB/s), nginx {statistics.median(theirs):.0f}, ratio median {statistics.median(ratios):.2f} of"
                f" {[round(r, 2) for r in ratios]}",
                flush=True,
            )
            ours, theirs, costs, latest = [], [], [], ""
            for _ in range(arguments.rounds):
                rate, latest, cost = hub.load(info, arguments.seconds)
                ours.append(rate)
                costs.append(cost)
                theirs.append(wrk("http://127.0.0.1:18971/info", arguments.seconds)[0])
            ratios = [round(our / their, 2) for our, their in zip(ours, theirs)]
            print(
                f"Hub:DownloadInfo: median {statistics.median(ours):.0f} requests/s, 99 % within {latest},"
                f" {statistics.median(costs):.0f} µs of the hub's processor time each, nginx"
                f" {statistics.median(theirs):.0f}, ratio median {statistics.median(ratios):.2f} of {ratios}",
                flush=True,
            )
        finally:
            nginx.terminate()
            nginx.wait()
        script = root / "fetch.lua"
        script.write_text(FETCH)
        fetch = f"http://127.0.0.1:{hub.port}/v1/projects/bench-project/namespaces/firebase:fetch?key={key}"
        for seeds in (20, 1000):
            file = root / "config.json"
            file.write_text(template(seeds))
            command(program, folder, "config", "set", str(file), "--force")
            rates, costs = [], []
            for _ in range(arguments.rounds):
                rate, latest, cost = hub.load(fetch, arguments.seconds, script=str(script))
                rates.append(rate)
                costs.append(cost)
            print(
                f"Hub:Config:Fetch (1000 conditions, {seeds} seeds): median {statistics.median(rates):.0f}"
                f" requests/s of {[round(rate) for rate in rates]}, 99 % within {latest},"
                f" {statistics.median(costs):.0f} µs of the hub's processor time each",
                flush=True,
            )
        hub.stop()
        seed(folder, arguments.models)
        hub = Hub(program, folder)
        for title, query in LISTS:
            times = pages(hub, token, query)
            p95 = times[int(len(times) * 0.95)]
            print(
                f"Hub:List:Page ({title}, {arguments.models} models): p50 {statistics.median(times):.1f} ms, p95"
                f" {p95:.1f} ms",
                flush=True,
            )
        wrk(uri.replace(re.search(r":(\d+)/", uri).group(1), str(hub.port)), arguments.seconds)
        info = info.replace(urllib.parse.urlsplit(info).netloc, f"127.0.0.1:{hub.port}")
        wrk(info, arguments.seconds)
        print(
            f"Hub:Memory: idle {idle:.0f} MB, peak {hub.memory('VmHWM'):.0f} MB, at the end"
            f" {hub.memory('VmRSS'):.0f} MB",
            flush=True,
        )
        hub.stop()


if __name__ == "__main__":
    main()
