"""Lints: what is allowed and probably not meant."""

from __future__ import annotations

from petri.wording.checks import IN_INSTANCE
from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    "unused-place": Wording("nothing uses the place `{name}`", "take it out, or connect it"),
    "unused-port": Wording("nothing in the module uses the port `{name}`", "take it out, or use it"),
    "never-fires": Wording(
        "`{name}` can never fire: no token ever comes to `{place}`",
        "give `{place}` an initial token, or a transition that puts one there",
    ),
    "unused-parameter": Wording("nothing uses the parameter `{name}`"),
    "unused-constant": Wording("nothing uses `{name}`"),
    "unused-type": Wording("nothing uses the type `{name}`"),
    "unused-module": Wording("the module `{name}` has no instance", "write `instance x = {name}(…)`"),
    "never-given-back": Wording(
        "`{name}` takes from `{place}`, and nothing gives one back: it stops when those of the start are used up",
        "a server is given back when the work is done: `-> {place}`",
    ),
    "guard-on-fifo": Wording(
        "the guard looks at the token that `{place}` shows: while it does not hold, the tokens behind wait as well",
        "without `{discipline}`, a place shows all its tokens",
    ),
    "parameter-in-pattern": Wording(
        "`{name}` is a parameter, so this pattern takes only tokens of its value",
        "to bind a variable, use a name that is not declared",
    ),
    "binds-like-a-value": Wording(
        "`{name}` is a new variable, which takes any value",
        "did you mean the value `{suggestion}`? a variable had better have another name",
    ),
    "pattern-never-matches": Wording(
        "`{name}` never holds {value}: its values are in {low}..{high}", notes=IN_INSTANCE
    ),
    "inexact-time": Wording(
        "{value} is not a whole number of ticks: model time moves in steps of {tick}, and is off by {error} here",
        "with times of which one is a multiple of the other, or `time {unit} resolution …`, it is exact",
        notes=("a finer tick would end time too soon for a run of this net: there are {limit} ticks",),
    ),
    "no-transition": Wording("the net `{name}` has no transition, so nothing can happen in it"),
    "no-measures": Wording(
        "the net declares no measure",
        "the figures of all places and transitions are shown anyway; `measure x = …` names what matters",
    ),
}

LABELS: dict[str, str] = {}
