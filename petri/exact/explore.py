"""The states of a net, by the native engine where it is built and can, else by the naive explorer."""

from __future__ import annotations

from petri.engine.native import available
from petri.exact.chain import Limits, StateSpace, Unsolvable
from petri.exact.exchange import Symmetries
from petri.exact.naive import NaiveSpace
from petri.net import Net
from petri.run.stop import StopSign
from petri.structs import replace

MOST_NAIVE = 100_000  # states, which take the naive explorer a minute or two
ALSO_NAIVE = ("exact-mixed", "exact-time")  # what the native engine refuses, and the naive explorer may not


def _refuse_unordered(net: Net) -> None:
    """Raises Unsolvable where tokens of a set come to a queue in the order of a bag, which a state does not have."""
    for index, transition in enumerate(net.transitions):
        for arc in transition.outputs:
            from_bag = arc.each is not None and net.places[transition.sets[arc.each].place].discipline == "bag"
            if from_bag and any(net.places[place].discipline != "bag" for place in arc.places):
                raise Unsolvable("exact-each", index)


def explore(
    net: Net, limits: Limits = Limits(), stop: StopSign | None = None, symmetries: Symmetries | None = None
) -> StateSpace:
    """The state space of a net, as far as limits and `stop` allow; with symmetries, if the native engine can use them.

    Raises Unsolvable, and ModelError where a firing breaks a rule.
    """
    _refuse_unordered(net)
    if available():
        from petri.exact.native import NativeSpace

        try:
            return NativeSpace(net, limits, stop, symmetries)
        except Unsolvable as why:
            if why.id not in ALSO_NAIVE:
                raise
    return NaiveSpace(net, replace(limits, states=min(limits.states, MOST_NAIVE)), stop)
