"""Experiments in YAML: what they mean, and what is said of those that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import petri
from petri.diagnostics import LanguageError
from petri.experiment import Experiment, sweep
from petri.experiment.design.definition import Expected, Tolerance
from petri.experiment.errors import ExperimentError
from petri.measure.sequential import Precision
from tests.engines import FASTEST
from tests.experiment.nets import write_net

WHOLE = """\
title: A queue
net: queue.net
set: {servers: 2}
grid:
  load: [0.5, 0.8]
replications: 6
precision: {customers: 5%, busy: 0.01}
max-replications: 50
until: 300
warmup: auto
seed: 7
streams: independent
measures: [customers, busy, line.mean]
parts: {all: [busy, line.mean]}
expected:
  - {at: {load: 0.5}, measure: busy, value: 50%, within: 0.02, source: by hand}
"""


def load(folder: Path, text: str) -> Experiment:
    path = folder / "e.yaml"
    path.write_text(text, encoding="utf-8")
    return Experiment.load(path)


def test_everything_is_read(tmp_path: Path) -> None:
    net = write_net(tmp_path)
    assert load(tmp_path, WHOLE) == Experiment(
        net=str(net),
        points=[{"load": 0.5}, {"load": 0.8}],
        fixed={"servers": 2},
        replications=6,
        precision={"customers": Precision(0.05), "busy": Precision(0.01, relative=False)},
        max_replications=50,
        until=300.0,
        warmup="auto",
        seed=7,
        streams="independent",
        measures=["customers", "busy", "line.mean"],
        expected=[Expected("busy", "50%", Tolerance(0.02, relative=False), {"load": 0.5}, "by hand")],
        title="A queue",
        parts={"all": ["busy", "line.mean"]},
    )


@pytest.mark.parametrize("number", ["9" * 400, "9" * 5000, "1e99999999", "1e-99999999", f"{'9' * 5000}.5"])
@pytest.mark.parametrize(
    "line",
    [
        "replications: {}", "seed: {}", "until: {}", "grid: {{load: [{}]}}", "grid: {{load: 1..{}}}",
        "set: {{load: {}}}", "precision: '{}%'", "expected: [{{measure: customers, value: {}}}]",
        "expected: [{{measure: customers, value: 1, within: '{}'}}]",
        "sample: {{count: 2, parameters: {{load: 0.1..{}}}}}",
    ],
)  # fmt: skip
def test_numbers_beyond_all_measure_are_refused(tmp_path: Path, line: str, number: str) -> None:
    """At once, with a message. A number so small that it is 0 as a double may be taken for 0."""
    write_net(tmp_path)
    try:
        text = f"net: queue.net\nwarmup: 0\n{line.format(number)}\n"
        text += "" if "until" in line else "until: 1\n"
        sweep(load(tmp_path, text), tmp_path / "kept.db", workers=1)
    except (LanguageError, ExperimentError):
        return
    assert number.startswith("1e-")


@pytest.mark.parametrize(
    ("design", "points"),
    [
        ("grid: {a: 1..3, b: [x, 2 us]}", 6),
        ("grid: {a: [1..3, 8]}", 4),
        ("points: [{a: 1, b: 2}, {a: 2}]", 2),
        ("sample: {count: 12, parameters: {a: 0.1..0.9}}", 12),
        ("sample: {method: random, count: 5, seed: 3, parameters: {a: {range: 1..1000, scale: log}}}", 5),
        ("", 1),
    ],
)
def test_designs(tmp_path: Path, design: str, points: int) -> None:
    assert len(load(tmp_path, f"net: later.net\n{design}\n").points) == points


def test_plain_texts_stay_what_they_are(tmp_path: Path) -> None:
    """YAML 1.1 would make of these a truth value, a number in base 60, a date, and a text."""
    (point,) = load(tmp_path, "net: later.net\npoints: [{a: on, b: 1:30, c: 2026-01-01, d: 1e3, e: '7'}]").points
    assert point == {"a": "on", "b": "1:30", "c": "2026-01-01", "d": 1000.0, "e": "7"}


WRONG = [
    ("nett: mm1", "experiment-key", (1, 1)),
    ("grid: {a: 1..3}", "experiment-missing", (1, 1)),
    ("net: mm1\nreplications: many", "experiment-number", (2, 15)),
    ("net: mm1\nreplications: 0", "experiment-number", (2, 15)),
    ("net: mm1\nreplications: 99999999999999999999", "experiment-number", (2, 15)),
    ("net: mm1\ngrid: {a: 0.1..0.9}", "range-without-step", (2, 11)),
    ("net: mm1\ngrid: {a: 3..1}", "range-empty", (2, 11)),
    ("net: mm1\ngrid: [1, 2]", "experiment-kind", (2, 7)),
    ("net: mm1\ngrid: {a: 1..3}\npoints: []", "experiment-two-designs", (3, 1)),
    ("net: mm1\nset: {a: 1}\ngrid: {a: 1..3}", "experiment-same-parameter", (3, 1)),
    ("net: mm1\ngrid: {a: 1..200, b: 1..200}", "too-many-points", (2, 7)),
    ("net: mm1\nprecision: narrow", "precision-form", (2, 12)),
    ("net: mm1\nprecision: -2%", "precision-form", (2, 12)),
    ("net: mm1\nnet: mm1", "yaml-duplicate", (2, 1)),
    ("net: !!python/object/apply:os.system ['true']", "yaml-tag", (1, 6)),
    ("net: mm1\n  set: {", "yaml-syntax", (2, 6)),
    ("net: mm1\nexpected: [{measure: L, value: 3, at: {a: 9}}]\ngrid: {a: 1..3}", "expected-nowhere", (2, 35)),
    ("net: mm1\nexpected: [{value: 3}]", "experiment-missing", (2, 12)),
    ("net: mm1\nexpected: [{measure: L, value: 3, within: near}]", "within-form", (2, 43)),
    ("net: mm1\nstreams: my own", "experiment-number", (2, 10)),
    ("net: mm1\nsample: {count: 5, parameters: {a: gold}}", "experiment-kind", (2, 36)),
    ("", "experiment-empty", (1, 1)),
    ("- 1", "experiment-kind", (1, 1)),
    ("a: " + "[" * 30 + "]" * 30, "yaml-too-deep", (1, 16)),
    ("a: " + "[" * 600, "yaml-too-deep", (1, 1)),
]


@pytest.mark.parametrize(("text", "identifier", "place"), WRONG, ids=[f"{w[1]}-{i}" for i, w in enumerate(WRONG)])
def test_what_is_wrong_is_told_at_its_place(tmp_path: Path, text: str, identifier: str, place: tuple[int, int]) -> None:
    with pytest.raises(LanguageError) as caught:
        load(tmp_path, text)
    found = {diagnostic.id: diagnostic for diagnostic in caught.value.diagnostics}
    assert identifier in found
    span = found[identifier].span
    assert span is not None
    assert (span.line, span.column) == place
    assert str(caught.value)  # every wording is complete


def test_all_errors_come_in_one_go(tmp_path: Path) -> None:
    with pytest.raises(LanguageError) as caught:
        load(tmp_path, "nett: mm1\nreplications: x\nprecision: y\nseed: -1\n")
    assert len(caught.value.diagnostics) == 5
    assert "did you mean `net`?" in str(caught.value)


OUTSIDE = ["../secret.txt", "../queue.net", "queue.net/../../queue.net", "linked/queue.net"]


@pytest.mark.parametrize("name", [*OUTSIDE, "/etc/passwd", "/no/such.net", "..", "../nothing"])
@pytest.mark.parametrize("key", ["net", "recordings", "tables"])
def test_no_file_outside_the_folder_is_opened(tmp_path: Path, name: str, key: str) -> None:
    """Whether or not it is there; also not the one that the current folder has."""
    inner = folder_with_files(tmp_path)
    line = f"net: {name}" if key == "net" else f"net: mm1\n{key}: {{a: {name}}}"
    with pytest.raises(LanguageError) as raised:
        load(inner, line)
    found = next(one for one in raised.value.diagnostics if one.id == "experiment-outside")
    assert found.span is not None
    assert name in found.message
    assert "secret" not in str(raised.value).replace(name, "")


def test_the_current_folder_is_outside_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = folder_with_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("queue.net", "queue"):
        with pytest.raises(LanguageError, match=r"`queue.*` is outside the folder of the experiment"):
            load(inner, f"net: {name}\nuntil: 10")


def test_a_root_lets_an_experiment_name_the_files_in_it(tmp_path: Path) -> None:
    inner = folder_with_files(tmp_path)
    (inner / "e.yaml").write_text("net: ../queue.net\nuntil: 100", encoding="utf-8")
    assert Experiment.load(inner / "e.yaml", root=tmp_path).net == str(inner / "../queue.net")
    (inner / "e.yaml").write_text("net: ../../queue.net\nuntil: 100", encoding="utf-8")
    with pytest.raises(LanguageError, match="outside the folder"):
        Experiment.load(inner / "e.yaml", root=tmp_path)


def folder_with_files(folder: Path) -> Path:
    """Return a folder, with a net and a secret beside it, and a link that leads to them."""
    write_net(folder)
    (folder / "secret.txt").write_text("secret = 1", encoding="utf-8")
    inner = folder / "inner"
    inner.mkdir()
    (inner / "linked").symlink_to(folder)
    return inner


def test_a_bomb_of_aliases_is_defused(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(LanguageError) as caught:
        load(tmp_path, "\n".join(lines))
    assert caught.value.diagnostics[0].id == "yaml-too-many"


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "large.yaml").write_bytes(b"#" * (1 << 21))
    for name, identifier in [
        ("missing.yaml", "yaml-missing-file"),
        ("binary.yaml", "yaml-not-text"),
        ("large.yaml", "yaml-too-large"),
    ]:
        with pytest.raises(LanguageError) as caught:
            Experiment.load(tmp_path / name)
        assert [diagnostic.id for diagnostic in caught.value.diagnostics] == [identifier]


def test_times_and_measures_are_those_of_the_experiment(tmp_path: Path) -> None:
    """A warm-up longer than the net's own run, an end before its own warm-up, a measure that `set` switches on."""
    text = """\
net timed
param own = false
place p = token
transition t: p -> p  takes 1
measure rounds = count(t)
measure extra = rate(t)  if own
run until 10  warmup 5
"""
    (tmp_path / "queue.net").write_text(text, encoding="utf-8")
    load(tmp_path, "net: queue.net\nuntil: 40\nwarmup: 20\n")
    load(tmp_path, "net: queue.net\nuntil: 4\nwarmup: 1\n")
    load(tmp_path, "net: queue.net\nset: {own: true}\nmeasures: [extra]\n")
    for wrong, line in (("until: 4\n", 2), ("until: 40\nwarmup: 50\n", 3), ("measures: [extra]\n", 2)):
        with pytest.raises(LanguageError) as raised:
            load(tmp_path, "net: queue.net\n" + wrong)
        (error,) = raised.value.diagnostics
        assert error.span is not None
        assert error.span.line == line


