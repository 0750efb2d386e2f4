"""Nets in Python: a builder that writes the text of the language, which the language then reads and checks.

    from petri.builder import NetBuilder, fn, var

    net = NetBuilder("mm1", time="s")
    load = net.param("load", 0.8)
    queue, server = net.place("queue", fifo=True), net.place("server", tokens=1)
    ...
    result = net.model(load=0.5).run(until="1 h")

`docs/python.md` has the details.
"""

from petri.builder.expression import (
    Expression,
    all_of,
    any_of,
    each,
    fn,
    no,
    nothing,
    over,
    read,
    reset,
    var,
    where,
)
from petri.builder.net_builder import NetBuilder

__all__ = [
    "Expression",
    "NetBuilder",
    "all_of",
    "any_of",
    "each",
    "fn",
    "no",
    "nothing",
    "over",
    "read",
    "reset",
    "var",
    "where",
]
