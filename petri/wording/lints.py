"""Lints: what is allowed but probably a mistake."""

from __future__ import annotations

from petri.wording.entry import Wording

_ALL = "without `{discipline}`, a place shows all its tokens; `prefer least …` (or `most`) takes them in order"

WORDING: dict[str, Wording] = {
    "unused-place": Wording("nothing uses the place `{name}`", "remove it, or connect it"),
    "unused-port": Wording("nothing in the module uses the port `{name}`", "remove it, or use it"),
    "never-fires": Wording(
        "`{name}` can never fire: `{place}` never gets a token",
        "give `{place}` an initial token, or a transition that puts one there",
    ),
    "unused-parameter": Wording("nothing uses the parameter `{name}`"),
    "unused-constant": Wording("nothing uses `{name}`"),
    "unused-type": Wording("nothing uses the type `{name}`"),
    "unused-module": Wording("the module `{name}` has no instance", "write `instance x = {name}(…)`"),
    "never-given-back": Wording(
        "`{name}` takes tokens from `{place}` and nothing gives them back: it stops when they are used up",
        "give a server back when the work is done: `-> {place}`",
    ),
    "guard-on-fifo": Wording(
        "the guard tests the token that `{place}` shows: while it is false, the tokens behind wait as well",
        _ALL,
    ),
    "pattern-on-fifo": Wording(
        "the pattern tests the token that `{place}` shows: while that is another, the tokens behind wait as well",
        _ALL,
    ),
    "lookup-on-fifo": Wording(
        "the pattern is compared only with the token that `{place}` shows: a token behind it that matches is not found",
        "`any {place}(…)` finds it; " + _ALL,
        "if only that token is meant, write this arc before the one that binds the variable, or a variable here and the"
        " condition in `when`",
    ),
    "any-for-patience": Wording(
        "the clock of `{name}` runs only for the token that `{place}` shows: those behind it have none yet",
        "if each token has its time from when it comes, write `any {place}(…)`, which sees all of them",
    ),
    "resume-of-exponential": Wording(
        "`resume` changes nothing: what is left of an exponential time is distributed as the whole",
        "without `resume`, bindings of the same mean share one clock, which is faster",
    ),
    "after-zero": Wording(
        "`{name}` gives back all that it takes, after no time: once it is enabled, it fires for ever at one instant",
        "let it wait for longer than 0, or take something that it does not give back",
    ),
    "parameter-in-pattern": Wording(
        "`{name}` is a parameter, so this pattern matches only tokens with its value",
        "to bind a variable, use a name that is not declared",
    ),
    "binds-like-a-value": Wording(
        "`{name}` is a new variable, which matches any value",
        "did you mean the value `{suggestion}`? otherwise give the variable another name",
    ),
    "pattern-never-matches": Wording("`{name}` never holds {value}: its values are in {low}..{high}"),
    "inexact-time": Wording(
        "{value} is not a whole number of ticks: model time moves in steps of {tick}, and is off by {error} here"
        " ({ppm} ppm)",
        "use a finer tick (`time {unit} resolution …`), or times that are multiples of one another",
        notes=(
            "a tick that divides it and the other times would be below {part} of the shortest time, or end model time"
            " before {room} times the length of the run",
        ),
    ),
    "end-of-delayed": Wording(
        "`end` is the instant at which the firing ends, not the one at which this output arrives",
        "for that one, write `now + {delay}`",
    ),
    "time-may-be-negative": Wording(
        "a normal time may be negative, which stops the run",
        "draw it from a range: `normal(mean, sd, low..high)`, of which no value is outside",
    ),
    "looks-through": Wording(
        "`{name}` looks through {what} at nearly every firing, which takes the longer the more there are",
        "what a pattern equates (`a(x), b(x)`), a comparison of tokens of two places (`when x <= y`), and a preference"
        " among the tokens of the only bag, none of which a guard tests, are counted instead, at little cost",
    ),
    "no-transition": Wording("the net `{name}` has no transition, so nothing can happen"),
    "no-measures": Wording(
        "the net declares no measure",
        "the figures of all places and transitions are shown in any case; `measure x = …` names those that matter",
    ),
}
