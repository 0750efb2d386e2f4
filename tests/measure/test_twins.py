"""The outcomes that the tests of the Rust twins also read."""

from __future__ import annotations

import pytest

from tests.measure.twins import FILE, outcome

CASES = [line.rsplit(" | ", 1) for line in FILE.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("case", "expected"), CASES, ids=[f"{n}-{case.split()[0]}" for n, (case, _) in enumerate(CASES)]
)
def test_the_python_twin(case: str, expected: str) -> None:
    assert outcome(case) == expected


def test_all_kinds_are_there() -> None:
    assert {case.split()[0] for case, _ in CASES} == {"order", "histogram", "passage"}
