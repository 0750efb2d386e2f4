"""Long-run averages of a chain, each with bounds that hold whatever computed it.

In a chain with one closed class, the long-run average g of a reward r lies between the least and the greatest of
r(s) + Σ q(s, s′)·(h(s′) − h(s)) over its states, for any h at all: the average of the sum over the stationary
distribution is that of r. So h is computed fast, by a direct solution of the Poisson equation, and then the sums show
how good it was; what the rounding of the sums themselves may do is added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from petri.exact.chain import Chain, Floats, Integers
from petri.exact.libraries import installed, library
from petri.exact.native import stationary as native_stationary
from petri.measure.bounded import Bounded
from petri.structs import Frozen

EPSILON = float(np.finfo(np.float64).eps)
FINE = float(np.finfo(np.longdouble).eps)  # the same as EPSILON on some machines
IMPROVEMENTS = 2  # of a direct solution
STEPS_OF_RATES = 16  # roundings in a rate, from the net's times on
MOST_DIRECT = 3_000  # states that are solved directly at once: factors fill up to their square, 150 MB
MOST_FACTORED = 30_000  # states that are solved directly where nothing else is good enough
MOST_CERTIFIED = 5_000_000  # states times averages that are certified one by one, which takes a millisecond for each
FEW_ARCS = 4  # of a state, on average
MOST_CLOSEST = 300_000  # states of a class of which rare figures are wanted, too: a cycle more costs little
CLOSE = 1e-9  # bounds of a larger class, relative to the greatest value
CLOSEST = 1e-13  # what is asked of one of few states


class Classes(Frozen):
    """The closed classes of a chain, each with its states, and the probability to end there with its bounds."""

    states: tuple[Integers, ...]
    value: Floats
    low: Floats
    high: Floats


class SteadyState:
    """What becomes of a chain in the long run."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.classes = self._classes()

    # ------------------------------------------------------------ closed classes

    def _classes(self) -> Classes:
        states = self.chain.closed
        if len(states) == 1:
            one = np.ones(1)
            return Classes(states, one, one, one)
        return self._absorbed(states)

    def _absorbed(self, states: tuple[Integers, ...]) -> Classes:
        """Return the probabilities of the closed classes."""
        start, chances = self.chain.initial
        where = np.zeros(self.chain.states, dtype=np.int64)
        for one in states:
            where[one] = -1
        passing = np.flatnonzero(where == 0)
        where[passing] = np.arange(len(passing))
        value = np.zeros(len(states))
        for number, one in enumerate(states):
            value[number] = chances[np.isin(start, one)].sum()
        off = EPSILON * STEPS_OF_RATES
        if len(passing):
            sparse = library("scipy.sparse")
            starting = np.zeros(len(passing))
            first = where[start] >= 0
            starting[where[start[first]]] = chances[first]
            rows = self.chain.generator[passing].tocsr()
            numbers = np.repeat(np.arange(len(states)), [len(state) for state in states])
            members = (np.ones(len(numbers)), (np.concatenate(states), numbers))
            into = rows @ sparse.coo_matrix(members, shape=(self.chain.states, len(states))).tocsr()
            found, lacking = ends(self.chain, rows[:, passing].tocsr(), into, starting)
            value, off = value + found, off + lacking
        low, high = np.clip(value - off, 0.0, 1.0), np.clip(value + off, 0.0, 1.0)
        return Classes(states, np.clip(value, low, high), low, high)

    # ------------------------------------------------------------ averages

    def averages(self, number: int, columns: Sequence[Callable[[], Floats]]) -> Iterator[Bounded]:
        """Yield the long-run averages, in a closed class, of what states bring per time unit, column by column."""
        states = self.classes.states[number]
        if len(states) == 1:
            return (Bounded.of(float(column()[states[0]])) for column in columns)
        if not installed("scipy"):  # the engine alone: rare figures have fewer digits
            return self._over(number, *self.chain.stationary(number, CLOSEST), 0.0, columns)
        many = len(states) * len(columns) > MOST_CERTIFIED
        rates = self.chain.rates_in(number) if len(states) <= MOST_FACTORED else None
        direct = rates is not None and many and rates.nnz <= FEW_ARCS * len(states)  # factors hardly fill up
        if len(states) > MOST_DIRECT and not direct:
            close = CLOSEST if len(states) <= MOST_CLOSEST else 0.1 * CLOSE
            shares, off = self.chain.stationary(number, close)
            if off <= CLOSE or rates is None:
                return self._over(number, shares, off, 0.0, columns)
        assert rates is not None
        if many:
            return self._over(number, *certain_shares(rates), columns)
        return certified(rates, np.stack([column()[states] for column in columns], axis=1))

    def _over(
        self, number: int, shares: Floats, off: float, of_rates: float, columns: Sequence[Callable[[], Floats]]
    ) -> Iterator[Bounded]:
        """Yield the averages over shares of states, which are off by at most `off` of the span and `of_rates` of their
        size.

        They are taken over a distribution of which it is known how far it is off; those that are not known well enough
        are bounded one by one.
        """
        states = self.classes.states[number]
        whole = float(np.sum(shares))
        slack = rounding(len(states)) + abs(whole - 1.0)
        weighed = np.empty(len(states))  # at one place in memory, which the system need not clear for each column
        for column in columns:
            own = column()
            own = own if len(states) == len(own) else own[states]
            least, most = float(own.min()), float(own.max())
            size = max(abs(least), abs(most))
            value = float(np.sum(np.multiply(shares, own, out=weighed))) / whole
            error = min(off, 1.0) * (most - least) + 2.0 * slack * size
            error += of_rates * float(np.sum(np.abs(weighed))) / whole if of_rates else 0.0
            low, high = max(value - error, least), min(value + error, most)
            if high - low > CLOSE * size:
                better = self.chain.bounds(number, own, CLOSE * size)
                low, high = max(low, better[0]), min(high, better[1])
            yield Bounded(min(max(value, low), high), low, high)


