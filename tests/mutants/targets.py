"""Which tests should notice a change of which files. They run in this order, until one fails."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]

_ENGINE = (
    "tests/semantics",
    "tests/engine/test_firings.py",
    "tests/engine/test_exact_time.py",
    "tests/engine/test_loop.py",
    "tests/engine/test_seeds.py",
    "tests/engine/test_engines_agree.py",
    "tests/engine/test_joins.py",
    "tests/measure/test_on_engines.py",
    "tests/measure/test_probes.py",
)
# Each has tests of its own, and those of what reads it.
_MEASURE = {
    "columns": ("test_on_engines", "test_probes", "test_names_and_series"),
    "decision": ("test_decision",),
    "difference": ("test_difference",),
    "estimate": ("test_intervals", "test_single_run", "test_formula"),
    "figures": ("test_on_engines", "test_names_and_series"),
    "formula": ("test_formula", "test_probes"),
    "histogram": ("test_histogram", "test_formula", "test_twins"),
    "intervals": ("test_intervals", "test_formula", "test_single_run", "test_sequential"),
    "observation": ("test_formula", "test_probes", "test_on_engines"),
    "occupancy": ("test_occupancy", "test_occupancy_on_engines"),
    "passage": ("test_passage", "test_twins"),
    "reorder": ("test_reorder_vectors", "test_reorder_definitions", "test_documentation", "test_twins"),
    "sequential": ("test_sequential", "test_extremes"),
    "single_run": ("test_single_run",),
    "trend": ("test_trend",),
}

# The switch to the native engine, and what is data alone, are tested with whole runs.
ENGINE: Final = (
    "dependence", "distributions", "expression", "firings", "marking", "probes", "random", "reference",
    "reference_session", "seeds", "state", "statistics", "trajectory",
)  # fmt: skip
TARGETS: Final = {f"petri.engine.{name}": _ENGINE for name in ENGINE} | {
    f"petri.measure.{name}": tuple(f"tests/measure/{test}.py" for test in tests) for name, tests in _MEASURE.items()
}


def source(module: str) -> Path:
    return ROOT.joinpath(*module.split(".")).with_suffix(".py")
