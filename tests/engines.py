"""Which engines this machine has. A build that insists on the native one (PNSIM_NATIVE=1) may not skip it."""

import os

import pytest

from petri.engine.native import available

FASTEST = "native" if available() else "reference"
"""For tests to which it makes no difference."""

REFERENCE = ("--engine", "reference", "--workers", "1")
"""Options of a command that runs many replications: no process is started for them."""

ENGINES = [
    "reference",
    pytest.param(
        "native",
        marks=pytest.mark.skipif(
            not available() and os.environ.get("PNSIM_NATIVE") != "1", reason="the native engine is not built"
        ),
    ),
]

NATIVE_FIRST = [pytest.param("reference", marks=pytest.mark.slow if available() else ()), *ENGINES[1:]]
"""For tests that take long on the reference engine: that one runs them among the slow tests."""