def ends(chain: Chain, inside: Any, into: Any, starting: Floats) -> tuple[Floats, float]:
    """Return the probabilities to end in each class from probabilities of the states before, and how far they are off.

    inside: rates N between these states. into: those from them to the classes. With D, the rates out of each state,
    and the start s, the expected times t in the states solve (D − N)ᵀt = s. The solution x of (D − N)x = b is a
    probability for the rates b into a class, so t·b is off by at most the sum of |s − (D − N)ᵀt|, whatever t is.
    """
    exits = np.asarray(inside.sum(axis=1) + into.sum(axis=1)).ravel()
    if len(starting) > MOST_DIRECT:
        times = _times_by_returns(chain, inside, into, starting)
    else:
        system = (library("scipy.sparse").diags(exits) - inside).tocsc()
        times = _Solved(system).solve(starting, transposed=True)
    times = np.maximum(times, 0.0)
    off = float(np.abs(starting - exits * times + inside.T @ times).sum())
    widest = int(max(np.diff(inside.tocsc().indptr).max(), np.diff(into.tocsc().indptr).max())) + STEPS_OF_RATES
    return into.T @ times, off + 2.0 * EPSILON * widest * float(exits @ times)


def _times_by_returns(chain: Chain, inside: Any, into: Any, starting: Floats) -> Floats:
    """Return the expected times in the states before the end, by the native engine, for many states.

    The end becomes a state that returns to the start at a rate: then the shares of the states are to one another as
    these times. They are certain most where the end has half of all.
    """
    sparse, passing = library("scipy.sparse"), len(starting)
    end = sparse.csr_matrix(into.sum(axis=1))
    rate = float((inside.sum(axis=1) + into.sum(axis=1)).max())
    for tolerance in (1e-3, 0.1 * CLOSE):
        rates = sparse.bmat([[inside, end], [sparse.csr_matrix(rate * starting / starting.sum()), None]]).tocsr()
        shares, _ = native_stationary(rates, tolerance, chain.space.stop)
        chain.heed_stop()
        flow = rate * float(shares[passing]) / float(starting.sum())
        rate *= max(float(shares[passing]), 1e-12) / max(1.0 - float(shares[passing]), 1e-12)
    found: Floats = shares[:passing] / flow if flow else np.zeros(passing)
    return found


class _Solved:
    """The solutions of a system of the form D − N, N without negative entries, improved once by their residual.

    They are approximate, so callers bound their error.
    """

    def __init__(self, system: Any) -> None:
        self.system = system
        options = {"SymmetricMode": True}
        splu = partial(
            library("scipy.sparse.linalg").splu, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options
        )
        try:
            self.factors = splu(system)
        except RuntimeError:  # it is singular: its least rates are lost beside its greatest
            self.factors = splu((system + EPSILON * library("scipy.sparse").diags(system.diagonal())).tocsc())

    def solve(self, right: Floats, transposed: bool = False) -> Floats:
        mode = "T" if transposed else "N"
        system = self.system.T if transposed else self.system
        found: Floats = self.factors.solve(right, mode)
        found += self.factors.solve(right - system @ found, mode)
        return found


def stationary(rates: Any) -> Floats:
    """Return the stationary distribution of an irreducible chain, by a direct solution."""
    size = rates.shape[0]
    if size == 1:
        return np.ones(1)
    pivot, found = 0, np.zeros(0)
    for _ in range(2):  # the second time without a state of which there is much
        others = np.delete(np.arange(size), pivot)
        exits = np.asarray(rates.sum(axis=1)).ravel()
        system = (library("scipy.sparse").diags(exits) - rates).tocsc()[others][:, others]
        shares = _Solved(system).solve(rates[[pivot]][:, others].toarray()[0], transposed=True)
        # Where the pivot has hardly a share, the system is almost singular, and what it gives may have the wrong sign.
        found = np.insert(np.abs(shares), pivot, 1.0)
        found /= found.sum()
        if found[pivot] >= 0.5 / size:
            break
        pivot = int(found.argmax())
    return found