EVERYTHING_WRONG = """\
net: queue.net
sett: {load: 0.5}
set: {lod: 0.5}
grid: {load: [0.1, much], servers: 3..1}
until: 20 parsec
warmup: 3 parsec
replications: 0
precision: {nope: 1%, customers: 2%}
measures: [customers.q, nope, busy]
expected:
  - {at: {load: 0.9}, measure: nope, value: 2.96 Gbps, within: a lot}
  - {at: {lod: 3}, measure: busy, value: 3}
tables: {lengths.csv: mine.csv}
"""


def test_everything_wrong_is_reported_at_once_without_consequences(tmp_path: Path) -> None:
    """The names of parameters and measures too, which only the net knows; each mistake once, at its own place."""
    write_net(tmp_path)
    with pytest.raises(LanguageError) as raised:
        load(tmp_path, EVERYTHING_WRONG)
    lines = EVERYTHING_WRONG.splitlines()
    found = []
    for one in raised.value.diagnostics:
        assert one.span is not None
        found.append((one.id, lines[one.span.line - 1][one.span.column - 1 : one.span.end_column - 1]))
    assert found == [
        ("experiment-key", "sett"),
        ("unknown-parameter", "lod"),
        ("experiment-value", "much"),
        ("range-empty", "3..1"),
        ("experiment-value", "20 parsec"),
        ("experiment-value", "3 parsec"),
        ("experiment-number", "0"),
        ("unknown-figure", "customers.q"),
        ("unknown-figure", "nope"),
        ("within-form", "a lot"),
        ("unknown-parameter", "lod"),
        ("table-not-there", "lengths.csv"),
    ]


