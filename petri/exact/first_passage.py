"""The probability that a chain reaches some states before others: what a trial asks (Q1), answered exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from petri.exact.chain import Chain, Floats
from petri.exact.libraries import library
from petri.exact.marking import values
from petri.exact.steady import ends
from petri.measure.bounded import Bounded
from petri.net import Chance, Watched

Chosen = NDArray[np.bool_]


def first_passage(chain: Chain, chance: Chance) -> Bounded:
    """Return the probability that a trial hits, of a question without a time, and one that is put at the start."""
    hit = _where(chain, chance.hit)
    stop = np.zeros(chain.states, dtype=bool) if chance.stop is None else _where(chain, chance.stop) & ~hit
    start, chances = chain.initial
    begun = np.bincount(start, chances, minlength=chain.states)
    # A trial that begins where it would stop has left those states when it stops: they are there twice.
    on_way, waiting = np.flatnonzero(~hit & ~stop), np.flatnonzero(stop)
    of_state = np.concatenate([on_way, waiting])
    rows = chain.generator[of_state].tocsr()
    sparse = library("scipy.sparse")
    returns = rows[:, waiting].multiply(np.repeat([0.0, 1.0], [len(on_way), len(waiting)])[:, None]).tocsr()
    inside = sparse.hstack([rows[:, on_way], returns]).tocsr()
    into = sparse.csr_matrix(np.stack([_sum(rows[:, hit]), _sum(rows[:, waiting]) - _sum(returns)], axis=1))
    kept = _reaching(inside, _sum(into) > 0.0)
    # States from which neither is reached are as good as those where a trial stops.
    lost = _sum(inside[:, ~kept])
    into = sparse.csr_matrix(into.toarray() + np.stack([np.zeros(len(lost)), lost], axis=1))[kept]
    starting = begun[of_state][kept]
    at_once = Bounded.of(float(begun[hit].sum()))
    if not starting.sum() > 0.0:
        return at_once
    found, off = ends(chain, inside[kept][:, kept].tocsr(), into, starting)
    value = float(found[0])
    return at_once + Bounded(value, max(value - off, 0.0), min(value + off, 1.0))


def _where(chain: Chain, condition: Watched) -> Chosen:
    running = [chain.in_progress(transition) for transition in condition.firings]
    found: Chosen = values(chain.net, condition.value, running, chain.counts, chain.states).astype(bool)
    return found


def _sum(matrix: object) -> Floats:
    """Return the sum of each row."""
    return np.asarray(matrix.sum(axis=1)).ravel()  # type: ignore[attr-defined]


def _reaching(inside: object, last: Chosen) -> Chosen:
    """Return the states from which one of the last ones is reached."""
    sparse, graph = library("scipy.sparse"), library("scipy.sparse.csgraph")
    size = len(last)
    towards = sparse.bmat(
        [[inside, sparse.csr_matrix(last[:, None].astype(np.float64))], [None, sparse.csr_matrix((1, 1))]]
    )
    order = graph.breadth_first_order(towards.T.tocsr(), size, return_predecessors=False)
    reaching = np.zeros(size + 1, dtype=bool)
    reaching[order] = True
    found: Chosen = reaching[:size]
    return found
