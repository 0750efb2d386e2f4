"""Export, and import of what was exported: the same flat net."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import petri
from petri import interchange, language
from petri.codec import net_to_dict
from petri.diagnostics import LanguageError
from petri.interchange.out.exporting import WRITERS, exported
from petri.model import Model
from petri.net import Net
from tests.cli.calling import caller
from tests.interchange import samples

QUEUE = """net queue
place free = 3 * token
place jobs cap 5
place busy cap 2
transition arrive: free -> jobs after exp(0.7) servers all
transition begin: jobs, no busy >= 2 -> busy after exp(1 / (2 * tokens(jobs))) when tokens(free) < 3
transition serve: 2 * busy -> 2 * free after exp(0.5) servers 2
"""


def core(net: Net) -> list[Any]:
    """Return what makes a run: without names' spans, comments and parameters."""
    data = net_to_dict(net, spans=False)
    return [without(data[part]) for part in ("places", "transitions")]


def without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without(one) for key, one in value.items() if key not in ("span", "doc")}
    return [without(one) for one in value] if isinstance(value, list) else value


def read(text: str, name: str, wanted: str = "") -> Net:
    return language.loads(interchange.text_of(interchange.read_bytes(text.encode(), name, wanted)))


@pytest.mark.parametrize(
    ("text", "name", "format"),
    [
        (samples.PNML, "net.pnml", "pnml"),
        (samples.PNML, "net.pnml", "pnpro"),
        (samples.PIPE, "net.xml", "pnpro"),
        (samples.PNPRO_PLAIN, "net.pnpro", "pnpro"),
        (samples.PNPRO_PLAIN.replace("0.7", "0.07"), "net.pnpro", "pnpro"),
    ],
)
def test_import_export_import(text: str, name: str, format: str) -> None:
    first = read(text, name)
    again, _ = exported(first, format)
    assert core(read(again, f"net.{format}")) == core(first)


def random_net(seed: int) -> str:
    """Three to six places and transitions, which take up to two tokens from some places and give some to others."""
    rng = random.Random(seed)
    places = [f"p{number}" for number in range(rng.randint(3, 6))]
    lines = [f"net random{seed}", *(f"place {place} = {rng.randint(0, 3)} * token" for place in places)]
    for number in range(rng.randint(3, 6)):
        taken, given = (rng.sample(places, rng.randint(1, 3)) for _ in range(2))
        arcs = [[f"{rng.randint(1, 2)} * {place}" for place in side] for side in (taken, given)]
        lines.append(f"transition t{number}: {', '.join(arcs[0])} -> {', '.join(arcs[1])} after exp(1)")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("format", ["pnml", "pnpro", "prism"])
def test_random_nets_come_back(format: str) -> None:
    """PNML and PNPRO give the net itself; PRISM its places with bounds, which it gives again."""
    for seed in range(12):
        first = language.loads(random_net(seed))
        again = read(exported(first, format)[0], f"a.{format}")
        if format == "prism":
            first, again = again, read(exported(again, format)[0], f"a.{format}")
        assert core(again) == core(first), seed


LINES = """ctmc
const int c = 3;
module line
  q1 : [0..c] init 1;
  q2 : [0..c];
  [] q1 < c -> 2 : (q1'=q1+1);
  [move] q1 > 0 & q2 < c -> 0.4 * q1 : (q1'=q1-1) & (q2'=q2+1);
  [] q2 > 0 -> 3 : (q2'=q2-1);
endmodule
"""
LIGHT = "  up : bool init true;\n  [] up -> 0.1 : (up'=false);\n  [] !up & q1 < 2 -> 2 : (up'=true);\n"
FLAGS = LINES.replace("endmodule", f"{LIGHT}endmodule")


def test_prism_comes_back() -> None:
    """The same flat net; and with flags, whose guards come back as guards, the same figures."""
    first = read(LINES, "lines.prism")
    again = read(exported(first, "prism")[0], "again.prism")
    assert core(again) == core(first)
    flags = read(FLAGS, "flags.prism")
    figures = [
        Model(net).solve().exact("up.mean").value for net in (flags, read(exported(flags, "prism")[0], "again.prism"))
    ]
    assert figures[1] == pytest.approx(figures[0], rel=1e-12)
    assert 0.1 < figures[0] < 0.9


