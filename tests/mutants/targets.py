"""Which tests should notice a change of which files. They run in this order, until one fails."""

from __future__ import annotations

from typing import Final

# Not those of the native engine, which a change of the reference engine can only fail where they are compared.
_ENGINE: Final = (
    "-k",
    "not native and not machine and not compiled and not interpreted",
    "tests/engine/test_operations.py",
    "tests/engine/test_engines_agree.py",
    "tests/semantics",
    "tests/engine/test_firings.py",
    "tests/engine/test_marking.py",
    "tests/engine/test_seeds.py",
    "tests/engine/test_exact_time.py",
    "tests/measure/test_on_engines.py",
    "tests/measure/test_probes.py",
    "tests/engine/test_reference_memory.py",
)
# The switch to the native engine, and what is data alone, are tested with whole runs.
_ENGINE_FILES: Final = (
    "dependence", "distributions", "expression", "firings", "marking", "probes", "random", "reference",
    "observer", "reference_session", "seeds", "state", "statistics", "trajectory",
)  # fmt: skip
# Each has tests of its own, and those of what reads it.
_MEASURES: Final = {
    "decision": ("test_decision",),
    "difference": ("test_difference",),
    "estimate": ("test_estimate", "test_intervals", "test_single_run", "test_formula"),
    "figures": ("test_figures", "test_on_engines", "test_names_and_series"),
    "formula": ("test_formula", "test_figures", "test_probes"),
    "histogram": ("test_histogram", "test_formula", "test_estimate", "test_twins"),
    "intervals": (
        "test_intervals",
        "test_estimate",
        "test_formula",
        "test_single_run",
        "test_sequential",
        "test_difference",
    ),
    "observation": ("test_formula", "test_figures", "test_estimate", "test_probes", "test_on_engines"),
    "occupancy": ("test_occupancy",),
    "passage": ("test_probes", "test_twins"),
    "reorder": ("test_reorder_vectors", "test_documentation", "test_twins", "test_reorder_definitions"),
    "sequential": ("test_sequential", "test_extremes"),
    "single_run": ("test_single_run",),
    "trend": ("test_trend",),
}

REFERENCE: Final = {f"petri/engine/{name}.py": _ENGINE for name in _ENGINE_FILES} | {
    "petri/engine/state.py": ("tests/report/test_why.py", "tests/report/test_stepping.py", "tests/report/test_dead.py")
}
MEASURES: Final = {
    f"petri/measure/{name}.py": tuple(f"tests/measure/{test}.py" for test in tests) for name, tests in _MEASURES.items()
}

# The interpreter and all that it uses. Random nets compare machine code with the interpreter.
RUST: Final = ("base", "collections", "engine", "observe", "program", "session", "state")
# After the tests of the crate.
RUST_TESTS: Final = (
    "-k",
    "not reference and not machine and not compiled",  # the build is not optimised, and generates code slowly
    "tests/engine/test_operations.py",
    "tests/engine/test_engines_agree.py",
    "tests/engine/test_joins.py",
    "tests/measure/test_twins.py",
    "tests/measure/test_on_engines.py",
    "tests/semantics",
    "tests/engine/test_firings.py",
    "tests/engine/test_native.py",
    "tests/cli/test_searches.py",
)
