"""Wrong options of a run and arguments of a wrong kind are refused in one sentence each, wherever they are given."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.experiment import Outcome, export

SOLVABLE = "place a = token place b transition t: a -> b after exp(1) transition u: b -> a after exp(1)"


def model() -> Any:
    return petri.loads(SOLVABLE)


def builder() -> Any:
    return petri.NetBuilder("built")


def experiment(**given: Any) -> Any:
    return petri.Experiment(net="mm1", grid={"load": [0.3]}, until=900.0, **given)


PAIR = ("a.db:load=1", "b.db:load=2")
CASES: dict[str, tuple[Callable[[], object], str]] = {
    "a net by name": (lambda: petri.Model("mm1"), "a model is made of a `petri.net.Net`, not of 'mm1'"),  # type: ignore[arg-type]
    "at": (lambda: model().solve(at=[3]), "a time is a number, or text with a unit, such as '20 ms', not [3]"),
    "states": (lambda: model().solve(states="x"), "`states` is a whole number, not 'x'"),
    "states below 1": (lambda: model().reach(states=-1), "`states` is at least 1, not -1"),
    "replication": (lambda: model().why("t", 3.0, replication="x"), "`replication` is a whole number, not 'x'"),
    "files": (lambda: model().with_streams(3), "`files` is a mapping, such as {'packets': 'trace.csv'}, not 3"),
    "a file": (lambda: model().with_streams({"a": 3}), "`files['a']` is a path, not 3"),
    "columns": (lambda: model().with_streams({}, [3]), "`columns` is a mapping"),
    "a column": (lambda: model().with_streams({}, {"time": 3}), "`columns['time']` is a text, not 3"),
    "a drawing": (lambda: model().draw().save(3), "`path` is a path, not 3"),
    "check": (lambda: petri.check(3), "a net is checked by its path"),  # type: ignore[arg-type]
    "parameters": (lambda: petri.check("mm1", [3]), "`parameters` is a mapping"),  # type: ignore[arg-type]
    "between": (
        lambda: builder().param("x", 1, between=3),
        "`between` is the least and the greatest value, such as (0, 2)",
    ),
    "one bound": (lambda: builder().param("x", 1, between=[3]), "`between` is the least and the greatest value"),
    "doc": (lambda: builder().place("p", doc=3), "`doc` is a text, not 3"),
    "expect": (lambda: builder().measure("m", "1", expect=3), "`expect` is an expectation, such as '< 0.05'"),
    "measures": (lambda: petri.compare(*PAIR, measures="wait"), "`measures` is a list of names, not 'wait'"),
    "level": (lambda: petri.compare(*PAIR, level="x"), "`level` is a number, such as 0.95, not 'x'"),  # type: ignore[arg-type]
    "level of 95": (lambda: petri.compare(*PAIR, level=95), "`level` is between 0 and 1, not 95"),
    "store": (lambda: petri.sweep(experiment(), 3), "`store` is a path, not 3"),  # type: ignore[arg-type]
    "watch": (lambda: experiment().run("x.db", watch=3), "`watch` is a function, not 3"),
    "cases": (lambda: experiment(cases=3), "`cases` is a mapping, such as {'fast': {'line': '10 Gbps'}}, not 3"),
    "a case": (lambda: experiment(cases={"fast": 3}), "`cases['fast']` is a mapping"),
    "a file of an experiment": (lambda: petri.Experiment.load(3), "`path` is a path, not 3"),  # type: ignore[arg-type]
    "an outcome": (lambda: export(3, "x.csv"), "`outcome` is what `petri.sweep` returns, not 3"),  # type: ignore[arg-type]
    "loss": (lambda: petri.rfc2544("mm1", loss=3), "`loss` is a text, such as 'loss', not 3"),
    "confidence": (
        lambda: petri.search("mm1", find="load", between=(0.1, 0.5), condition="wait < 1", confidence="x"),
        "`confidence` is a number, such as 0.95, not 'x'",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_argument_is_named(case: str) -> None:
    call, told = CASES[case]
    with pytest.raises((TypeError, ValueError), match=re.escape(told)):
        call()


def test_a_place_that_is_no_name_is_not_in_a_result() -> None:
    with pytest.raises(petri.UnknownName):
        petri.load("mm1").run(until=900.0).occupancy([3])  # type: ignore[arg-type]


def test_where_an_outcome_is_exported_is_a_path(tmp_path: Path) -> None:
    outcome: Outcome = experiment(replications=1).run(tmp_path / "s.db")
    with pytest.raises(TypeError, match="`path` is a path, not 3"):
        export(outcome, 3)  # type: ignore[arg-type]


def test_an_experiment_sets_the_parameters_of_a_model(tmp_path: Path) -> None:
    """A loaded net knows its text, so its parameters can be set."""
    given = {"grid": {"load": [0.3, 0.6]}, "until": 2_000.0, "warmup": 0.0, "replications": 1}
    by_name = petri.Experiment(net="mm1", **given).run(tmp_path / "a.db")  # type: ignore[arg-type]
    by_model = petri.Experiment(net=petri.load("mm1", load=0.9), **given).run(tmp_path / "b.db")  # type: ignore[arg-type]
    assert by_model.to_dict()["points"] == by_name.to_dict()["points"]


def test_a_misspelt_option_of_a_run_is_refused() -> None:
    model = petri.load("mm1")
    with pytest.raises(TypeError, match="no option `untill`; did you mean `until`"):
        model.run(untill=600)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no option `length`"):
        model.plan(length=600)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("replications", 0, "`replications` is at least 1, not 0"),
        ("replications", "2", "`replications` is a whole number, not '2'"),
        ("replications", 100_001, "`replications` is at most 100000, not 100001"),
        ("occupancy", "yes", "`occupancy` is True or False, not 'yes'"),
        ("seed", 1.5, "`seed` is a whole number, not 1.5"),
        ("seed", -1, "`seed` is at least 0, not -1"),
        ("max_firings", -1, "`max_firings` is at least 0, not -1"),
        ("max_firings", 2**63, f"`max_firings` is at most {2**63 - 1}, not {2**63}"),
        ("limits", 3, "`limits` are a `petri.Limits`, not 3"),
        ("limits", petri.Limits(tokens=-1), "`limits.tokens` is at least 1, not -1"),
        ("threads", "2", "`threads` is a whole number, not '2'"),
        ("threads", -1, "`threads` is at least 0, not -1"),
        ("until", [3], "`until` is a number, or text with a unit, such as '20 ms', not [3]"),
        ("warmup", b"3", "`warmup` is a number, or text with a unit, such as '20 ms', not b'3'"),
        ("save_at", 3j, "`save_at` is a number, or text with a unit, such as '20 ms', not 3j"),
        ("progress", 3, "`progress` is a function, not 3"),
        ("trace", True, "`trace` is a function, not True"),
        ("start", "saved", "`start` is a `SavedRun`, as `Result.saved` is, not 'saved'"),
        ("time_limit", "x", "`time_limit` is a number of seconds, not 'x'"),
        ("time_limit", math.nan, "`time_limit` is a number of seconds, not nan"),
    ],
)
def test_a_wrong_option_of_a_run_is_refused(option: str, value: object, told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(told)):
        petri.load("mm1").run(**{option: value})  # type: ignore[arg-type]


def test_the_largest_options_of_a_run() -> None:
    result = petri.load("mm1").run(until=600, seed=2**70, max_firings=2**63 - 1)
    assert result.failure is None


def test_a_time_may_be_any_number() -> None:
    times: list[Any] = [600, 600.0, Decimal(600), Fraction(600), "600"]
    hashes = {petri.load("mm1").run(until=until).hash for until in times}
    assert len(hashes) == 1


def test_what_is_not_a_path_or_a_text_is_refused() -> None:
    with pytest.raises(TypeError, match="by its path or by its name in the library, not by 3"):
        petri.load(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the text of a net is a string, not b'net'"):
        petri.loads(b"net")  # type: ignore[arg-type]