def test_a_chain_as_prism() -> None:
    text, found = exported(language.loads(QUEUE), "prism")
    assert text == (
        "ctmc\n\n"
        "module queue_net\n\n"
        "  free : [0..100] init 3;\n"
        "  jobs : [0..5] init 0;\n"
        "  busy : [0..2] init 0;\n\n"
        "  [arrive] free>=1 & jobs<=4 -> free * 1.4285714285714286 : (free'=free-1) & (jobs'=jobs+1);\n"
        "  [begin] jobs>=1 & busy<2 & busy<=1 & (free < 3) -> 2 * jobs : (jobs'=jobs-1) & (busy'=busy+1);\n"
        "  [serve] busy>=2 -> min(floor(busy / 2), 2) * 2 : (free'=free+2) & (busy'=busy-2);\n\n"
        "endmodule\n"
    )
    assert [one.id for one in found] == ["export-bounds"]
    net = read(text, "queue.prism")
    assert [place.name for place in net.places][:3] == ["free", "jobs", "busy"]


def test_a_chain_as_jani() -> None:
    model = json.loads(exported(language.loads(QUEUE), "jani")[0])
    assert [one["initial-value"] for one in model["variables"]] == [3, 0, 0]
    (first, _, last) = model["automata"][0]["edges"]
    assert first["guard"]["exp"]["op"] == "∧"
    assert last["rate"]["exp"]["left"]["op"] == "min"


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("place p : int = 1\ntransition t: p(x) -> p(x) after exp(1)", "pnml pnpro prism jani"),
        ("place p = token\ntransition t: p -> p in 2 after exp(1)", "pnml pnpro prism jani"),
        ("place p = token\ntransition t: p -> p takes 3", "prism jani"),
        ("place p = token\ntransition t: p -> p takes uniform(1.0..2.0)", "pnpro prism jani"),
        ("place p = token\nplace q cap 2\ntransition t: p -> p, q takes 3", "pnpro prism jani"),
        ("place p = token\ntransition t: p -> p after 3", "prism jani"),
        ("place p = token\ntransition t: p -> p after exp(1) resume", "pnpro prism jani"),
        ("place p = token\ntransition t: p -> p after uniform(1.0..2.0)", "pnpro prism jani"),
        ("place p = token\ntransition t: p -> tokens(p) * p after exp(1)", "pnml pnpro prism jani"),
        ("place p = token\ntransition t: p, reset p -> p after exp(1)", "pnml pnpro prism jani"),
        ("place p = token\ntransition t: p -> p after exp(1) when tokens(p) > 1", "pnml pnpro"),
        ("place p : 0..3 = 1\nplace q\ntransition t: p(x) -> q after exp(1)", "pnml pnpro prism jani"),
        ("place p : 0..3 = 1, 2\ntransition t: p(x) -> p(x) after exp(1)", "pnml pnpro prism jani"),
        ("place p : 0..3 = 1\ntransition t: p(x) -> 2 * p(x) after exp(1)", "pnml pnpro prism jani"),
        ("place p = token\ntransition t: p -> p weight tokens(p)", "pnpro prism jani"),
    ],
)
def test_what_a_format_cannot_say(text: str, formats: str) -> None:
    net = language.loads(text)
    for format in WRITERS:
        if format in formats.split():
            with pytest.raises(LanguageError) as error:
                exported(net, format)
            assert error.value.diagnostics[0].span is not None
        else:
            exported(net, format)


HELD = """net held
place free = 3 * token
place full cap 4
transition fill: 2 * free -> free, full after exp(2)
transition work: free -> free takes exp(3) priority -1
transition rest: full -> free takes 2
"""


def test_firings_that_hold_tokens_as_a_start_and_an_end() -> None:
    text, found = exported(language.loads(HELD), "pnpro")
    assert found == []
    assert interchange.text_of(interchange.read_bytes(text.encode(), "held.pnpro")).partition("\n\n")[2] == (
        "place free = 3 * token\n"
        "place full\n"
        "place work_in_progress\n"
        "place rest_in_progress\n\n"
        "transition fill:     2 * free, no full >= 4 -> free, full  after exp(2)\n"
        "transition work:     free -> work_in_progress              priority 1\n"
        "transition rest:     full -> rest_in_progress              priority 2\n"
        "transition work_end: work_in_progress -> free              after exp(3)  servers all\n"
        "transition rest_end: rest_in_progress -> free              after 2  servers all\n"
    )


