"""PRISM's bounds: what guards keep within them is counted, and anything else stops where an update leaves them."""

from __future__ import annotations

import pytest

from petri import language
from petri.diagnostics import LanguageError
from petri.interchange.out.exporting import exported
from petri.model import Model
from tests.engines import NATIVE_FIRST
from tests.interchange.reading import imported

CHAIN = """ctmc
const int N = 3;
const int MAX = 2 * N;
const double r = 2.5;
module q
  n : [0..HIGH] init 0;
  m : [0..N] init N;
  [] GUARD -> 1 : UPDATE;
  [] n>0 -> 2 : (n'=n-1);
  [] m>1 -> 1 : (m'=m-1);
endmodule
"""


def chain(guard: str, update: str = "(n'=n+1)", high: str = "N") -> str:
    text = CHAIN.replace("GUARD", guard).replace("UPDATE", update)
    return imported(text.replace("HIGH", high), "a.prism")


@pytest.mark.parametrize(
    ("guard", "update", "high"),
    [
        ("n<N", "(n'=n+1)", "N"),
        ("n<=N-1", "(n'=n+1)", "N"),
        ("N>n", "(n'=n+1)", "N"),
        ("n+1<=N", "(n'=n+1)", "N"),
        ("n!=N", "(n'=n+1)", "N"),
        ("!(n=N)", "(n'=n+1)", "N"),
        ("m>0 & n<N", "(n'=n+1)", "N"),
        ("n+m<N", "(n'=n+1)", "N"),
        ("n=2", "(n'=n+1)", "3"),
        ("n<=N-2", "(n'=n+2)", "N"),
        ("n+m<=N", "(n'=n+m)", "N"),
        ("n<2*N", "(n'=n+1)", "MAX"),
        ("n<MAX", "(n'=n+1)", "2*N"),
        ("n<N", "(n'=n+1)", "N+1"),
        ("true", "(n'=0)", "N"),
    ],
)
def test_bounds_that_guards_keep(guard: str, update: str, high: str) -> None:
    assert " place n ## at most " in " ".join(chain(guard, update, high).split())


@pytest.mark.parametrize(
    ("guard", "update", "high"),
    [
        ("true", "(n'=n+1)", "N"),
        ("n<=N", "(n'=n+1)", "N"),
        ("n<N", "(n'=n+2)", "N"),
        ("n<N | m>0", "(n'=n+1)", "N"),
        ("n<r", "(n'=n+1)", "N"),
        ("n!=2", "(n'=n+1)", "N"),
        ("2*n<6", "(n'=n+1)", "3"),
        ("n+m<=N+1", "(n'=n+m)", "N"),
        ("n<MAX", "(n'=n+1)", "N"),
        ("n-m<N", "(n'=n+1)", "N"),
        ("m<N", "(n'=n+1)", "N"),
        ("n>=0", "(n'=n-1)", "N"),
        ("m>0", "(n'=n-1)", "N"),
        ("n>1", "(n'=n-3)", "N"),
    ],
)
def test_bounds_that_guards_do_not_keep(guard: str, update: str, high: str) -> None:
    text = chain(guard, update, high)
    assert f"place n : 0..{high.replace('*', ' * ')} = 0" in " ".join(text.split())


@pytest.mark.parametrize("engine", NATIVE_FIRST)
def test_where_an_update_leaves_the_bounds(engine: str) -> None:
    """PRISM stops with an error; a capacity or a guard would be another chain."""
    up, down = chain("true"), chain("true", "(n'=n-1)")
    for text in (up, down):
        result = Model(*language.loads_with_sources(text, {})).run(until=1e4, engine=engine)
        assert result.failure is not None
        assert result.failure.id == "colour-range"
    with pytest.raises(LanguageError):
        Model(*language.loads_with_sources(up, {})).solve()


def test_bounds_of_combined_commands() -> None:
    """A command of another module may have the guard."""
    text = """ctmc
module a
  n : [0..3];
  [go] true -> 1 : (n'=n+1);
  [] n>0 -> 1 : (n'=n-1);
endmodule
module b
  k : [0..3] init 3;
  [go] n<3 & k>0 -> 2 : (k'=k-1);
endmodule
"""
    assert " place n ## at most 3" in " ".join(imported(text, "a.prism").split())
    assert "place n : 0..3 = 0" in " ".join(imported(text.replace("n<3 & ", ""), "a.prism").split())


def test_ints_without_bounds() -> None:
    text = (
        "ctmc\nmodule m\n x : int init 2;\n y : int;\n [] x>0 -> 1 : (x'=x-1);\n [] true -> 1 : (y'=y-1);\nendmodule\n"
    )
    found = " ".join(imported(text, "a.prism").split())
    assert "place x = 2 * token place y : int = 0" in found


def test_rates_of_values_that_may_be_negative() -> None:
    text = "ctmc\nmodule m\n x : [-1..1] init 1;\n [] true -> x + 1 : (x'=-1);\n [] x<0 -> 1 : (x'=1);\nendmodule\n"
    assert "let rate = x_now + 1  after exp(1 / rate)  when rate > 0" in imported(text, "a.prism")


@pytest.mark.parametrize("format", ["prism", "jani"])
def test_values_come_back(format: str) -> None:
    """A place that always has one token of a bounded set is a variable of a chain: with the same figures."""
    text = """place s : 0..2 = 0
place up : bool = true
place q cap 3
transition a: s(0), read up(true) -> s(1), q after exp(1 / 3)
transition b: s(x), up(y), q -> s(max(x - 1, 0)), up(not y) after exp(1 / x) when x > 0 or tokens(s) > 1
transition c: up(false) -> up(true) after exp(0.25)
transition d: s(x) -> s((x + 1) mod 3) after exp(2)
measure states = mean(s, value)
"""
    ours = Model(*language.loads_with_sources(text, {}))
    written, found = exported(ours.net, format)
    assert found == []
    if format == "prism":
        text = imported(written, "a.prism") + "measure states = mean(s, value)\n"
        theirs = Model(*language.loads_with_sources(text, {})).solve()
        for name in ("states", "q.mean", "d.rate"):
            assert theirs.exact(name).value == pytest.approx(ours.solve().exact(name).value, rel=1e-9)
    else:
        assert '"lower-bound": 0,\n    "upper-bound": 2' in written
