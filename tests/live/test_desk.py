"""What is set and what is known of it: knobs, comparisons, curves, and a text that changes."""

from __future__ import annotations

import json
import re
import shlex
import threading
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.experiment.yaml.file import load_experiment
from petri.live.knobs import along, knobs
from petri.live.source import Source
from petri.live.tuning import ranges
from petri.model import LoadedFrom
from petri.report.notebook.plots import plot
from petri.report.telling.quantities import Units
from petri.report.telling.sensitivity import change_text, signed
from tests.cli.calling import caller

from .tables import COUNTER, answer, desk, source


def of(found: dict[str, Any], name: str) -> Any:
    return next(one for one in found["figures"] if one["name"] == name)


def test_a_turned_knob_gives_the_figures_of_its_value(tmp_path: Path) -> None:
    with desk(tmp_path / "counter.net") as one:
        answer(one, lambda found: found.get("count", 0) >= 4)
        one.change(settings={"clerks": "2"})
        found = answer(one, lambda found: found.get("settings") == {"clerks": "2"} and found["count"] >= 4)
        assert abs(of(found, "busy")["value"] - 0.375) < 0.02
        one.change(settings={})
        found = answer(one, lambda found: found.get("settings") == {} and found["count"] >= 4)
        assert abs(of(found, "busy")["value"] - 0.75) < 0.03
        json.dumps(found, allow_nan=False)


def test_a_wrong_value_is_told_with_its_hint_and_the_last_figures_stay(tmp_path: Path) -> None:
    with desk(tmp_path / "counter.net") as one:
        before = answer(one, lambda found: found.get("count", 0) >= 4)
        one.change(settings={"clerks": "12"})
        found = answer(one, lambda found: bool(found["problem"]))
        assert "clerks" in found["problem"]
        assert found["measures"]
        assert found["knobs"] == before["knobs"]
        one.change(settings={"clerks": "3"})
        answer(one, lambda found: not found["problem"] and found["settings"] == {"clerks": "3"})


def test_the_page_follows_the_text_and_survives_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "counter.net"
    with desk(path) as one:
        answer(one, lambda found: found.get("count", 0) >= 1)
        path.write_text(COUNTER.replace("takes exp(3 min)", "takes exp(3 mim)"), encoding="utf-8")
        found = answer(one, lambda found: bool(found["problem"]))
        assert "^^^" in found["problem"]
        assert "hint" in found["problem"]
        assert found["measures"]
        path.write_text(COUNTER.replace("exp(3 min)", "exp(1 min)"), encoding="utf-8")
        found = answer(one, lambda found: found.get("text") == 1 and found["count"] >= 4 and not found["problem"])
        assert abs(of(found, "busy")["value"] - 0.25) < 0.02


def test_a_net_that_takes_long_to_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.live.desk.SLOW", 0.01)
    with desk(tmp_path / "counter.net") as one:
        answer(one, lambda found: found.get("count", 0) >= 1 and not found["slow"])
        read, go_on = Source.load, threading.Event()
        monkeypatch.setattr(Source, "load", lambda *asked: go_on.wait() and read(*asked))
        one.change(settings={"gap": "5 min"})
        assert answer(one, lambda found: found["slow"])["settings"] == {}
        go_on.set()
        answer(one, lambda found: found["settings"] == {"gap": "5 min"} and not found["slow"])


@pytest.mark.slow
def test_a_pinned_setting_is_compared_replication_by_replication(tmp_path: Path) -> None:
    with desk(tmp_path / "counter.net") as one:
        answer(one, lambda found: found.get("count", 0) >= 4)
        one.change(pinned=True)
        one.change(settings={"clerks": "2"})
        found = answer(one, lambda found: "clerks:" in (found.get("compared") or "") and found["count"] >= 10)
        assert "clerks: as written → 2" in found["compared"]
        assert "<b>" in found["compared"]
        one.change(pinned=False)
        answer(one, lambda found: found["compared"] is None)


