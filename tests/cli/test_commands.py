"""What the commands print when all is well."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from petri.version import VERSION

from .calling import Call

Write = Callable[..., str]

PACKETS = """## Packets wait for the line. Each is sent at 1 Gbps.
net packets
time ns
param load = 0.5 in 0..0.9     ## share of the line rate
param size = 64 B              ## of a packet
place source = token
place queue fifo : Bytes       ## packets that wait
place line = token
transition arrive: source -> source, queue(size)  takes exp(size / (load * 1 Gbps))
transition send: queue(s), line -> line  takes s / 1 Gbps
measure goodput = rate(send, size)  expect == load * 1 Gbps within 20%
measure busy_line = busy(line)      ## of the time
run until 1 ms warmup 10 us replications 4 seed 3
"""
PACKETS = PACKETS.replace("queue fifo : Bytes", "queue : Bytes fifo")


def test_the_summary(call: Call, write: Write) -> None:
    outcome = call("run", write(PACKETS), "--quiet")
    assert outcome.status == 0
    assert outcome.err == ""
    lines = outcome.out.splitlines()
    assert lines[0] == "packets: Packets wait for the line"
    assert lines[1].startswith("until 1 ms, warm-up 10 us, 4 replications, seed 3, ")
    goodput = next(line for line in lines if line.startswith("goodput"))
    assert " ± " in goodput
    assert "Mbps" in goodput
    assert "✓ 500 Mbps within 20% (load * 1 Gbps)" in goodput
    assert any(line.startswith("busy_line") and "of the time" in line for line in lines)
    assert outcome.out.index("Measures") < outcome.out.index("Transitions") < outcome.out.index("Places")
    assert lines[-1] == "✓ the expectation holds"


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_the_summary_fits_the_terminal(call: Call, write: Write, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    outcome = call("run", write(PACKETS), "--quiet")
    assert max(map(len, outcome.out.splitlines())) <= width
    assert "sojourn" in outcome.out


def test_options_override_the_run_line(call: Call, write: Write) -> None:
    options = ["--until", "20 us", "--warmup", "1 us", "--replications", "2", "--seed", "9", "--set", "load=0.25"]
    outcome = call("run", write(PACKETS), *options, "--engine", "reference", "--json")
    result = json.loads(outcome.out)
    manifest = result["manifest"]
    assert (manifest["until"], manifest["warmup"]) == (20_000.0, 1000.0)
    assert (manifest["replications"], manifest["seed"], manifest["engine"]) == (2, 9, "reference")
    assert manifest["parameters"]["load"] == 0.25
    assert [replication["ended"] for replication in result["replications"]] == ["until", "until"]


def test_the_json_has_everything(call: Call, write: Write) -> None:
    outcome = call("run", write(PACKETS), "--json")
    assert outcome.status == 0
    result = json.loads(outcome.out)
    assert {"net", "time_unit", "manifest", "measures", "places", "transitions", "failure", "passed"} <= set(result)
    assert result["passed"] is True
    assert [measure["name"] for measure in result["measures"]] == ["goodput", "busy_line"]
    goodput = result["measures"][0]
    assert goodput["value"] == pytest.approx(0.0625, rel=0.2)
    assert goodput["half_width"] > 0
    assert goodput["expectations"][0]["passed"] is True
    assert {row["name"] for row in result["places"]} == {"source", "queue", "line"}
    assert len({replication["hash"] for replication in result["replications"]}) == 4


def test_seeds_and_engines_agree(call: Call, write: Write) -> None:
    def run(*options: str) -> str:
        text = call("run", write(PACKETS), "--json", "--until", "50 us", *options).out
        hash_of_run: str = json.loads(text)["manifest"]["hash"]
        return hash_of_run

    assert run() == run("--engine", "reference") == run("--threads", "1")
    assert run() != run("--seed", "4")


def test_the_trace(call: Call, write: Write, tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    outcome = call("run", write(PACKETS), "--trace", str(path), "--until", "20 us", "--json")
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    result = json.loads(outcome.out)
    assert len(rows) == sum(replication["firings"] for replication in result["replications"])
    assert [int(row["replication"]) for row in rows] == sorted(int(row["replication"]) for row in rows)
    sends = [row for row in rows if row["transition"] == "send"]
    assert {row["binding"] for row in sends} == {"s=64.0"}
    assert all(float(row["end"]) - float(row["start"]) == pytest.approx(512.0) for row in sends)


def test_arrays_are_averaged_or_shown(call: Call, write: Write) -> None:
    net = write(
        """net ring
