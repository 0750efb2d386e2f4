"""A panic that a run survives is a finding; what else is said on the standard error output comes through."""

from __future__ import annotations

import os

import pytest

from tests.fuzz.finding import Finding, no_panics

SAID = b"\nthread '<unnamed>' (17) panicked at engine/src/jit/names.rs:66:25:\nindex out of bounds\nnote: more\n"


def test_a_panic_is_a_finding() -> None:
    with pytest.raises(Finding, match=r"panicked in engine/src/jit/names.rs:66: index out of bounds$"), no_panics():
        os.write(2, SAID)  # by the engine's thread, not by way of Python


def test_other_output_comes_through(capsys: pytest.CaptureFixture[str]) -> None:
    with no_panics():
        os.write(2, b"a warning\n")
    assert capsys.readouterr().err == "a warning\n"