def certain_shares(rates: Any) -> tuple[Floats, float, float]:
    """Return the stationary distribution of an irreducible chain, and by how much averages over it may be off.

    In part of the span of what is averaged: ½·‖πQ‖₁·T with a bound T of the expected time to one state from any other,
    as `exact/chain/stationary.rs` explains; the sums have more digits where the machine has them. In part of the
    average of its size: what the roundings in the rates do. By the Markov chain tree theorem, a share is a quotient of
    sums of products of n − 1 rates.
    """
    size, columns = rates.shape[0], rates.tocsc()
    shares = stationary(rates).astype(np.longdouble)
    pivot = int(shares.argmax())
    others = np.delete(np.arange(size), pivot)
    exact_rates, exits = columns.data.astype(np.longdouble), np.asarray(rates.sum(axis=1)).ravel()
    exact_exits = np.add.reduceat(rates.data.astype(np.longdouble), rates.indptr[:-1])
    system = _Solved((library("scipy.sparse").diags(exits) - rates).tocsc()[others][:, others])
    for _ in range(IMPROVEMENTS + 2):
        into = np.add.reduceat(exact_rates * shares[columns.indices], columns.indptr[:-1])
        flow, through = into - exact_exits * shares, into + exact_exits * shares
        found, lost = shares, float(np.abs(flow).sum())
        shares = shares.copy()
        shares[others] += system.solve(flow[others].astype(np.float64), transposed=True)
        shares = np.maximum(shares, 0.0)
        shares /= shares.sum()
    widest = int(max(np.diff(columns.indptr).max(), np.diff(rates.indptr).max()))
    lost += FINE * (widest + 4) * float(through.sum())
    times = np.insert(system.solve(np.ones(size - 1)), pivot, 0.0)
    onwards = rates @ times
    falls = exits * times - onwards - EPSILON * (widest + 4) * (exits * times + onwards)
    least = float(falls[others].min())
    longest = float(times.max()) / least if least > 0.0 else math.inf
    of_rates = math.expm1(2.0 * size * EPSILON * (STEPS_OF_RATES + 1))
    return found.astype(np.float64), 0.5 * lost * longest * (1.0 + 1e-9), of_rates


class _Poisson:
    """h of the Poisson equation r + Qh = g of rewards, for an irreducible chain."""

    def __init__(self, rates: Any) -> None:
        size = rates.shape[0]
        exits = np.asarray(rates.sum(axis=1)).ravel()
        self.pivot = int(stationary(rates).argmax())
        self.others = np.delete(np.arange(size), self.pivot)
        self.system = _Solved((library("scipy.sparse").diags(exits) - rates).tocsc()[self.others][:, self.others])
        self.time = self.system.solve(np.ones(size - 1))
        self.row = rates[[self.pivot]][:, self.others].toarray()[0]

    def solve(self, rewards: Floats) -> Floats:
        own = self.system.solve(rewards[self.others])
        gain = (rewards[self.pivot] + self.row @ own) / (1.0 + self.row @ self.time)
        return np.insert(own - self.time * gain, self.pivot, 0.0)


def certified(rates: Any, rewards: Floats) -> Iterator[Bounded]:
    """Yield the averages of rewards, a column each, in an irreducible chain: between the bounds that a solution h
    proves.

    h is improved by what its sums lack, which are computed with more digits where the machine has them. The roundings
    in a rate and in a sum change it by at most a part of the size of its terms. They change the average by at most the
    average of these, which is bounded in the same way: they do not matter where the chain is rarely.
    """
    equation = _Poisson(rates)
    widths = np.diff(rates.indptr)
    rows = np.repeat(np.arange(rates.shape[0]), widths)
    exact_rates = rates.data.astype(np.longdouble)

    def sums(own: Floats, h: Any) -> tuple[Any, Floats]:
        """r + Qh, and by how much it may be off."""
        steps = exact_rates * (h[rates.indices] - h[rows])
        sizes = np.abs(own) + np.add.reduceat(np.abs(steps), rates.indptr[:-1])
        off = (EPSILON * (STEPS_OF_RATES + 1) + FINE * (widths + 4)) * sizes
        return own + np.add.reduceat(steps, rates.indptr[:-1]), off.astype(np.float64)

    for own in rewards.T:
        h = equation.solve(own).astype(np.longdouble)
        for _ in range(IMPROVEMENTS):
            lacking, _ = sums(own, h)
            h += equation.solve((lacking - lacking.mean()).astype(np.float64))
        found, off = sums(own, h)
        off_on_average = float(np.add(*sums(off, equation.solve(off).astype(np.longdouble))).max())
        low = max(float(found.min()) - off_on_average, float(own.min()))
        high = min(float(found.max()) + off_on_average, float(own.max()))
        yield Bounded(0.5 * (low + high), low, high)


def rounding(terms: int) -> float:
    """Return a bound of the rounding error when numpy adds this many products, relative to the sum of their sizes."""
    return EPSILON * (24.0 + math.log2(terms + 1.0))