def test_a_value_of_many_points_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every place that names a wrong one is told; of different values, not too many are tried."""
    write_net(tmp_path)
    tried: list[dict[str, Any]] = []

    def load_and_note(net: str, **parameters: Any) -> petri.Model:
        tried.append(parameters)
        return petri.load(net, **parameters)

    monkeypatch.setattr("petri.experiment.yaml.against_net.load", load_and_note)
    points = [{"load": "1 / 2", "servers": 1 if n < 40 else "many"} for n in range(50)]
    with pytest.raises(LanguageError) as raised:
        load(tmp_path, yaml.safe_dump({"net": "queue.net", "points": points}))
    assert [one.id for one in raised.value.diagnostics] == ["experiment-value"] * 10
    assert tried == [{}, {"load": "1 / 2"}, {"servers": "many"}]


def test_a_missing_net_is_reported_with_the_other_errors(tmp_path: Path) -> None:
    with pytest.raises(LanguageError) as raised:
        load(tmp_path, "net: nowhere.net\nreplications: 0\n")
    assert [one.id for one in raised.value.diagnostics] == ["file-missing", "experiment-number"]


# ---------------------------------------------------------------- cases and tables of expected values

CASES = """\
net: queue.net
cases:
  one: {servers: 1}
  four: {servers: 4}
grid: {load: [0.5, 0.8]}
replications: 2
until: 100
measures: [customers, busy]
expected:
  table: |
    case  load  busy   customers
    ----  ----  -----  ---------
    one    0.5  50%    1
    four   0.8  80%    -
  within: 90%
  source: table 2