@pytest.mark.slow
def test_figures_are_shown_as_shares_of_their_bounds(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    with desk(tmp_path / "counter.net") as one:
        one.change(bounds=True)
        found = answer(one, lambda found: '">busy</span>' in found.get("bounded", ""))
        assert "`arrive` brings no more" in found["bounded"]


def test_a_curve_follows_a_parameter(tmp_path: Path) -> None:
    with desk(tmp_path / "counter.net") as one:
        answer(one, lambda found: found.get("count", 0) >= 4)
        one.change(parameter="clerks", measure="busy")
        found = answer(one, lambda found: found["curve"] is not None and len(found["curve"]["data"][0]["x"]) == 9)
        line = found["curve"]["data"][0]
        assert line["x"] == list(range(1, 10))
        assert line["y"] == sorted(line["y"], reverse=True)
        assert found["curve"]["data"][1]["x"] == [1.0]


def test_the_effects_of_parameters_are_those_of_sensitivity(tmp_path: Path) -> None:
    text = COUNTER.replace("param clerks", "param nothing = 7\nparam late = 2 min in 0 min..2.1 min\nparam clerks")
    text = text.replace("exp(3 min)", "exp(1 min + late)").replace("1_000 h", "200 h")
    effects = petri.loads(text).sensitivity(over=["clerks", "gap"], measures=["busy"], replications=20).effects["busy"]
    changes = {change_text(one.factor, Units(), petri.loads(text).net): one for one in effects}
    with desk(tmp_path / "counter.net", text) as one:
        answer(one, lambda found: found.get("count", 0) >= 1 and found["effects"] is None)
        one.change(effects="busy")
        rows = answer(one, lambda found: bool(found["effects"]) and "20 replications" in found["effects"]["note"])[
            "effects"
        ]["rows"]
    assert {name: [row["change"] for row in each] for name, each in rows.items()} == {
        "gap": ["+10%"],
        "nothing": ["7 → 6", "7 → 8"],
        "late": ["-10%"],  # the end of its range is nearer
        "clerks": ["1 → 2"],
    }
    assert rows["clerks"][0]["by"] == signed(changes["1 → 2"].relative, "share", Units())
    assert rows["clerks"][0]["certain"]
    assert rows["clerks"][0]["bar"][1] == -1.0  # the longest, with its interval
    assert [row["by"] for row in rows["nothing"]] == ["no change", "no change"]
    assert abs(float(rows["gap"][0]["by"].split()[0]) - 100 * (1 / 1.1 - 1)) < 2.0
    assert abs(float(rows["late"][0]["by"].split()[0]) - 100 * (2.8 / 3 - 1)) < 2.0


def test_effects_that_cannot_be_say_why(tmp_path: Path) -> None:
    text = COUNTER.replace("place clerk = clerks", "place clerk = (1 div (2 - clerks))")
    with desk(tmp_path / "counter.net", text) as one:
        one.change(effects="wait")
        found = answer(one, lambda found: bool(found.get("effects")) and "bar" in found["effects"]["rows"]["gap"][0])
        assert "zero" in found["effects"]["rows"]["clerks"][0]["by"]
        one.change(effects="weight")
        found = answer(one, lambda found: found["effects"] is not None and found["effects"]["measure"] == "weight")
        assert "weight" in found["effects"]["note"]
        assert found["effects"]["rows"] == {}


@pytest.mark.slow
def test_the_best_setting_is_looked_for_and_can_be_stopped_and_gone_on_with(tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    text = COUNTER.replace("1_000 h  warmup 10 h", "100 h") + "measure cost = 2 * clerks + mean(line)\n"
    with desk(tmp_path / "counter.net", text) as one:
        one.change(settings={"gap": "3.1 min"}, aim="least", aimed="cost", varied=("clerks",))
        answer(one, lambda found: bool(found.get("tuned")) and bool(found["tuned"]["html"]))
        one.watched(-1)
        assert not answer(one, lambda found: not found["tuned"]["running"])["tuned"]["running"]
        one.watched(1)
        found = answer(one, lambda found: not re.search("goes on|stopped", found["tuned"]["note"]))
        assert found["tuned"]["best"] == {"clerks": "2"}
        assert found["settings"] == {"gap": "3.1 min"}
        one.change(settings={"gap": "3.1 min", **found["tuned"]["best"]})
        found = answer(one, lambda found: found["settings"].get("clerks") == "2")
        assert found["tuned"]["best"] == {"clerks": "2"}  # no other search has begun
        assert one.wish.aim == ""


def test_a_search_goes_over_the_ends_of_the_sliders() -> None:
    text = "net of_all\ntime s\nparam n = 3 in 0..7\nparam load = 0.5 in 0..1\nparam zero = 0.0 in 0..1\n"
    text += "param gap = 2 ms in 1 ms..9 ms\nparam fast = true\nplace a = token\n"
    net = petri.loads(text).net
    assert ranges(knobs(net, net), ["n", "load", "zero", "gap", "fast"]) == {
        "n": "0..7",
        "load": "0.005..1",
        "zero": "0..1",
        "gap": "1..9 ms",
        "fast": [False, True],
    }


@pytest.mark.parametrize(("varied", "said"), [((), "varies"), (("clerks",), "cots")])
def test_a_search_that_cannot_be_says_why(tmp_path: Path, varied: tuple[str, ...], said: str) -> None:
    pytest.importorskip("optuna")
    with desk(tmp_path / "counter.net") as one:
        one.change(aim="least", aimed="cots", varied=varied)
        found = answer(one, lambda found: bool(found.get("tuned")) and not found["tuned"]["running"])
        assert said in found["tuned"]["note"]
        assert not found["tuned"]["best"]


def test_a_curve_over_a_switch_has_names_along_its_axis(tmp_path: Path) -> None:
    text = COUNTER.replace("param clerks", "param quick = false\nparam clerks").replace(
        "exp(3 min)", "if quick then exp(1 min) else exp(3 min)"
    )
    with desk(tmp_path / "counter.net", text) as one:
        one.change(parameter="quick", measure="busy")
        found = answer(one, lambda found: bool(found.get("curve")) and len(found["curve"]["data"][0]["x"]) == 2)
        assert found["curve"]["layout"]["xaxis"]["categoryarray"] == ["false", "true"]
        assert "false" in plot(found["curve"], "busy")


@pytest.mark.parametrize("parameter", ["", "gap"])
def test_what_is_taken_away_gives_the_same_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], parameter: str
) -> None:
    path, call = tmp_path / "counter.net", caller(capsys)
    path.write_text(COUNTER, encoding="utf-8")
    made = source(path, {"until": "90 h", "warmup": "8 h", "seed": 7, "engine": "auto"}, clerks="2")
    model, plan = made.load({"gap": "2 min"})
    result = model.run_plan(plan, 6)
    copies = made.copies({"gap": "2 min"}, 6, {parameter: ["1 min", "2 min"]} if parameter else {})
    program, *words = shlex.split(copies["command"])
    assert program == "pnsim"
    ran = json.loads(call(*words, "--json").out)
    assert ran["measures"][1]["value"] == result.measures[1].interval.mean
    exec(compile(copies["python"], "copy", "exec"), {})
    assert capsys.readouterr().out == f"{result}\n"
    written = tmp_path / "copy.yaml"
    written.write_text(copies["yaml"], encoding="utf-8")
    swept = json.loads(call("sweep", str(written), "--store", str(tmp_path / "copy.db"), "--json").out)
    (point,) = (one for one in swept["points"] if one["parameters"]["gap"] == "2 min")
    assert point["measures"]["wait"]["value"] == result.measures[1].interval.mean


