"""Writes the reference of commands, results, the HTTP API, environment variables and exit codes, from the code.

    Scripts/tools make reference [--check] [--bin FOLDER]

The pages are Documentation/Reference.md and the files of Documentation/Reference. With --check nothing is written, and
pages that differ from the code are an error. The commands come from their own help, the columns and fields of results
from runs with fixtures of the tests, and the HTTP API from the description that a hub serves.
"""

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..answers import AnswerServer
from ..hubs import Place
from ..places import FIXTURES, ROOT, built_programs, temporary_folder
from ..programs import Word

FOLDER = ROOT / "Documentation"
NOTE = "<!-- Scripts/tools make reference writes this page. -->\n"

# The meaning of each variable that the programs and modules read. The names are compared with the sources.
VARIABLES = {
    "SIGHTLINE_LITERT": "The path of the LiteRT library, before all other places.",
    "SIGHTLINE_MODEL": "The detector of `detect`, `track`, `watch` and `serve` without `--model`, before the choice of "
    "`sightline models use`: a name, a path, or `built-in`.",
    "SIGHTLINE_ONNXRUNTIME": "The path of the ONNX Runtime library, before all other places.",
    "SIGHTLINE_MQTT_PASSWORD": "The password for `sightline track --mqtt`, instead of `--mqtt-password-file`.",
    "SIGHTLINE_WEBHOOK_SECRET": "The secret for `sightline track --webhook`, instead of `--webhook-secret-file`.",
    "SIGHTLINE_HUB": "The address of a hub on the network, for `sightline hub` without `--hub`, and for apps with "
    "the module "
    "`MLKit` whose property list has no address.",
    "SIGHTLINE_HUB_FILE": "A file with the address and the key of a hub for `--model hub:NAME`, instead of `--hub`.",
    "SIGHTLINE_HUB_TOKEN": "The token for `--hub`, instead of `--token-file`.",
    "SIGHTLINE_HUB_TRUST": "The PEM file of certificates to trust, instead of `--trust`.",
    "SIGHTLINE_HUB_PROJECT": "The project, instead of `--project`.",
    "SIGHTLINE_HUB_DATA": "The folder of a hub on this machine, instead of `--data`.",
    "SIGHTLINE_HUB_DATABASE": "The PostgreSQL database of a hub's records, instead of `--database`.",
    "SIGHTLINE_HUB_BLOBS": "The bucket of a hub's files, instead of `--blobs`.",
    "AWS_ACCESS_KEY_ID": "The key of the bucket.",
    "AWS_SECRET_ACCESS_KEY": "The secret of that key.",
    "AWS_SESSION_TOKEN": "The session token of that key, if it has one.",
    "AWS_REGION": "The region of the bucket, if its address names none.",
    "AWS_DEFAULT_REGION": "The region if `AWS_REGION` is not set.",
    "PGPASSWORD": "The password of the PostgreSQL database.",
    "XDG_DATA_HOME": "The folder of the user's data: installed models, downloads, and the hub of this machine "
    "(default: `~/.local/share`).",
    "XDG_CACHE_HOME": "The folder of rewritten models, which programs make again if it is lost (default: `~/.cache`).",
    "XDG_DATA_DIRS": "Further folders in which LiteRT and the built-in models may lie (default: "
    "`/usr/local/share:/usr/share`).",
    "HOME": "The user's home folder.",
    "HTTPS_PROXY": "The HTTP proxy for https addresses (also in lower case).",
    "ALL_PROXY": "The proxy if `HTTPS_PROXY` is not set (also in lower case).",
    "NO_PROXY": "The hosts that are reached without the proxy (also in lower case).",
}

