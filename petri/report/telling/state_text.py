"""States of a net and the steps between them, as people read them: `queue 3, serve in progress`."""

from __future__ import annotations

from collections import Counter
from typing import Final

from petri.exact.chain import StateView
from petri.exact.reach import Step
from petri.net import Net, lasts
from petri.report.telling.token_text import Values

MOST_TOKENS: Final = 4  # of a place, by their values


class StateText:
    """Says what states and ways are in the words of one net."""

    def __init__(self, net: Net) -> None:
        self.net, self.values = net, Values(net)

    def step(self, step: Step) -> str:
        """`arrive starts`, `send starts with x = 3`, `serve ends`, `time passes`."""
        if step.transition < 0:
            return "time passes"
        transition = self.net.transitions[step.transition]
        if not step.starts:
            return f"{transition.name} ends"
        with_values = self.values.variables(transition, step.variables)
        verb = "starts" if lasts(transition) else "fires"
        return f"{transition.name} {verb}" + (f" with {with_values}" if with_values else "")

    def state(self, view: StateView) -> str:
        """Return the places that hold tokens, and the firings in progress."""
        held = []
        for place, tokens in zip(self.net.places, view.marking, strict=True):
            if not tokens:
                continue
            if not place.colour.slots:
                held.append(f"{place.name} {len(tokens)}")
                continue
            texts = [self.values.token(token, place.colour.slots) for token in tokens[:MOST_TOKENS]]
            more = f", … {len(tokens)} in all" if len(tokens) > MOST_TOKENS else ""
            held.append(f"{place.name} ({'; '.join(texts)}{more})")
        running = Counter(self.net.transitions[one.transition].name for one in view.running)
        held += [f"{name} in progress" + (f" ×{count}" if count > 1 else "") for name, count in running.items()]
        return ", ".join(held) or "no tokens"