def test_what_is_taken_away_reads_the_files_that_were_given(tmp_path: Path) -> None:
    origin = LoadedFrom("a net.net", "", {}, {"t.csv": "my t.csv"}, {"packets": tmp_path / "a.pcap"}, {"time": "t [s]"})
    copies = Source("a net.net", origin, {}).copies({"lambda": "3"}, 2, {})
    words = ["--table", "t.csv=my t.csv", "--stream", f"packets={tmp_path}/a.pcap", "--column", "time=t [s]"]
    assert shlex.split(copies["command"]) == ["pnsim", "run", "a net.net", "--set", "lambda=3", *words, "-n", "2"]
    assert f'recordings:\n  "packets": "{tmp_path}/a.pcap"\n' in copies["yaml"]
    compile(copies["python"], "copy", "exec")  # `lambda` is a word of Python


def test_the_copied_experiment_contains_the_setting(tmp_path: Path) -> None:
    with desk(tmp_path / "counter.net") as one:
        one.change(settings={"gap": "4.321 min"}, parameter="gap", measure="wait")
        found = answer(one, lambda found: "4.321 min" in found.get("copies", {}).get("yaml", ""))
        values = [one["gap"] for one in load_experiment(_written(tmp_path, found)).points]
    assert values.index("4.321 min") not in (0, len(values) - 1)


