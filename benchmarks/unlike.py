"""The net of B18: transitions no two of which are alike, so that each needs machine code of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.contenders import BUILD
from petri.atomic_file import write_text

MODULUS = 1000  # values are below
STEPS = 8  # operations in each expression, so that there are 4^8 different ones
OPERATIONS = ("{} + {}", "{} * {}", "max({}, {})", "abs({} - {})")


def expression(number: int) -> str:
    """Return a function of `x`, by a number: its digits to base 4 choose the operations."""
    text = "x"
    for step in range(STEPS):
        text = f"({OPERATIONS[number % 4].format(text, step + 2)})"
        number //= 4
    return f"{text} mod {MODULUS}"


def lines(stations: int) -> Iterator[str]:
    yield "## Benchmark B18: a ring of stations, each of which computes something else."
    yield "net unlike"
    for i in range(stations):
        yield f"place q{i} : 0..{MODULUS - 1} fifo = 4 * ({i % MODULUS})"
        yield f"place s{i} = token"
    for i in range(stations):
        yield f"transition t{i}: q{i}(x), s{i} -> q{(i + 1) % stations}({expression(i)}), s{i}  takes exp(1.0)"
    yield "run until 100"


def write(stations: int) -> Path:
    """Write the net with this number of transitions. Returns its file."""
    BUILD.mkdir(exist_ok=True)
    path = BUILD / f"unlike-{stations}.net"
    write_text(path, "\n".join(lines(stations)) + "\n")
    return path