# What the programs and files of JSON give.
Json = dict[str, Any]


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def table(heads: list[str], rows: Iterable[list[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def anchor(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


class Programs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def output(self, program: str, arguments: Sequence[Word], **environment: str) -> str:
        done = subprocess.run(
            [self.folder / program, *arguments],
            cwd=ROOT,
            # The help names a default that a developer chose.
            env={**os.environ, "SIGHTLINE_MODEL": "built-in", **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            sys.exit(f"error: {program} {' '.join(map(str, arguments))} failed: {done.stderr.strip()}")
        return done.stdout

    def description(self, program: str) -> Json:
        return dict(json.loads(self.output(program, ["--experimental-dump-help"]))["command"])


# Commands


def option_names(argument: Json) -> str:
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names", [])]
    value = f" <{argument['valueName']}>" if argument["kind"] == "option" else ""
    if argument["kind"] == "positional":
        return f"`<{argument['valueName']}>`" + (" …" if argument["isRepeating"] else "")
    return ", ".join(f"`{name}{value}`" for name in sorted(names, key=len))


def explanation(argument: Json) -> str:
    parts = [argument.get("abstract", "")]
    if "defaultValue" in argument:
        parts.append(f"(default: {argument['defaultValue']})")
    if "discussion" in argument:
        parts.append(argument["discussion"])
    descriptions = argument.get("allValueDescriptions") or {}
    values = [
        f"`{value}`: {descriptions[value]}" if value in descriptions else f"`{value}`"
        for value in argument.get("allValues", [])
    ]
    if values:
        parts.append(("; " if descriptions else ", ").join(values) + ".")
    return cell(" ".join(part for part in parts if part))


def discussion(text: str) -> str:
    """Paragraphs stay; indented lines become blocks without a prompt, which nothing runs."""
    lines, is_block = [], False
    for line in text.strip("\n").split("\n"):
        if line.startswith("  ") != is_block:
            is_block = not is_block
            lines += ["", "```text"] if is_block else ["```", ""]
        lines.append(line[2:] if is_block else line.replace("<", "&lt;"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines + (["```"] if is_block else [])))


def sections(command: Json, name: str, skipping: Sequence[str] = ()) -> Iterator[str]:
    """The section of a command, and those of its subcommands."""
    yield f"## {name}\n"
    yield command.get("abstract", "") + "\n"
    shown = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    shown = [argument for argument in shown if argument["valueName"] not in ("help", "version")]
    subcommands = [
        subcommand
        for subcommand in command.get("subcommands", [])
        if subcommand["shouldDisplay"] and subcommand["commandName"] not in ("help", *skipping)
    ]
    words = [name] + (["[<options>]"] if any(argument["kind"] != "positional" for argument in shown) else [])
    for argument in shown:
        if argument["kind"] == "positional":
            text = f"<{argument['valueName']}>" + (" ..." if argument["isRepeating"] else "")
            words.append(f"[{text}]" if argument["isOptional"] else text)
    if not subcommands:
        yield "```text\n" + " ".join(words) + "\n```\n"
    if command.get("discussion"):
        yield discussion(command["discussion"]) + "\n"
    if shown:
        yield table(["argument", "meaning"], [[option_names(argument), explanation(argument)] for argument in shown])
    for subcommand in subcommands:
        yield from sections(subcommand, f"{name} {subcommand['commandName']}")


def command_page(command: Json, skipping: Sequence[str] = ()) -> str:
    name = command["commandName"]
    found = [part for part in sections(command, name, skipping) if part.strip()]
    titles = [part[3:].strip() for part in found if part.startswith("## ")]
    contents = " · ".join(f"[{title}](#{anchor(title)})" for title in titles[1:])
    return (
        f"{NOTE}# Reference: {name}\n\n"
        f"All commands of `{name}`, as their `--help` shows them. `-h` and `--help` work for every command, and "
        f"`--version` prints the "
        "version.\n\n" + (f"{contents}\n\n" if contents else "") + "\n".join(found)
    )


# Results


def head(text: str) -> list[str]:
    return text.split("\n", 1)[0].split(",")


def columns(programs: Programs) -> Iterator[list[str]]:
    models = FIXTURES / "models"
    picture, video = FIXTURES / "images/large-444.jpg", FIXTURES / "videos/h264-aac.mp4"
    detector, classifier = models / "ssd_metadata.tflite", models / "classifier_float_metadata.tflite"
    runs: list[tuple[str, list[Word]]] = [
        ("detect", [picture, "--model", detector]),
        ("label", [picture, "--model", classifier]),
        ("track", [video, "--model", detector]),
    ]
    for name, arguments in runs:
        names = head(programs.output("sightline", [name, *arguments, "--format", "csv"]))
        yield [f"`sightline {name}`", ", ".join(f"`{name}`" for name in names)]


def fields(text: str) -> list[str]:
    value = json.loads(text)
    return list(value[0] if isinstance(value, list) else value)


def hub_fields(programs: Programs) -> Iterator[list[str]]:
    """The fields of JSON from commands that print what a hub has, in the order of their output."""
    with temporary_folder("reference") as folder:
        place = {"SIGHTLINE_HUB_DATA": f"{folder}/hub", "SIGHTLINE_HUB_DATABASE": "", "SIGHTLINE_HUB_BLOBS": ""}

        def run(*arguments: Word) -> str:
            return programs.output("sightline-hub", arguments, **place)

        run("project", "create", "my-plants")
        run(
            "publish",
            "plants",
            FIXTURES / "models/classifier_float_metadata.tflite",
            "--tag",
            "flowers",
            "--threshold",
            "0.4",
        )
        run("token", "create", "ci")
        run("person", "add", "ada@example.com", "--role", "editor")
        template = folder / "config.json"
        template.write_text(json.dumps({"parameters": {"plant_model": {"defaultValue": {"value": "plants"}}}}))
        run("config", "set", template)
        run("experiment", "start", "ab", "--parameter", "plant_model", "--variant", "control", "--variant", "new=next")
        for words in [
            ["list"],
            ["show", "plants"],
            ["project", "list"],
            ["person", "list"],
            ["key", "list"],
            ["token", "list"],
            ["config", "versions"],
            ["experiment", "show"],
            ["experiment", "show", "ab"],
            ["audit"],
        ]:
            yield [
                f"`sightline hub {' '.join(words)}`",
                ", ".join(f"`{name}`" for name in sorted(fields(run(*words, "--format", "json")))),
            ]


def json_fields(programs: Programs) -> Iterator[list[str]]:
    model = FIXTURES / "models/ssd_metadata.tflite"
    commands: list[list[Word]] = [["inspect", model], ["models", "list"]]
    for words in commands:
        names = fields(programs.output("sightline", [*words, "--format", "json"]))
        yield [
            f"`sightline {words[0]}{' list' if words[0] == 'models' else ''}`",
            ", ".join(f"`{name}`" for name in sorted(names)),
        ]


def schema_tables() -> Iterator[str]:
    schema = json.loads((ROOT / "Sources/Sightline/Documentation.docc/results.schema.json").read_text())
    titles = {
        "pictureWithObjects": "A picture, from `sightline detect`",
        "pictureWithLabels": "A picture, from `sightline label`",
        "frame": "A frame, from `sightline track`",
        "failedPicture": "A picture that failed",
        "object": "An object",
        "label": "A label",
        "objectEvent": "An event of an object",
        "lineEvent": "An event at a line",
        "zoneEvent": "An event at a zone",
        "stateEvent": "A change of a thing's state",
        "rectangle": "A frame of an object, in pixels",
        "milliseconds": "Times",
    }
    for name, title in titles.items():
        definition = schema["$defs"][name]
        rows = []
        for key, value in definition["properties"].items():
            kind = value.get("type") or value.get("$ref", "").split("/")[-1]
            if "const" in value:
                kind = f"`{json.dumps(value['const'])}`"
            if kind == "array":
                kind = "list of " + (value["items"].get("type") or value["items"]["$ref"].split("/")[-1])
            rows.append(
                [
                    f"`{key}`",
                    kind,
                    "yes" if key in definition.get("required", []) else "no",
                    cell(value.get("description", "")),
                ]
            )
        yield f"### {title}\n"
        if definition.get("description"):
            yield definition["description"] + "\n"
        yield table(["field", "type", "always", "meaning"], rows)


# Sources


def exit_codes() -> Iterator[list[str]]:
    text = (ROOT / "Sources/CommandLineSupport/ExitStatus.swift").read_text()
    for match in re.finditer(r"    /// (.*)\n    case \w+ = (\d+)", text):
        yield [match.group(2), cell(match.group(1))]
    yield ["128 + n", "The signal n stopped the command: 130 after Ctrl-C."]


def check_variables() -> None:
    pattern = re.compile(r'"((?:SIGHTLINE_|XDG_|AWS_)[A-Z_]+|HOME|PGPASSWORD|(?:https|all|no)_proxy)"')
    found: set[str] = set()
    for path in (ROOT / "Sources").rglob("*.swift"):
        found.update(name.upper() if name.islower() else name for name in pattern.findall(path.read_text()))
    if found != set(VARIABLES):
        sys.exit(
            "error: the environment variables of Scripts/tools make reference differ from those of the sources: "
            + ", ".join(sorted(found ^ set(VARIABLES)))
        )


def reference(programs: Programs, sightline: Json, hub: Json, serve: Json) -> str:
    def commands(command: Json, page: str, skipping: Sequence[str] = ()) -> Iterator[list[str]]:
        for subcommand in command["subcommands"]:
            if subcommand["shouldDisplay"] and subcommand["commandName"] not in ("help", *skipping):
                name = f"{command['commandName']} {subcommand['commandName']}"
                yield [f"[`{name}`](Reference/{page}#{anchor(name)})", cell(subcommand["abstract"])]

    formats: dict[str, tuple[str, list[str]]] = {}
    for subcommand in sightline["subcommands"]:
        for argument in subcommand.get("arguments", []):
            if argument["valueName"] == "format" and argument.get("allValueDescriptions"):
                for name, text in argument["allValueDescriptions"].items():
                    formats.setdefault(name, (text, []))[1].append(f"`{subcommand['commandName']}`")
    check_variables()
    return "\n".join(
        [
            NOTE + "# Reference\n",
            "All commands, results, environment variables and exit codes. `Scripts/tools make reference` writes this "
            "page and its parts from "
            "the code: [the command sightline](Reference/sightline.md), [the command sightline "
            "hub](Reference/sightline-hub.md), [the command sightline serve](Reference/sightline-serve.md), "
            "[the HTTP API of the hub](Reference/HTTP.md) and [that of answers](Reference/AnswersHTTP.md). [Results as "
            "JSON](../Sources/Sightline/Documentation.docc/ResultsAsJSON.md) "
            "explains how Swift reads results.\n",
            "## Commands\n",
            table(
                ["command", "purpose"],
                [
                    *commands(sightline, "sightline.md", ["hub", "serve"]),
                    [
                        f"[`{serve['commandName']}`](Reference/sightline-serve.md#{anchor(serve['commandName'])})",
                        cell(serve["abstract"]),
                    ],
                    *commands(hub, "sightline-hub.md"),
                ],
            ),
            "## Formats of results\n",
            table(
                ["`--format`", "contents", "commands"],
                [[f"`{name}`", cell(text), ", ".join(users)] for name, (text, users) in formats.items()],
            ),
            "Lists of `sightline hub` have the formats `table`, `json` and `jsonl`.\n",
            "## Columns of CSV\n",
            "Each label of a picture or of an object in a picture has a row. A picture without results has a row "
            "with empty values, and "
            "the row of a failed picture has the reason in the last column.\n",
            table(["command", "columns"], columns(programs)),
            "## Fields of JSON\n",
            "Coordinates are pixels of the upright picture: origin top left, x to the right, y down. Confidences are "
            "from 0 to 1, times of "
            "a stream in seconds, and times of stages in milliseconds. `results.schema.json` beside *Results as "
            "JSON* is the same as a "
            "JSON Schema.\n",
            *schema_tables(),
            "### Other commands\n",
            "These are the outermost fields; fields without a value are absent.\n",
            table(["command with `--format json`", "fields"], [*json_fields(programs), *hub_fields(programs)]),
            "## Environment variables\n",
            table(["variable", "meaning"], [[f"`{name}`", text] for name, text in VARIABLES.items()]),
            "## Exit codes\n",
            "The help of each command says what its codes mean.\n",
            table(["code", "meaning"], exit_codes()),
        ]
    )


# HTTP


def http_description(programs: Programs) -> Json:
    with temporary_folder("reference") as folder:
        hub = Place(programs.folder / "sightline-hub", ["--data", folder / "hub"]).serve()
        try:
            return dict(json.loads(hub.request("GET", "/openapi.json")[1]))
        finally:
            hub.stop()


def answers_description(programs: Programs) -> Json:
    server = AnswerServer(programs.folder / "sightline-serve")
    try:
        return dict(json.loads(server.request("GET", "/openapi.json")[1]))
    finally:
        server.stop()


def http_page(document: Json, title: str, server: str) -> str:
    lines = [
        NOTE + f"# Reference: {title}\n",
        document["info"]["description"] + "\n",
        f"Every {server} serves the whole description, with all fields, at `/openapi.json` in the form of OpenAPI 3.1."
        "\n",
    ]

    def access(operation: Json) -> str:
        words = []
        for choice in operation["security"]:
            roles = choice.get("token")
            if roles is not None:
                words.append(roles[0] if roles else "any token" if server == "hub" else "the token, if there is one")
            elif choice:
                names = {"apiKey": "API key", "apiKeyInQuery": "API key", "metricsToken": "the token for metrics"}
                words.append(names[next(iter(choice))])
            else:
                words.append("anybody")
        if server != "hub":
            # A server without a token answers anybody.
            return words[-1] if words else "anybody"
        return ", or ".join(dict.fromkeys(words)) or "anybody"

    for tag in document["tags"]:
        rows = []
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if operation["tags"] == [tag["name"]]:
                    rows.append([f"`{method.upper()} {path}`", cell(operation["summary"]), access(operation)])
        lines += [f"## {tag['name']}\n", tag["description"] + "\n", table(["request", "purpose", "for"], rows)]
    return "\n".join(lines)


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page differs")
    parser.add_argument("--bin", type=Path, help="the folder of the built programs; without it they are built")
    arguments = parser.parse_args(words)
    programs = Programs(built_programs(arguments.bin))
    sightline, hub = programs.description("sightline"), programs.description("sightline-hub")
    serve = programs.description("sightline-serve")
    pages = {
        "Reference.md": reference(programs, sightline, hub, serve),
        "Reference/sightline.md": command_page(sightline, skipping=["hub", "serve"]),
        "Reference/sightline-hub.md": command_page(hub),
        "Reference/sightline-serve.md": command_page(serve),
        "Reference/HTTP.md": http_page(http_description(programs), "the HTTP API of the hub", "hub"),
        "Reference/AnswersHTTP.md": http_page(answers_description(programs), "the HTTP API of answers", "server"),
    }
    different = []
    for name, text in pages.items():
        path = FOLDER / name
        text = text.rstrip("\n") + "\n"
        present = path.read_text() if path.exists() else ""
        if present == text:
            continue
        different.append(name)
        if arguments.check:
            sys.stderr.writelines(
                difflib.unified_diff(present.splitlines(True), text.splitlines(True), name, "the code", n=1)
            )
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    if different and arguments.check:
        sys.exit(f"error: {', '.join(different)} differ from the code; run Scripts/tools make reference.")
    print(f"{len(pages)} pages, {len(different)} {'written' if different else 'differ'}")
