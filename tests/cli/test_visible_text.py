"""Texts of strangers that would act on a terminal or deceive its reader: none reaches one raw, whatever the command."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from .calling import Call, caller

HOSTILE = "a\x1b]0;title\x07 \x1b[2J\x1b[31mred \x9b31m \u202edlrow\u2066 \x7f b"
FILE = "net\x1b[2J\u202e.net"
NET = f"""
## Net {HOSTILE}
net hostile
## Parameter {HOSTILE}
param level = 1
## Place {HOSTILE}
place p = token
## Transition {HOSTILE}
transition t: p -> p  takes exp(level)
## Measure {HOSTILE}
measure speed = rate(t)
expect speed > 0.1 # {HOSTILE}
run until 100 replications 2
"""
EXPERIMENT = """
title: {text}
net: {net}
grid: {{level: [1, 2]}}
until: 100
replications: 2
measures: [speed]
expected:
  - {{at: {{level: 1}}, measure: speed, value: 1, within: 50%, source: {text}}}
"""
STATEMENTS = """
- says: {text}
  source: {text}
  experiment: figure_1
  measures: [speed]
  decreasing: level
"""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.chdir(tmp_path)
    Path(FILE).write_text(NET, encoding="utf-8")
    values = {"text": json.dumps(HOSTILE), "net": json.dumps(FILE)}
    Path("e.yaml").write_text(EXPERIMENT.format(**values), encoding="utf-8")
    folder = Path("validation/figures\x1b[2J")
    folder.mkdir(parents=True)
    shutil.copy(FILE, folder / FILE)
    shutil.copy("e.yaml", folder / "figure_1.yaml")
    (folder / "statements.yaml").write_text(STATEMENTS.format(**values), encoding="utf-8")
    return caller(capsys)


def assert_visible(text: str) -> None:
    assert text.replace("\n", "").isprintable(), ascii(text)


COMMANDS = [
    ["run", FILE],
    ["run", FILE, "--json"],
    ["run", FILE, "--until", "x\x1b[2J"],
    ["run", f"missing-{FILE}"],
    ["run", FILE, "--set", "level=\u202e"],
    ["run", FILE, "--\x1b[2J"],
    ["\x1b[2J"],
    ["info", FILE],
    ["check", FILE],
    ["check", FILE, "--format", "json"],
    ["fmt", FILE],
    ["flat", FILE],
    ["draw", FILE],
    ["play", FILE],
    ["why", FILE],
    ["why", FILE, "x\x1b[2J"],
    ["draw", FILE, "-o", "missing\x1b[2J/net.dot"],
    ["sweep", "e.yaml"],
    ["sweep", "e.yaml", "--json", "--quiet"],
    ["validate"],
    ["validate", "all"],
    ["validate", "x\x1b[2J"],
    ["report", "x\x1b[2J\u202e.json"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=ascii)
def test_what_is_printed_is_visible(call: Call, arguments: list[str]) -> None:
    found = call(*arguments)
    assert_visible(found.out)
    assert_visible(found.err)
    assert found.out + found.err


def test_what_was_replaced_is_seen(call: Call) -> None:
    out = call("run", FILE).out
    assert "Net a␛]0;title" in out
    assert "<U+009B>31m <U+202E>dlrow<U+2066> ␡ b" in out
    assert "␛[2J<U+202E>.net: no problems found" in call("check", FILE).err


def test_a_result_and_a_store_of_strangers(call: Call) -> None:
    Path("result.json").write_text(call("run", FILE, "--json").out, encoding="utf-8")
    call("sweep", "e.yaml", "--quiet")
    store = "store\u202e.db"
    shutil.copy("e.db", store)
    results = [
        call("rerun", "result.json"),
        call("rerun", store),
        call("compare", f"{store}:level=1", f"{store}:level=2"),
        call("report", store),
    ]
    for found in results:
        assert_visible(found.out + found.err)
        assert found.status == 0


def test_json_means_the_same(call: Call) -> None:
    found = json.loads(call("run", FILE, "--json").out)
    assert found["doc"] == f"Net {HOSTILE}"
    assert found["manifest"]["source"] == FILE


def test_pages_and_pictures_show_it(call: Call) -> None:
    call("run", FILE, "--report", "run.html", "--quiet")
    call("sweep", "e.yaml", "--report", "sweep.html", "--quiet")
    call("validate", "all", "--report", "pages", "--quiet")
    call("draw", FILE, "-o", "net.svg")
    call("draw", FILE, "-o", "net.dot")
    pages = ["run.html", "sweep.html", "net.svg", "net.dot", *map(str, Path("pages").rglob("*.html"))]
    assert len(pages) == 6
    for page in pages:
        text = Path(page).read_text(encoding="utf-8")
        page_script = text.split('id="plotly"')[0] + text.rpartition("<script>")[2]
        assert not set("\x1b\x07\x9b\u202e\u2066\x7f") & set(page_script), page
    assert "dlrow" in Path("run.html").read_text(encoding="utf-8")


def test_a_file_name_that_is_not_unicode(call: Call) -> None:
    name = os.fsdecode(b"net\xff.net")
    shutil.copy(FILE, name)
    for arguments in (["run", name], ["run", name, "--json"], ["check", name], ["info", name], ["check", name + "x"]):
        found = call(*arguments)
        assert_visible(found.out + found.err)
    assert "net\\xff.net" in call("check", name).err
    call("run", name, "--report", "page.html", "--quiet")
    assert Path("page.html").exists()
