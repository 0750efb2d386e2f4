"""Nets whose times are exponential as PRISM modules and as JANI models: a bounded variable for each place."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from petri.diagnostics import Diagnostic
from petri.interchange.out.plain import Plain, PlainTransition, changes, rate_text
from petri.interchange.reading.infix import bare
from petri.interchange.reading.names import identifier
from petri.net import Expr

LEAST_BOUND: Final = 100  # of a place without a capacity
_SIGNS: Final = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "and": "&", "or": "|",
}  # fmt: skip
_CALLS: Final = {"min": "min", "max": "max", "floor": "floor", "ceil": "ceil", "pow": "pow", "mod": "mod"}


class _Chain:
    """What both formats say: names and bounds of places, and for each transition its condition and rate."""

    def __init__(self, net: Plain) -> None:
        self.net = net
        self.names = _distinct([place.name for place in net.net.places], "p")
        self.labels = _distinct([transition.name for transition in net.transitions], "t", set(self.names))
        held = sum(place.held for place in net.net.places)
        bounds = [
            int(place.capacity) if place.capacity is not None else max(held, LEAST_BOUND) for place in net.net.places
        ]
        of_places = [(0, bound, place.held) for bound, place in zip(bounds, net.net.places, strict=True)]
        # The bounds and the first value of each variable, of a value or of a number of tokens.
        self.variables = [net.variables.get(number, of) for number, of in enumerate(of_places)]
        for transition in net.transitions:
            if transition.kind == "immediate":
                what = "a transition that fires at once, as the start of one with `takes` does"
                net.refuse(what, transition.of.span)
            if transition.kind != "exponential":
                net.refuse("a transition whose time is not exponential", transition.of.span)

    def findings(self) -> list[Diagnostic]:
        places = self.net.net.places
        bounded = [
            (place.name, self.variables[number][1])
            for number, place in enumerate(places)
            if place.capacity is None and number not in self.net.variables
        ]
        if not bounded:
            return []
        names, bounds = zip(*bounded, strict=True)
        return [Diagnostic("export-bounds", values={"names": names, "bound": max(bounds)}, severity="warning")]

    def conditions(self, one: PlainTransition) -> list[tuple[int, str, int]]:
        """(place, comparison, number) that hold where the transition is enabled, except for its guard."""
        least = dict(one.inputs)
        for place, count in one.reads.items():
            least[place] = least.get(place, 0) + count
        found = [(place, ">=", count) for place, count in least.items()]
        found += [(place, "<", count) for place, count in one.inhibitors.items()]
        for place, change in changes(one).items():
            capacity = self.net.net.places[place].capacity
            if capacity is not None and change > 0:
                found.append((place, "<=", int(capacity) - change))
        return found

    def degree(self, one: PlainTransition) -> list[tuple[int, int]] | None:
        """Return the places and numbers whose quotients the enabling degree is the least of;

        None if there is one server.
        """
        return None if one.servers == 1 or not one.inputs else list(one.inputs.items())


def _distinct(names: list[str], kind: str, used: set[str] | None = None) -> list[str]:
    used = set() if used is None else used
    found = []
    for name in names:
        base = "".join(character if character.isascii() else "_" for character in identifier(name))
        made, number = base, 2
        while made in used or made in _PRISM_WORDS:
            made, number = f"{base}_{number}", number + 1
        used.add(made)
        found.append(made)
    return found


_PRISM_WORDS: Final = frozenset(
    "A bool clock const ctmc C double dtmc E endinit endinvariant endmodule endobservables endrewards endsystem false "
    "formula filter func F global G init invariant I int label max mdp min module X nondeterministic observable "
    "observables of Pmax Pmin P pomdp popta probabilistic prob pta rate rewards Rmax Rmin R S stochastic system true "
    "U W"
    .split()
)  # fmt: skip


def prism(net: Plain) -> tuple[str, list[Diagnostic]]:
    chain = _Chain(net)

    def text(expression: Expr) -> str:
        return _infix(net, expression, lambda place: chain.names[place])

    lines = ["ctmc", "", f"module {identifier(net.net.name)}_net", ""]
    for name, (low, high, first) in zip(chain.names, chain.variables, strict=True):
        lines.append(f"  {name} : [{low}..{high}] init {first};")
    lines.append("")
    for label, one in zip(chain.labels, net.transitions, strict=True):
        parts = [f"{chain.names[place]}{sign}{count}" for place, sign, count in chain.conditions(one)]
        parts += [text(one.guard)] if one.guard is not None else []
        rate = text(inverted) if (inverted := _inverted(one.time)) is not None else _rate(one.time, text)
        degree = chain.degree(one)
        if degree is not None:
            quotients = [chain.names[p] if count == 1 else f"floor({chain.names[p]} / {count})" for p, count in degree]
            quotients += [str(one.servers)] if one.servers is not None else []
            least = quotients[0] if len(quotients) == 1 else f"min({', '.join(quotients)})"
            rate = least if rate == "1" else f"{least} * {rate}"
        rate = rate if "?" in rate else bare(rate)  # a `:` within parentheses does not end a rate
        updates = [f"({chain.names[place]}'={chain.names[place]}{change:+d})" for place, change in changes(one).items()]
        updates += [f"({chain.names[place]}'={text(value)})" for place, value in one.sets.items()]
        lines.append(f"  [{label}] {' & '.join(parts) or 'true'} -> {rate} : {' & '.join(updates) or 'true'};")
    return "\n".join([*lines, "", "endmodule"]) + "\n", chain.findings()


def _rate(mean: Expr, text: Callable[[Expr], str]) -> str:
    return rate_text(float(mean.value or 0)) if mean.op == "const" else f"1 / ({text(mean)})"


def _inverted(mean: Expr) -> Expr | None:
    """Return the rate of a mean that is written `1 / rate`."""
    first, *rest = mean.args or (mean,)
    return rest[0] if mean.op == "div" and first.op == "const" and first.value == 1 else None


def jani(net: Plain) -> tuple[str, list[Diagnostic]]:
    chain = _Chain(net)
    variables = [
        {
            "name": name,
            "type": {"kind": "bounded", "base": "int", "lower-bound": low, "upper-bound": high},
            "initial-value": first,
        }
        for name, (low, high, first) in zip(chain.names, chain.variables, strict=True)
    ]
    edges = [_edge(chain, one, label) for label, one in zip(chain.labels, net.transitions, strict=True)]
    automaton = {"name": "net", "locations": [{"name": "here"}], "initial-locations": ["here"], "edges": edges}
    model = {
        "jani-version": 1,
        "name": net.net.name,
        "type": "ctmc",
        "actions": [{"name": label} for label in chain.labels],
        "variables": variables,
        "properties": [],
        "automata": [automaton],
        "system": {
            "elements": [{"automaton": "net"}],
            "syncs": [{"synchronise": [label], "result": label} for label in chain.labels],
        },
    }
    return json.dumps(model, indent=1, ensure_ascii=False) + "\n", chain.findings()


def _edge(chain: _Chain, one: PlainTransition, label: str) -> dict[str, Any]:
    signs = {">=": "≥", "<=": "≤", "<": "<"}
    parts: list[Any] = [
        {"op": signs[sign], "left": chain.names[place], "right": count} for place, sign, count in chain.conditions(one)
    ]
    parts += [_jani(chain, one.guard)] if one.guard is not None else []
    mean = one.time
    rate: Any = 1 / float(mean.value or 1) if mean.op == "const" else _both("/", 1, _jani(chain, mean))
    if (inverted := _inverted(mean)) is not None:
        rate = _jani(chain, inverted)
    degree = chain.degree(one)
    if degree is not None:
        quotients: list[Any] = [_quotient(chain.names[place], count) for place, count in degree]
        quotients += [one.servers] if one.servers is not None else []
        rate = _both("*", _folded("min", quotients), rate)
    moved = [
        {"ref": chain.names[place], "value": _both("+", chain.names[place], change)}
        for place, change in changes(one).items()
    ]
    moved += [{"ref": chain.names[place], "value": _jani(chain, value)} for place, value in one.sets.items()]
    edge: dict[str, Any] = {"location": "here", "action": label, "rate": {"exp": rate}}
    edge["guard"] = {"exp": _folded("∧", parts) if parts else True}
    return {**edge, "destinations": [{"location": "here", "assignments": moved}]}


def _quotient(name: str, count: int) -> Any:
    return name if count == 1 else {"op": "floor", "exp": _both("/", name, count)}


def _both(op: str, left: Any, right: Any) -> dict[str, Any]:
    return {"op": op, "left": left, "right": right}


def _folded(op: str, parts: list[Any]) -> Any:
    folded = parts[0]
    for part in parts[1:]:
        folded = _both(op, folded, part)
    return folded


_JANI: Final = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "eq": "=", "ne": "≠", "lt": "<", "le": "≤", "gt": ">", "ge": "≥",
    "and": "∧", "or": "∨", "min": "min", "max": "max", "mod": "%", "pow": "pow",
}  # fmt: skip


def _jani(chain: _Chain, expression: Expr) -> Any:
    """Return an expression as JANI writes it."""
    op, parts = expression.op, expression.args
    if op == "const":
        return bool(expression.value) if expression.kind == "bool" else expression.value
    if op == "tokens":
        return chain.names[int(expression.value or 0)]
    if op == "real":
        return _jani(chain, parts[0])
    inside = [_jani(chain, part) for part in parts]
    if op in _JANI:
        return _folded(_JANI[op], inside)
    if op in ("floor", "ceil"):
        return {"op": op, "exp": inside[0]}
    if op == "not":
        return {"op": "¬", "exp": inside[0]}
    if op == "neg":
        return _both("-", 0, inside[0])
    if op == "if":
        return {"op": "ite", "if": inside[0], "then": inside[1], "else": inside[2]}
    return chain.net.refuse(f"the operation `{op}`", expression.span)


def _infix(net: Plain, expression: Expr, name: Callable[[int], str]) -> str:
    """Return an expression as PRISM writes it, in parentheses where it has parts."""
    op, parts = expression.op, expression.args
    if op == "const":
        return str(bool(expression.value)).lower() if expression.kind == "bool" else repr(expression.value)
    if op == "tokens":
        return name(int(expression.value or 0))
    inside = [_infix(net, part, name) for part in parts]
    if op == "real":
        return inside[0]
    if op in _SIGNS:
        return f"({f' {_SIGNS[op]} '.join(inside)})"
    if op in _CALLS:
        return f"{_CALLS[op]}({', '.join(inside)})"
    if op == "not":
        return f"!{inside[0]}"
    if op == "neg":
        return f"(-{inside[0]})"
    if op == "if":
        return f"({inside[0]} ? {inside[1]} : {inside[2]})"
    return net.refuse(f"the operation `{op}`", expression.span)
