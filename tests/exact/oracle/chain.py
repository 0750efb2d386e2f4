"""The chain of the tangible states of any state space, by scipy: firings that take no time are gone through at once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from petri.exact.chain import Chain, Floats, Integers, Kind, StateSpace, Unsolvable
from petri.exact.libraries import library
from petri.exact.native import long_run, rows_of, stationary
from petri.net import Net


class EliminatedChain(Chain):
    """Raises Unsolvable where time stands still."""

    def __init__(self, net: Net, space: StateSpace) -> None:
        self.net, self.space = net, space
        self.kind: Kind = space.kind
        self.tick = float(net.tick.length)
        self.numbers: Integers = np.flatnonzero(space.tangible)
        self._place = np.full(len(space), -1, dtype=np.int64)  # of each state among the tangible, or the vanishing ones
        self._place[self.numbers] = np.arange(len(self.numbers))
        vanishing = np.flatnonzero(~space.tangible)
        self._place[vanishing] = np.arange(len(vanishing))
        self._vanishing: int = len(vanishing)
        self._check_standstill(vanishing)
        self._eliminate()

    # ------------------------------------------------------------ elimination

    def _part(self, from_tangible: bool, to_tangible: bool) -> Any:
        """Return the weights of the arcs from the one kind of states to the other, as a sparse matrix."""
        space, sparse = self.space, library("scipy.sparse")
        chosen = (space.tangible[space.sources] == from_tangible) & (space.tangible[space.targets] == to_tangible)
        sizes = {True: len(self.numbers), False: self._vanishing}
        rows, columns = self._place[space.sources[chosen]], self._place[space.targets[chosen]]
        shape = sizes[from_tangible], sizes[to_tangible]
        return sparse.coo_matrix((space.weights[chosen], (rows, columns)), shape=shape).tocsr()

    @cached_property
    def _among_vanishing(self) -> Any:
        return self._part(from_tangible=False, to_tangible=False)

    @cached_property
    def _into_vanishing(self) -> Any:
        return self._part(from_tangible=True, to_tangible=False)

    def _check_standstill(self, vanishing: Integers) -> None:
        """Check that firings that take no time end: no set of vanishing states is closed."""
        if not self._vanishing:
            return
        among = self._among_vanishing
        count, component = library("scipy.sparse.csgraph").connected_components(among, connection="strong")
        self._cyclic = count < self._vanishing or bool(among.diagonal().any())
        leaves = np.zeros(count, dtype=bool)
        rows, columns = among.nonzero()
        leaves[component[rows[component[rows] != component[columns]]]] = True
        leaves[component[self._part(from_tangible=False, to_tangible=True).nonzero()[0]]] = True
        if not leaves.all():
            space = self.space
            stuck = vanishing[component == np.flatnonzero(~leaves)[0]]
            arcs = np.isin(space.sources, stuck)
            names = [self.net.transitions[t].name for t in np.unique(space.transitions[arcs])]
            raise Unsolvable("exact-standstill", transitions=names)

    def _eliminate(self) -> None:
        sparse = library("scipy.sparse")
        matrix = self._part(from_tangible=True, to_tangible=True)
        start = np.zeros(len(self.numbers))
        first = self._place[self.space.initial]
        if self._vanishing:
            matrix = matrix + self._through(self._into_vanishing)
        if self.space.tangible[self.space.initial]:
            start[first] = 1.0
        else:
            row = sparse.csr_matrix(([1.0], ([0], [first])), shape=(1, self._vanishing))
            start = self._through(row).toarray()[0]
        matrix.sum_duplicates()
        if self.kind == "continuous":
            matrix.setdiag(0.0)
            matrix.eliminate_zeros()
            exits = np.asarray(matrix.sum(axis=1)).ravel()
            with np.errstate(divide="ignore"):
                self.sojourns: Floats = 1.0 / exits
        else:
            self.sojourns = self.space.sojourns[self.numbers].copy()
            self.sojourns[np.diff(matrix.indptr) == 0] = np.inf
        self._matrix = matrix
        self.initial: tuple[Integers, Floats] = (np.flatnonzero(start), start[start > 0.0])

    def _through(self, into: Any) -> Any:
        """Return where one comes out among the tangible states, of rows of weights into vanishing ones."""
        out = self._part(from_tangible=False, to_tangible=True)
        if self._cyclic:
            sparse, linear = library("scipy.sparse"), library("scipy.sparse.linalg")
            system = (sparse.identity(self._vanishing, format="csc") - self._among_vanishing).tocsc()
            return into @ sparse.csr_matrix(linear.spsolve(system, out.tocsc())).reshape(out.shape)
        total = into @ out
        while into.nnz:
            into = into @ self._among_vanishing
            into.eliminate_zeros()
            total = total + into @ out
        return total

    # ------------------------------------------------------------ the interface

    @property
    def matrix(self) -> Any:
        return self._matrix

    def rates(self, amounts: Floats) -> tuple[Floats, float]:
        space = self.space
        brought: Floats = np.bincount(space.sources, space.weights * amounts, minlength=len(space)).astype(np.float64)
        rates, at_once = brought[self.numbers], 0.0
        if self._vanishing:
            after = self._following(brought[~space.tangible])
            rates = rates + self._into_vanishing @ after
            at_once = 0.0 if space.tangible[space.initial] else float(after[self._place[space.initial]])
        return self.per_time(rates), at_once

    def _following(self, brought: Floats) -> Floats:
        """Return what comes from each vanishing state on, until time passes."""
        among = self._among_vanishing
        if self._cyclic:
            sparse, linear = library("scipy.sparse"), library("scipy.sparse.linalg")
            found: Floats = linear.spsolve((sparse.identity(self._vanishing, format="csc") - among).tocsc(), brought)
            return found
        total, part = brought.copy(), brought
        while part.any():
            part = among @ part
            total += part
        return total

    # ------------------------------------------------------------ what becomes of it

    @cached_property
    def closed(self) -> tuple[Integers, ...]:
        rates, graph = self.generator, library("scipy.sparse.csgraph")
        count, component = graph.connected_components(rates, connection="strong")
        rows, columns = rates.nonzero()
        open_ones = np.unique(component[rows[component[rows] != component[columns]]])
        closed = np.setdiff1d(np.arange(count), open_ones)
        order = np.argsort(component, kind="stable")
        starts = np.searchsorted(component[order], np.arange(count + 1))
        return tuple(order[starts[one] : starts[one + 1]] for one in closed)

    def rates_in(self, number: int) -> Any:
        states = self.closed[number]
        return self.generator[states][:, states].tocsr()

    def stationary(self, number: int, tolerance: float) -> tuple[Floats, float]:
        found = stationary(self.rates_in(number), tolerance, self.space.stop)
        self.heed_stop()
        return found

    def bounds(self, number: int, rewards: Floats, tolerance: float) -> tuple[float, float]:
        return long_run(rows_of(self.rates_in(number)), rewards, tolerance, self.space.stop)

    def uniformised(self, start: Floats, rate: float, first: int, chances: Floats) -> tuple[Floats, Floats, int]:
        sparse = library("scipy.sparse")
        moves = (sparse.diags(1.0 - self.exits / rate) + self.matrix / rate).T.tocsr()
        # The chance of more than k steps, for k from 0: 1 up to the first weight.
        beyond = np.maximum(np.concatenate([np.cumsum(chances[::-1])[::-1][1:], [0.0]]), 0.0)
        state, at, during = start, np.zeros(self.states), np.zeros(self.states)
        for step in range(first + len(chances)):
            self.heed_stop()
            if step >= first:
                at += chances[step - first] * state
                during += beyond[step - first] * state
            else:
                during += state
            state = moves @ state
        return at, during, int(np.diff(moves.indptr).max())