def test_the_figures_are_those_of_the_net() -> None:
    """The start and the end of a firing in PNPRO, and both in one firing here, have the same figures."""
    net = "place free = 3 * token\nplace jobs\ntransition think: free -> jobs takes exp(2)\n"
    net += "place server = token\ntransition serve: jobs, server -> free, server takes exp(0.7)\n"
    ours = petri.loads(net)
    text, _ = exported(ours.net, "pnpro")
    theirs = petri.loads(interchange.text_of(interchange.read_bytes(text.encode(), "a.pnpro")))
    busy = ours.solve().exact("serve.rate").value
    assert theirs.solve().exact("serve.rate").value == pytest.approx(busy, rel=1e-9)
    assert theirs.solve().exact("jobs.mean").value == pytest.approx(ours.solve().exact("jobs.mean").value, rel=1e-9)


def test_the_library_as_pnml() -> None:
    """Nets of black tokens without guards and inhibitor arcs: their times are left out, with a warning."""
    for name in ("mm1", "mm1k", "mmc", "mva", "closed_ring", "gspn_parallel", "marked_graph", "repairman"):
        net = petri.load(name).net
        text, found = exported(net, "pnml")
        again = read(text, f"{name}.pnml")
        assert [one.id for one in found] == ["export-times"]
        assert [place.held for place in again.places] == [place.held for place in net.places]
        assert len(again.transitions) == len(net.transitions)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = caller(capsys)
    file = tmp_path / "queue.net"
    file.write_text(QUEUE)
    assert call("export", str(file), "--format", "prism").out.startswith("ctmc\n")
    assert call("export", str(file), "--format", "dot").out.startswith("digraph")
    refused = call("export", str(file), "--format", "pnpro")
    assert (refused.status, "export-construct" in refused.err, "queue.net:6" in refused.err) == (1, True, True)


@pytest.mark.parametrize("format", ["pnpro", "pnml"])
def test_an_arc_that_only_reads_is_told_to_be_two(format: str) -> None:
    """Each firing is an arrival at the place then."""
    text = "place a = 2 * token place open = token place b\ntransition t: a{} -> b after exp(1)\n"
    text += "transition u: b -> a after exp(1)\n"
    _, told = exported(language.loads(text.format(", read open")), format)
    assert [(one.id, one.severity, one.values["names"]) for one in told] == [("export-reads", "note", ["open"])]
    assert exported(language.loads(text.format("")), format)[1] == []


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
@pytest.mark.parametrize("format", ["prism", "pnpro"])
def test_times_with_a_unit_are_those_of_the_net_without(format: str, unit: str) -> None:
    text = "place up = 3 * token\nplace down\n{}transition fail: up -> down after exp({}) servers all\n"
    text += "transition repair: down -> up after exp({})\nplace start = token\n"
    plain, _ = exported(language.loads(text.format("", "8", "0.7")), format)
    timed, _ = exported(language.loads(text.format(f"time {unit}\n", f"8 {unit}", f"0.7 {unit}")), format)
    assert timed == plain
    assert "0.125" in timed


@pytest.mark.parametrize(
    "time", ["8{} / (1 + tokens(up))", "tokens(up) * 8.5{}", "if tokens(up) > 1 then 8{} else 0.5{}"]
)
def test_times_of_the_marking_with_a_unit_are_those_of_the_net_without(time: str) -> None:
    text = "{}place up = 3 * token\nplace down\ntransition fail: up -> down after exp({})\n"
    plain, _ = exported(language.loads(text.format("", time.replace("{}", ""))), "prism")
    timed, _ = exported(language.loads(text.format("time us\n", time.replace("{}", " us"))), "prism")
    assert timed == plain


@pytest.mark.parametrize("format", ["prism", "jani"])
def test_what_chains_do_not_say_of_a_net_is_told_as_it_is(format: str) -> None:
    with pytest.raises(LanguageError, match="fires at once, as the start of one with `takes` does"):
        exported(language.loads("place p = token\ntransition t: p -> p takes exp(3)\n"), format)


def test_activations_with_patiences_are_black_tokens() -> None:
    """They are tokens of one value here, so that each has a clock of its own."""
    thread = "thread t\n  take work\n  take help within 2 else gone\n  wait exp(1)\n  gone: give work\nend"
    text, found = exported(language.loads(f"net waits\nplace work = 3 * token\nplace help\n{thread}\n"), "pnpro")
    assert found == []
    lines = interchange.text_of(interchange.read_bytes(text.encode(), "waits.pnpro"))
    assert "after 2  servers all" in lines
