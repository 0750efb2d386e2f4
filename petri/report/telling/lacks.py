"""What the transitions of a dead net lack, in words: `needs a token in mac, which is empty`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from petri.analysis.dead import Lack
from petri.net import Net
from petri.report.telling.expressions import ExpressionText
from petri.structs import Frozen

_INDEX = re.compile(r"\[\d+\]")
_SEEN = {"fifo": "its oldest token", "lifo": "its newest token", "key": "its first token"}


class Reason(Frozen):
    """Why a transition is not enabled, as a clause. `copies` counts elements of an array that lack the same."""

    transition: str
    text: str
    copies: int = 1


def reasons(net: Net, lacks: Sequence[Lack], *, fold: bool = True) -> list[Reason]:
    """Return a reason for each lack; with `fold`, elements of an array that lack the same share one."""
    words = ExpressionText(net)
    told = [Reason(net.transitions[lack.transition].name, _clause(net, lack, words)) for lack in lacks]
    if not fold:
        return told
    groups: dict[tuple[str, str], list[Reason]] = {}
    for one in told:
        groups.setdefault((_INDEX.sub("[*]", one.transition), _INDEX.sub("[*]", one.text)), []).append(one)
    return [
        Reason(name, text, len(members)) if len(members) > 1 else members[0] for (name, text), members in groups.items()
    ]


def _clause(net: Net, lack: Lack, words: ExpressionText) -> str:
    transition = net.transitions[lack.transition]
    if lack.kind == "guard":
        assert transition.guard is not None
        return f"its guard `{words.of(transition.guard, transition.variables)}` is false"
    if lack.kind == "room":
        full = (net.places[number] for number in lack.places)
        return f"needs room in {' or '.join(f'{place.name} ({words.capacity(place)})' for place in full)}"
    place = net.places[lack.places[0]]
    if lack.kind == "inhibited":
        return f"needs fewer than {_tokens(lack.needed)} in {place.name}, which holds {lack.here}"
    if lack.kind == "tokens":
        holds = f"holds {lack.here}" if lack.here else "is empty"
        return f"needs {_tokens(lack.needed)} in {place.name}, which {holds}"
    if lack.kind == "token":
        more = "one more token" if lack.here else "a token"
        empty = ", which is empty" if place.stream is None else ", whose file has no more rows"
        return f"needs {more} in {place.name}" + ("" if lack.here else empty)
    arc = transition.inputs[lack.arc]
    wanted, shown = words.pattern(arc, transition), "bag" if arc.any or place.per else place.discipline
    seen = _SEEN.get(shown, f"none of its {lack.here} tokens" if lack.here > 1 else "its token")
    if place.per and lack.here > 1:
        seen = "none of the tokens that it shows"
    verb = "matches" if shown == "bag" and lack.here > 1 else "does not match"
    return f"needs a token ({wanted}) in {place.name}: {seen} {verb}"


def _tokens(count: int) -> str:
    return "a token" if count == 1 else f"{count} tokens"
