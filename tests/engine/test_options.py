"""Wrong options of a run, and what is not a net, are refused in one sentence each."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import petri


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
