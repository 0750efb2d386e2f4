"""The states of a net, which the native engine explores."""

from __future__ import annotations

from petri.exact.chain import Limits, Unsolvable
from petri.exact.exchange import Symmetries
from petri.exact.native import NativeSpace
from petri.net import Net
from petri.run.stop import StopSign


def _refuse_unordered(net: Net) -> None:
    """Raise Unsolvable where tokens of a set come to a queue in the order of a bag, which a state does not have."""
    for index, transition in enumerate(net.transitions):
        for arc in transition.outputs:
            from_bag = arc.each is not None and net.places[transition.sets[arc.each].place].discipline == "bag"
            if from_bag and any(net.places[place].discipline != "bag" for place in arc.places):
                raise Unsolvable("exact-each", index)


def explore(
    net: Net, limits: Limits = Limits(), stop: StopSign | None = None, symmetries: Symmetries | None = None
) -> NativeSpace:
    """Return the state space of a net, as far as limits and `stop` allow, with symmetries where times are not constant.

    Raises Unsolvable, and ModelError where a firing breaks a rule.
    """
    _refuse_unordered(net)
    return NativeSpace(net, limits, stop, symmetries)