def _written(folder: Path, found: dict[str, Any]) -> Path:
    path = folder / "copy.yaml"
    path.write_text(found["copies"]["yaml"], encoding="utf-8")
    return path


def test_the_figures_of_a_node_are_found_by_its_id(tmp_path: Path) -> None:
    with desk(tmp_path / "counter.net") as one:
        found = answer(one, lambda found: bool(found.get("loads")))
        assert set(found["loads"]) >= {"n-clerk"}
        assert one.part("nothing") is None
        place = one.part("n-line")
        assert place is not None
        assert place[:2] == ("p", "line")
        assert "sojourn" in place[2]


def test_a_part_of_a_replication_fails_no_expectation(tmp_path: Path) -> None:
    text = COUNTER.replace("expect <= 0.8", "expect == 0.75 within 20%") + "expect count(arrive) >= 1_500_000\n"
    with desk(tmp_path / "counter.net", text.replace("1_000 h", "100_000 h")) as one:
        found = answer(one, lambda found: "count" in found)
        assert found["count"] == 0
        assert "✗" not in found["measures"] + found["said"]
        found = answer(one, lambda found: found["count"] > 0)
        assert "✗" in found["measures"] or "✓" in found["measures"]


def test_the_drawing_can_show_tokens_and_what_waits(tmp_path: Path) -> None:
    with desk(tmp_path / "counter.net") as one:
        answer(one, lambda found: found.get("colours") == "use" and found["count"] >= 20)
        one.change(colours="tokens")
        found = answer(one, lambda found: found.get("colours") == "tokens")
        assert found["loads"]["n-line"][0] == 1.0  # the fullest: about 2.25 tokens wait in M/M/1 at a load of 3/4
        assert abs(float(found["loads"]["n-line"][1].removesuffix(" tokens")) - 2.25) < 0.4
        one.change(colours="waits")
        loads = answer(one, lambda found: found.get("colours") == "waits")["loads"]
        serve = next(text for name, (_, text) in loads.items() if name.startswith("n-serve"))
        assert loads["n-clerk"][0] > loads["n-line"][0] > 0.3  # 1 - 1/4, and the probability of at most one customer
        share = loads["n-clerk"][1].removesuffix(" empty")
        assert serve == f"lacks a token at least {share} of the time"


def test_knobs_have_ranges_that_do_not_move() -> None:
    text, turned = (petri.loads(COUNTER, **given).net for given in ({}, {"gap": "7 min"}))
    gap, clerks = knobs(text, turned)
    assert (gap["low"], gap["high"], gap["value"], gap["unit"], gap["text"]) == (1.0, 8.0, 7.0, "min", "7 min")
    assert (clerks["low"], clerks["high"], clerks["step"], clerks["whole"]) == (1, 9, 1, True)
    assert set(along(clerks, 13)) == set("123456789")
    assert along(gap, 3)[:2] == ["1 min", "8 min"]


def test_every_net_of_the_library_has_knobs() -> None:
    for name in ("ixp2400", "ddr", "mm1", "shotnoise"):
        net = petri.load(name).net
        for knob in knobs(net, net):
            if knob["kind"] == "range":
                assert knob["low"] < knob["high"], (name, knob)
                assert 0 < knob["step"] <= knob["high"] - knob["low"], (name, knob)
                assert knob["low"] <= knob["value"] <= knob["high"], (name, knob)