"""


def test_cases_are_crossed_with_the_grid(tmp_path: Path) -> None:
    write_net(tmp_path)
    found = load(tmp_path, CASES)
    assert [dict(point) for point in found.points] == [
        {"case": "one", "load": 0.5},
        {"case": "one", "load": 0.8},
        {"case": "four", "load": 0.5},
        {"case": "four", "load": 0.8},
    ]
    assert found.parameters(found.points[3]) == {"servers": 4, "load": 0.8}
    assert found.expected == [
        Expected("busy", "50%", Tolerance(0.9), {"case": "one", "load": 0.5}, "table 2"),
        Expected("customers", "1", Tolerance(0.9), {"case": "one", "load": 0.5}, "table 2"),
        Expected("busy", "80%", Tolerance(0.9), {"case": "four", "load": 0.8}, "table 2"),
    ]
    outcome = sweep(found, tmp_path / "s.db", engine=FASTEST, workers=1)
    assert outcome.axes == ["case", "load"]
    assert outcome.point(case="four", load=0.8).interval("customers").mean > 2
    assert len(outcome.point(case="one", load=0.5).checked) == 2
    again = sweep(load(tmp_path, CASES.replace("four: {servers: 4}", "four: {servers: 4}\n  two: {servers: 2}")),
                  tmp_path / "s.db", engine=FASTEST, workers=1)  # fmt: skip
    assert len(again.points) == 6


def test_cases_from_python(tmp_path: Path) -> None:
    net = write_net(tmp_path)
    made = Experiment(str(net), grid={"load": [0.5, 0.8]}, cases={"one": {}, "four": {"servers": 4}})
    assert [point["case"] for point in made.points] == ["one", "one", "four", "four"]
    assert made.with_overrides(seed=3).points == made.points
    with pytest.raises(ExperimentError, match="case-and-point"):
        Experiment(str(net), grid={"load": [0.5]}, cases={"one": {"load": 0.8}})


def test_a_table_with_bars(tmp_path: Path) -> None:
    write_net(tmp_path)
    table = "  - table: |\n      | load | busy |\n      |------|------|\n      | 0.5 | 50 % |\n    within: 0.1\n"
    one = "  - {at: {load: 0.8}, measure: busy, value: 80%}\n"
    found = load(tmp_path, f"net: queue.net\ngrid: {{load: [0.5, 0.8]}}\nexpected:\n{table}{one}")
    assert found.expected == [
        Expected("busy", "50 %", Tolerance(0.1, relative=False), {"load": 0.5}),
        Expected("busy", "80%", point={"load": 0.8}),
    ]


TABLES = [
    ("load  busy\n", "expected-table-empty", 4),
    ("load  load  busy\n0.5  0.5  50%\n", "expected-table-twice", 5),
    ("load  servers\n0.5  1\n", "unknown-figure", 6),
    ("load\n0.5\n", "expected-table-no-measure", 5),
    ("load  busy\n0.5  50%\n0.8\n", "expected-table-row", 7),
    ("load  busy\n0.7  50%\n", "expected-nowhere", 6),
    ("load  buzy\n0.5  50%\n", "unknown-figure", 6),
    ("load  busy\n0.5  50 us\n", "unit-of-measure", 6),
]


@pytest.mark.parametrize(("table", "identifier", "line"), TABLES, ids=[f"{one[1]}-{n}" for n, one in enumerate(TABLES)])
def test_what_is_wrong_in_a_table(tmp_path: Path, table: str, identifier: str, line: int) -> None:
    write_net(tmp_path)
    lines = "".join(f"      {one}\n" for one in table.splitlines())
    with pytest.raises(LanguageError) as refused:
        load(tmp_path, f"net: queue.net\ngrid: {{load: [0.5, 0.8]}}\nexpected:\n  - table: |\n{lines}")
    assert [(one.id, one.span.line) for one in refused.value.diagnostics if one.span] == [(identifier, line)]


def test_what_is_wrong_in_cases(tmp_path: Path) -> None:
    write_net(tmp_path)
    text = "net: queue.net\nset: {load: 0.5}\ncases:\n  a: {load: 0.8}\n  b: {lod: 0.8}\n  c: 4\n"
    with pytest.raises(LanguageError) as refused:
        load(tmp_path, text)
    told = {(one.id, one.span.line if one.span else 0) for one in refused.value.diagnostics}
    assert told == {("experiment-same-parameter", 3), ("unknown-parameter", 5), ("experiment-kind", 6)}


def test_a_part_must_be_kept(tmp_path: Path) -> None:
    write_net(tmp_path)
    with pytest.raises(LanguageError, match=r"the part `line\.maximum` is not kept"):
        load(tmp_path, WHOLE.replace("[busy, line.mean]}", "[busy, line.maximum]}"))
