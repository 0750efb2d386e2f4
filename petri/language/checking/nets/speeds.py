"""The speed of clocks (C5), taken apart: what the tokens of a clock contribute, and what all clocks have in common.

While a clock runs, its tokens stay as they are. So instead of running w times as fast as others, it is set to a time
that is divided by w.
"""

from __future__ import annotations

from collections.abc import Iterator

from petri.language.meaning.nodes import PLACES, VARIABLE, Node, constant, operation, to_real, with_span
from petri.language.problems import CheckError
from petri.net import Span
from petri.structs import Struct

Factor = tuple[Node, bool]
"""An expression, and whether it divides."""


class Speed(Struct):
    """A speed is `own · common`. own: the factor that reads the binding; common: the one that reads the marking.

    moving: a factor of the former without which it would be 0; None if it never is.
    """

    own: Node | None = None
    common: Node | None = None
    moving: Node | None = None

    def divided(self, time: Node) -> Node:
        """Return the time to which a clock is set. An exponential one stays exponential."""
        if self.own is None:
            return time
        if time.op == "exp":
            return operation("exp", "real", (self.divided(time.args[0]),), time.span)
        return operation("div", "real", (time, self.own), time.span)


def split(speed: Node, span: Span) -> Speed:
    """Take a speed apart. Raises CheckError where a factor reads both, the binding and the marking."""
    if not speed.flags & VARIABLE:
        return Speed(common=speed)
    factors = list(_factors(speed, divides=False))
    own = [one for one in factors if one[0].flags & VARIABLE]
    marking = [one for one in factors if one[0].flags & PLACES]
    fixed = [one for one in factors if not one[0].flags & (VARIABLE | PLACES)]
    mixed = next((node for node, _ in own if node.flags & PLACES), None)
    if mixed is not None:
        raise CheckError("speed-of-both", mixed.span or span)
    common = marking
    if _product(own + fixed, span).power == 0 or not marking:  # so that a time that is divided by it is still a time
        own = own + fixed
    else:
        common = marking + fixed
    multipliers = [one for one in own if not one[1]]
    moving = _product(multipliers, span) if multipliers else None
    return Speed(_product(own, span), with_span(_product(common, span), span), moving)


def _factors(node: Node, *, divides: bool) -> Iterator[Factor]:
    if node.op == "mul":
        for part in node.args:
            yield from _factors(part, divides=divides)
    elif node.op == "div":
        yield from _factors(node.args[0], divides=divides)
        yield from _factors(node.args[1], divides=not divides)
    elif node.op == "real" and node.args[0].op == "mul":
        for part in node.args[0].args:
            yield from _factors(to_real(part), divides=divides)
    else:
        yield node, divides


def _product(factors: list[Factor], span: Span) -> Node:
    """Return the product, in the order in which it is written: what multiplies, and then what divides."""
    above = [node for node, divides in factors if not divides] or [constant(1, "real")]
    product = above[0]
    for node in above[1:]:
        product = operation("mul", "real", (product, node), span)
    for node, divides in factors:
        if divides:
            product = operation("div", "real", (product, node), span)
    return product
