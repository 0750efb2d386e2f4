"""What the states of a net show: bounds, dead states and ways to them, what never fires, and where one can return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from petri.exact.chain import Integers, StateSpace, StateView
from petri.exact.libraries import library
from petri.exact.marking import values
from petri.net import Net, Scalar, Transition, Watched, operations

DEEPEST_LOOKED_AT = 50  # states found last, whose ways are searched for a place that grows
LONGEST_LOOKED_AT = 200  # steps of such a way: the states of a long one hold many tokens, and each pair is compared


class Step(NamedTuple):
    """One arc of a way. transition: its index, -1 where time passes."""

    arc: int
    transition: int
    starts: bool
    variables: tuple[Scalar, ...]
    target: int


class Growth(NamedTuple):
    """A part of a way that adds tokens and changes nothing else: it could be gone again and again.

    certain: nothing of the net forbids it. places: the tokens that it adds, by place.
    """

    before: tuple[Step, ...]
    again: tuple[Step, ...]
    places: Mapping[int, int]
    certain: bool


class Reachability:
    """The states of a net, as far as they were explored.

    idle: places whose tokens have values that decide nothing; states that differ only in these count as one.
    """

    def __init__(self, net: Net, space: StateSpace, idle: Sequence[int] = ()) -> None:
        self.net, self.space, self.idle = net, space, idle

    @cached_property
    def bounds(self) -> list[int]:
        """The most tokens of each place in any state."""
        return [int(self.space.counts(place).max()) for place in range(len(self.net.places))]

    @cached_property
    def is_dead(self) -> NDArray[np.bool_]:
        """The states in which nothing happens any more."""
        dead = np.ones(len(self.space), dtype=bool)
        dead[self.space.sources] = False
        dead[self.space.expanded :] = False
        return dead

    @cached_property
    def never(self) -> list[int]:
        """The transitions that start in no arc."""
        fired = np.unique(self.space.transitions[self.space.starts])
        return sorted(set(range(len(self.net.transitions))) - set(fired.tolist()))

    @cached_property
    def _parents(self) -> Integers:
        """The state from which each is reached by a shortest way; negative of the initial one."""
        space, graph = self.space, library("scipy.sparse.csgraph")
        _, parents = graph.breadth_first_order(self._graph, space.initial, return_predecessors=True)
        return np.asarray(parents, dtype=np.int64)

    @cached_property
    def _graph(self) -> Any:
        space, sparse = self.space, library("scipy.sparse")
        ones = np.ones(len(space.sources), dtype=np.int8)
        shape = len(space), len(space)
        graph = sparse.coo_matrix((ones, (space.sources, space.targets)), shape=shape).tocsr()
        graph.data[:] = 1
        return graph

    @cached_property
    def _by_source(self) -> tuple[Integers, Integers]:
        """The arcs in the order of their sources, and where those of each state begin."""
        order = np.argsort(self.space.sources, kind="stable")
        starts = np.searchsorted(self.space.sources[order], np.arange(len(self.space) + 1))
        return order, starts

    def way(self, state: int) -> list[Step]:
        """Return a shortest way from the initial state, arc by arc."""
        return self._with_variables(self._way(state))

    def _with_variables(self, steps: Sequence[Step]) -> list[Step]:
        """To find them takes time where tokens are many."""
        found = iter(self.space.variables([step.arc for step in steps if step.starts]))
        return [step._replace(variables=tuple(next(found))) if step.starts else step for step in steps]

    def _way(self, state: int) -> list[Step]:
        steps: list[Step] = []
        while (parent := int(self._parents[state])) >= 0:
            order, starts = self._by_source
            arcs = order[starts[parent] : starts[parent + 1]]
            arc = int(arcs[self.space.targets[arcs] == state][0])
            steps.append(Step(arc, int(self.space.transitions[arc]), bool(self.space.starts[arc]), (), state))
            state = parent
        return steps[::-1]

    def nearest(self, states: NDArray[np.bool_]) -> int | None:
        """Return one of these states with a shortest way; None if there is none."""
        chosen = np.flatnonzero(states)
        if not len(chosen):
            return None
        return int(chosen[self._depths[chosen].argmin()])

    @cached_property
    def _depths(self) -> Integers:
        graph = library("scipy.sparse.csgraph")
        found = graph.dijkstra(self._graph, indices=self.space.initial, unweighted=True)
        return np.where(np.isfinite(found), found, -1).astype(np.int64)

    def depth(self, state: int) -> int:
        """Return the number of arcs of a shortest way to a state."""
        return int(self._depths[state])

    def where(self, condition: Watched) -> NDArray[np.bool_]:
        """Return the states in which a condition holds, as `petri.language.condition` reads it."""
        running = [self.space.in_progress(transition) for transition in condition.firings]
        variables = [self.is_dead.astype(np.int64), *running]
        found: NDArray[np.bool_] = values(
            self.net, condition.value, variables, self.space.counts, len(self.space)
        ).astype(bool)
        return found

    @cached_property
    def home(self) -> int:
        """The number of states that can be reached from every state; 0 if there is none."""
        if not self.space.complete:
            return 0
        count, component = library("scipy.sparse.csgraph").connected_components(self._graph, connection="strong")
        leaves = np.zeros(count, dtype=bool)
        across = component[self.space.sources] != component[self.space.targets]
        leaves[component[self.space.sources[across]]] = True
        last = np.flatnonzero(~leaves)
        return int((component == last[0]).sum()) if len(last) == 1 else 0

    @cached_property
    def growth(self) -> Growth | None:
        """Why states have no end, where the way to one of the states found last shows it, of those near enough."""
        if self.space.complete:
            return None
        near = np.flatnonzero((self._depths > 0) & (self._depths <= LONGEST_LOOKED_AT))
        for state in near[: -DEEPEST_LOOKED_AT - 1 : -1].tolist():
            steps = self._way(state)
            views = [self.space.state(self.space.initial), *(self.space.state(step.target) for step in steps)]
            for end in range(len(views) - 1, 0, -1):
                for start in range(end - 1, -1, -1):
                    if added := _added(views[start], views[end]):
                        before, again = tuple(steps[:start]), tuple(steps[start:end])
                        return Growth(before, tuple(self._with_variables(again)), added, self._is_monotone(again))
        return None

    def _is_monotone(self, again: Sequence[Step]) -> bool:
        """Return whether more tokens can never keep these firings from happening."""
        if any(place.capacity is not None or place.discipline != "bag" for place in self.net.places):
            return False
        if len({transition.priority for transition in self.net.transitions}) > 1:
            return False
        looks = [
            transition
            for transition in self.net.transitions
            if transition.inhibitors or transition.emptied or transition.prefer is not None
        ]
        asks = any(_asks_for_tokens(transition) for transition in self.net.transitions)
        return not looks and not asks and all(step.transition >= 0 for step in again)


def _asks_for_tokens(transition: Transition) -> bool:
    given = [part for arc in transition.outputs for part in (arc.condition, arc.count, arc.index, *arc.values)]
    counts = [arc.count for arc in transition.inputs]
    return any(part.op == "tokens" for part in operations([transition.guard, transition.time, *counts, *given]))


def _added(before: StateView, after: StateView) -> dict[int, int]:
    """Return which tokens a state has more than another that it otherwise equals; nothing if there are none."""
    if before.running != after.running:
        return {}
    added: dict[int, int] = {}
    for place, (fewer, more) in enumerate(zip(before.marking, after.marking, strict=True)):
        if len(more) < len(fewer) or Counter(fewer) - Counter(more):
            return {}
        if len(more) > len(fewer):
            added[place] = len(more) - len(fewer)
    return added
