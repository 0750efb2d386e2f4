"""The chains of random nets: by the native engine and by scipy, and against a dense solution without subtraction."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

import petri
from petri.engine.errors import ModelError
from petri.exact import steady
from petri.exact.chain import Floats, Limits, Unsolvable
from petri.exact.libraries import library
from petri.exact.native import NativeSpace
from petri.exact.native_chain import NativeChain, chain_of
from petri.exact.steady import SteadyState
from petri.exact.transient import transient
from tests.exact.nets import Times, solvable_net
from tests.exact.oracle.chain import EliminatedChain
from tests.sampling import one_in

FEW = Limits(states=100)  # where tokens multiply, bindings are many in a state of hundreds
NETS = 160


def chains(seed: int, times: Times) -> tuple[NativeChain, EliminatedChain] | None:
    """Return both chains of a random net, if it has some."""
    net = solvable_net(seed, times)
    try:
        space = NativeSpace(net, FEW)
        if not space.complete or not space.tangible.any():
            return None
        return chain_of(net, space), EliminatedChain(net, space)
    except (Unsolvable, ModelError):
        return None


def eliminated(rates: Floats) -> Floats:
    """Return the stationary distribution of an irreducible chain (Grassmann, Taksar and Heyman)."""
    rates = rates.copy()
    size = len(rates)
    for last in range(size - 1, 0, -1):
        rates[:last, last] /= rates[last, :last].sum()
        rates[:last, :last] += np.outer(rates[:last, last], rates[last, :last])
    shares = np.ones(size)
    for state in range(1, size):
        shares[state] = shares[:state] @ rates[:state, state]
    found: Floats = shares / shares.sum()
    return found


def columns_of(chain: NativeChain | EliminatedChain) -> Iterator[Floats]:
    for place in range(len(chain.net.places)):
        yield chain.counts(place).astype(float)
        yield chain.arrivals((place,))[0]
    yield chain.arrivals(range(len(chain.net.places)))[0]
    for transition in range(len(chain.net.transitions)):
        yield chain.firings(transition)[0]


@pytest.mark.parametrize("times", ["exponential", "ticks", "turns"])
@pytest.mark.parametrize("seed", one_in(40, range(NETS)))
def test_chains_agree(seed: int, times: Times) -> None:
    """The engine's elimination of vanishing states is that of scipy."""
    if (both := chains(seed, times)) is None:
        return
    native, plain = both
    assert np.array_equal(native.numbers, plain.numbers)
    assert np.allclose(native.matrix.toarray(), plain.matrix.toarray(), rtol=1e-12, atol=0.0)
    assert np.allclose(native.sojourns, plain.sojourns, rtol=1e-13)
    assert dict(zip(native.initial[0].tolist(), native.initial[1], strict=True)) == pytest.approx(
        dict(zip(plain.initial[0].tolist(), plain.initial[1], strict=True))
    )
    for one, other in zip(columns_of(native), columns_of(plain), strict=True):
        assert np.allclose(one, other, rtol=1e-12, atol=1e-12)
    for index in range(len(native.net.transitions)):
        assert native.firings(index)[1] == pytest.approx(plain.firings(index)[1], rel=1e-12)
    classes = [sorted(states.tolist()) for states in SteadyState(native).classes.states]
    assert sorted(classes) == sorted(sorted(states.tolist()) for states in SteadyState(plain).classes.states)
    if (
        native.kind == "continuous"
        and not native.space.takes_turns
        and math.isfinite(shortest := float(native.sojourns.min()))
    ):
        first, second = transient(native, 20.0 * shortest), transient(plain, 20.0 * shortest)
        assert np.allclose(first.probabilities, second.probabilities, rtol=1e-10, atol=1e-15)
        assert np.allclose(first.times, second.times, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("times", ["exponential", "ticks", "turns"])
@pytest.mark.parametrize("seed", one_in(40, range(NETS)))
def test_averages(seed: int, times: Times, monkeypatch: pytest.MonkeyPatch) -> None:
    """All averages are those of a dense solution to 1e-10, and within their bounds, whichever way they are found."""
    if (both := chains(seed, times)) is None:
        return
    for most, certified in ((steady.MOST_FACTORED, steady.MOST_CERTIFIED), (1, 0), (steady.MOST_FACTORED, 0)):
        monkeypatch.setattr(steady, "MOST_DIRECT", most)
        monkeypatch.setattr(steady, "MOST_FACTORED", most)
        monkeypatch.setattr(steady, "MOST_CERTIFIED", certified)
        for chain in both:
            found = SteadyState(chain)
            rates = chain.generator.toarray()
            for number, states in enumerate(found.classes.states):
                shares = eliminated(rates[np.ix_(states, states)])
                columns = list(columns_of(chain))
                values = found.averages(number, [lambda own=column: own for column in columns])  # type: ignore[misc]
                for column, value in zip(columns, values, strict=True):
                    dense = math.fsum(shares * column[states])
                    size = max(1.0, float(np.abs(column).max()))
                    assert value.value == pytest.approx(dense, abs=1e-10 * size)
                    assert value.low - 1e-13 * size <= dense <= value.high + 1e-13 * size


CIRCLES = """net circles
place start = token
place draft
place review
place filed
transition write:  start -> draft            after exp(2)
transition ask:    draft -> review           weight 3
transition file:   draft -> filed            weight 1
transition return: review -> draft           weight 5
transition keep:   review -> review          weight 2
transition drop:   review -> start           weight {drop}
transition clear:  filed -> start            takes exp(1)
"""


def test_firings_that_take_no_time_may_go_in_circles() -> None:
    net = petri.loads(CIRCLES.format(drop=1)).net
    space = NativeSpace(net)
    native, plain = chain_of(net, space), EliminatedChain(net, space)
    assert np.allclose(native.matrix.toarray(), plain.matrix.toarray(), rtol=1e-14, atol=0.0)
    for one, other in zip(columns_of(native), columns_of(plain), strict=True):
        assert np.allclose(one, other, rtol=1e-14, atol=0.0)
    solution = petri.Model(net).solve()
    filed = solution.exact("file.rate").value / solution.exact("write.rate").value
    assert filed == pytest.approx(1 / (1 + 3 * (1 - 5 / 6)), rel=1e-13)  # of three in four, five in six come back
    assert solution.exact("keep.rate").value == pytest.approx(solution.exact("return.rate").value * 2 / 5, rel=1e-13)


def test_a_circle_that_nothing_leaves() -> None:
    text = CIRCLES.replace("  after exp(2)", "").replace("filed            weight 1", "filed  after exp(1)")
    with pytest.raises(petri.LanguageError, match="time stands still") as refused:
        petri.loads(text.format(drop=1) + "place other = token  transition wait: other -> other  after exp(1)").solve()
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.values["transitions"] == ["write", "ask", "return", "keep", "drop"]


def test_averages_where_the_first_state_is_rare() -> None:
    """Of two queues in a row that are mostly full, 10⁻²⁹ of the time is in the first state, where both are empty."""
    rates, number = np.zeros((49, 49)), np.arange(49).reshape(7, 7)
    rates[number[:-1], number[1:]] = 1000.0
    rates[number[1:, :-1], number[:-1, 1:]] = 2.0
    rates[number[:, 1:], number[:, :-1]] = 4.0
    length, sparse = np.repeat(np.arange(7.0), 7), library("scipy.sparse").csr_matrix(rates)
    known = eliminated(rates)
    expected = math.fsum(known * length)
    (found,) = steady.certified(sparse, length[:, np.newaxis])
    assert found.low <= expected <= found.high < found.low + 1e-12
    shares, off, _ = steady.certain_shares(sparse)
    assert off < 1e-12
    assert shares @ length == pytest.approx(expected, rel=1e-12)
