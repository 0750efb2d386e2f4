"""The extension for Visual Studio Code: its parts fit together, and it becomes a package."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from petri import library
from petri.editor.highlighting import EDITORS
from petri.language.syntax.parser import parse
from petri.version import VERSION

FOLDER = EDITORS / "vscode"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
SOURCE = (FOLDER / "src" / "extension.js").read_text(encoding="utf-8")
SNIPPETS: dict[str, Any] = json.loads((FOLDER / "snippets" / "pnsim.json").read_text(encoding="utf-8"))


def test_the_version_is_that_of_pnsim() -> None:
    assert MANIFEST["version"] == VERSION


def test_every_file_of_the_manifest_is_there() -> None:
    parts = MANIFEST["contributes"]
    named = [part["path"] for name in ("grammars", "snippets") for part in parts[name]]
    named += [language["configuration"] for language in parts["languages"]]
    assert [name for name in named if not (FOLDER / name).is_file()] == []
    json.loads((FOLDER / "language-configuration.json").read_text(encoding="utf-8"))


def test_the_commands_of_the_manifest_are_those_of_the_program() -> None:
    listed = {command["command"] for command in MANIFEST["contributes"]["commands"]}
    assert set(re.findall(r'^    "(pnsim\.\w+)":', SOURCE, re.MULTILINE)) == listed
    lenses = (Path(__file__).parents[2] / "petri" / "editor" / "answers.py").read_text(encoding="utf-8")
    assert set(re.findall(r'"(pnsim\.\w+)"', lenses)) <= listed


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_is_right_as_it_stands(name: str) -> None:
    body = SNIPPETS[name]["body"]
    text = body if isinstance(body, str) else "\n".join(body)
    first = dict(re.findall(r"\$\{(\d+):([^}]*(?:\{[^}]*\}[^}]*)?)\}", text))
    text = re.sub(r"\$\{\d+\|([^,}]*)[^}]*\}", r"\1", text)
    text = re.sub(r"\$\{\d+:((?:[^{}]|\{[^}]*\})*)\}", r"\1", text)
    text = re.sub(r"\$(\d+)", lambda match: first.get(match[1], ""), text)
    if name == "expect":
        text = f"measure m = mean(queue)\n  {text}"
    assert parse(text + "\n", "snippet.net")[1] == []


def test_nothing_of_a_net_is_run_by_a_page_or_a_shell() -> None:
    assert "enableScripts: false" in SOURCE
    assert "default-src 'none'" in SOURCE
    assert "ShellExecution" not in SOURCE
    assert "exec(" not in SOURCE
    command = MANIFEST["contributes"]["configuration"]["properties"]["pnsim.command"]
    assert command["scope"].startswith("machine")
    assert "pnsim.command" in MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_its_commands_in_a_stand_in_for_the_editor(tmp_path: Path) -> None:
    net = tmp_path / "a net;$(x).net"
    shutil.copy(Path(library.nets()) / "patterns" / "mm1.net", net)
    program = tmp_path / "pnsim"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pnsim "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    command = ["node", str(Path(__file__).with_name("extension_harness.js")), str(FOLDER / "src" / "extension.js")]
    ran = subprocess.run([*command, str(program), str(net)], capture_output=True, text=True, timeout=60, check=True)
    done = json.loads(ran.stdout)
    assert done["commands"] == sorted(command["command"] for command in MANIFEST["contributes"]["commands"])
    assert done["server"] == {"command": str(program), "args": ["lsp"], "selector": [{"language": "pnsim"}]}
    assert done["tasks"] == [
        [str(program), "run", str(net)],
        [str(program), "check", str(net)],
        [str(program), "step", str(net)],
        [str(program), "why", str(net), "serve", "--at", "3"],
        [str(program), "live", str(net)],
    ]
    assert done["asked"] == 4
    pages = done["pages"]  # while the text has errors, the page stays
    assert [page["scripts"] for page in pages] == [False] * 3
    assert all("customers" in page["text"] and "replications" in page["text"] for page in pages)
    pictures = [b64decode(page["text"].partition("base64,")[2].partition('"')[0]) for page in pages]
    assert [b"moreeeeee" in picture for picture in pictures] == [False, True, False]
    assert done["titles"] == ["mm1", "mm1", f"{net.name} (before the errors)", "mm1"]
    (game,) = done["opened"]
    assert "<svg" in Path(game).read_text(encoding="utf-8")
    shutil.rmtree(Path(game).parent)
    assert done["errors"] == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_it_becomes_a_package(tmp_path: Path) -> None:
    folder = tmp_path / "vscode"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("node_modules", "dist", "*.vsix"))
    try:
        subprocess.run(
            ["npm", "ci", "--no-audit", "--no-fund"], cwd=folder, check=True, timeout=240, capture_output=True
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip("npm cannot fetch the packages")
    subprocess.run(["npm", "run", "package"], cwd=folder, check=True, timeout=120, capture_output=True)
    with ZipFile(folder / "pnsim.vsix") as package:
        names = set(package.namelist())
        manifest = json.loads(package.read("extension/package.json"))
        assert package.testzip() is None
    assert {"extension.vsixmanifest", "[Content_Types].xml", "extension/dist/extension.js"} <= names
    assert {"extension/syntaxes/pnsim.tmLanguage.json", "extension/snippets/pnsim.json"} <= names
    assert not any("node_modules" in name or "/src/" in name for name in names)
    assert f"extension/{manifest['main'].removeprefix('./')}" in names
