"""The net of trials: what it does, and the values of the marking that a question asks for."""

from __future__ import annotations

from petri.net import Chance, Net, Watched
from petri.structs import replace


def trial_net(net: Net, chance: Chance) -> tuple[Net, dict[str, int]]:
    """Return the net without its measures, whose probes watch what a question asks; and their numbers, by what they
    are.

    Its trials have one random stream each (R5).
    """
    asked = {name: getattr(chance, name) for name in ("hit", "stop", "begin", "importance")}
    watched: dict[str, Watched] = {name: one for name, one in asked.items() if one is not None}
    bare = replace(net, probes=tuple(watched.values()), chances=(), measures=(), expectations=(), own_streams=False)
    return bare, {name: number for number, name in enumerate(watched)}