place seat[0..3] = token
transition hop[i in 0..3]: seat[i] -> seat[(i + 1) mod 4] takes exp(1)
run until 1000
"""
    )
    folded, every = call("run", net, "-q").out, call("run", net, "-q", "--all").out
    assert "hop[*] ×4" in folded
    assert "hop[2]" not in folded
    assert "hop[2]" in every
    assert "×4" not in every


# ---------------------------------------------------------------- the other commands


def test_check_as_text_and_as_json(call: Call, write: Write) -> None:
    right, wrong = write(PACKETS), write(PACKETS.replace("queue(s)", "queu(s)"), "wrong.net")
    assert call("check", right).status == 0
    outcome = call("check", right, wrong)
    assert outcome.status == 1
    assert "did you mean `queue`?" in outcome.out
    assert "2 nets: 1 error" in outcome.err
    outcome = call("check", right, wrong, "--format", "json")
    assert outcome.status == 1
    first, second = json.loads(outcome.out)
    assert first["file"] == right
    assert [d["severity"] for d in second["diagnostics"] if d["severity"] == "error"] == ["error"]
    assert second["diagnostics"][0]["span"]["line"] == 10


def test_check_with_a_setting(call: Call, write: Write) -> None:
    assert call("check", write(PACKETS), "--set", "load=0.95").status == 2
    assert call("check", write(PACKETS), "--set", "load=0.85").status == 0


def test_fmt(call: Call, write: Write) -> None:
    ragged = "net   a\nplace p   =token\ntransition t: p->p   takes 1 # why\nrun until 5"
    path = write(ragged)
    assert call("fmt", "--check", path).status == 1
    assert Path(path).read_text(encoding="utf-8") == ragged
    shown = call("fmt", "--stdout", path)
    assert (shown.status, Path(path).read_text(encoding="utf-8")) == (0, ragged)
    assert call("fmt", path).status == 0
    assert Path(path).read_text(encoding="utf-8") == shown.out
    assert "takes 1" in shown.out
    assert "# why" in shown.out
    assert call("fmt", "--check", path).status == 0


def test_fmt_reads_stdin(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"net   a\nplace p")))
    outcome = call("fmt", "-")
    assert (outcome.status, outcome.out) == (0, "net a\nplace p\n")


def test_fmt_leaves_a_broken_file_alone(call: Call, write: Write) -> None:
    broken = "net a\nplace p = = token\n"
    path = write(broken)
    outcome = call("fmt", path)
    assert outcome.status == 1
    assert "test.net:2:" in outcome.err
    assert Path(path).read_text(encoding="utf-8") == broken


def test_flat_is_read_back(call: Call, write: Write) -> None:
    from petri.codec import net_from_dict, net_to_dict
    from petri.model import load

    path = write(PACKETS)
    data = json.loads(call("flat", path, "--set", "size=128 B").out)
    assert net_from_dict(data) == load(path, size="128 B").net
    assert net_to_dict(net_from_dict(data)) == data


def test_info(call: Call, write: Write) -> None:
    outcome = call("info", write(PACKETS), "--set", "size=1518 B")
    assert outcome.status == 0
    for text in ("share of the line rate", "1518 B", "0..0.9", "packets that wait", "s / 1 Gbps", "of the time"):
        assert text in outcome.out
    for section in ("Parameters", "Places", "Transitions", "Measures"):
        assert section in outcome.out


def test_draw(call: Call, write: Write, tmp_path: Path) -> None:
    path = write(PACKETS)
    picture = tmp_path / "net.svg"
    assert call("draw", path, "-o", str(picture)).status == 0
    ElementTree.parse(picture)
    assert ElementTree.fromstring(call("draw", path).out).tag.endswith("svg")
    assert call("draw", path, "-o", str(tmp_path / "net.dot")).status == 0
    assert (tmp_path / "net.dot").read_text(encoding="utf-8").startswith('digraph "packets" {')


def test_list_names_every_net_and_each_runs_by_its_name(call: Call) -> None:
    from petri import library

    lines = call("list").out.splitlines()
    shown = [line.split()[0] for line in lines if line[:1].strip() and " nets" not in line]
    names = library.net_names()
    small = [name.rpartition("/")[2] for name in names if "/" in name]
    assert sorted(shown[: len(small)]) == sorted(small)
    assert shown[len(small) :] == [name for name in names if "/" not in name]
    assert shown.index("mm1") < shown.index("mesi")  # which is longer
    assert call("info", "mm1").out == call("info", "patterns/mm1").out == call("info", "mm1.net").out


def test_help_and_version(call: Call) -> None:
    from pnsim.commands import COMMANDS

    assert call("--version").out == f"pnsim {VERSION}\n"
    for arguments in ([], ["--help"], ["-h"]):
        outcome = call(*arguments)
        assert outcome.status == 0
        assert all(command in outcome.out for command in COMMANDS)
    for command in COMMANDS:
        outcome = call(command, "--help")
        assert outcome.status == 0
        assert outcome.out.startswith(f"Usage: pnsim {command}")


def test_options_are_in_groups_of_which_each_has_its_column(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import import_module

    from pnsim.commands import COMMANDS
    from pnsim.options.option_groups import OTHERS

    monkeypatch.setenv("COLUMNS", "80")
    for name in ("run", "sweep", "search", "rfc2544"):
        command = import_module(f"pnsim.commands.{COMMANDS[name][0]}").command
        out = call(name, "--help").out
        options = [one.opts[0] for one in command.params if one.param_type_name == "option"]
        assert all(re.search(rf"^  (-\w, )?{option}\b", out, re.MULTILINE) for option in options)
        others = out.partition(f"{OTHERS}:\n")[2].splitlines()
        assert [line.split()[0] for line in others] == ["-h,"]
        texts = [len(line) - len(line.lstrip()) for line in out.splitlines() if line.startswith(" " * 6)]
        assert set(texts) == {26}


@pytest.mark.parametrize(
    ("suffix", "begin"), [(".pdf", b"%PDF"), pytest.param(".png", b"\x89PNG", marks=pytest.mark.slow)]
)
def test_draw_as_pdf_and_png(call: Call, write: Write, tmp_path: Path, suffix: str, begin: bytes) -> None:
    found = call("draw", write(PACKETS), "-o", str(tmp_path / f"net{suffix}"))
    if "no program for it is installed" in found.err:
        pytest.skip("no converter is installed")
    assert (found.status, found.out) == (0, "")
    assert (tmp_path / f"net{suffix}").read_bytes().startswith(begin)


def test_draw_says_what_a_pdf_needs(call: Call, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(PACKETS)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = call("draw", path, "-o", str(tmp_path / "net.pdf"))
    assert found.status == 2
    assert "install librsvg" in found.err


def test_draw_opens_modules_by_name(call: Call) -> None:
    closed = call("draw", "ixp2400").out
    assert ">receive</text>" in closed
    assert ">port_free</text>" not in closed
    assert ">port_free</text>" in call("draw", "ixp2400", "--open", "router.receive.mac").out
    assert ">port_free</text>" in call("draw", "ixp2400", "--open", "all").out
    wrong = call("draw", "ixp2400", "--open", "router.recieve")
    assert wrong.status == 2
    assert "did you mean `router.receive`?" in wrong.err


def test_why_takes_an_array_or_a_module(call: Call) -> None:
    module = call("why", "ixp2400", "router.receive", "--at", "1 us").out
    assert "router.receive.pass" in module
    assert "router.receive.line[*].rest ×8" in module
    assert "router.chip.forward" not in module
    one = call("why", "ixp2400", "router.receive.line[3]", "--at", "1 us").out
    assert "router.receive.line[3].rest" in one
    assert "router.receive.line[2].rest" not in one
    assert "router.receive.pass" not in one


def test_why_tells_which_clocks_run(call: Call, tmp_path: Path) -> None:
    net = tmp_path / "race.net"
    net.write_text("net race\nplace p = token\ntransition t: p -> nothing  after 9\nrun until 20\n", encoding="utf-8")
    assert re.search(r"\bt +enabled, its clock has 7.9980469 of 9 left", call("why", str(net), "--at", "1").out)
