"""Exact answers: why a net has no chain that can be explored or solved, and why a chain does not give a figure."""

from __future__ import annotations

from petri.wording.entry import Wording

OTHERWISE = "or simulate: `pnsim run`; `pnsim reach --untimed` explores the states for any times"

WORDING: dict[str, Wording] = {
    # ---------------------------------------------------------------- nets without a chain
    "exact-stream": Wording(
        "`{place}` receives the rows of a file, which no finite chain gives",
        "give the place tokens from a transition with `after exp(…)`, whose values are drawn by `choice`",
        "or simulate: `pnsim run`",
    ),
    "exact-instant": Wording(
        "what `{transition}` does depends on the time itself: something that matters reads `now` or `end`",
        "tokens may carry times for measures; a guard, a time, a count or a condition must not depend on them",
    ),
    "exact-continuous-draw": Wording(
        "`{transition}` draws a value that can be any of infinitely many, or of more than 100,000, and what follows "
        "depends on it",
        "draw it from `choice`, a table, `bernoulli` or a shorter range of ints; a random time belongs behind `takes`",
    ),
    "exact-time": Wording(
        "the time of `{transition}` is drawn by `{draw}`, which is not a sum or choice of exponential stages",
        "use `exp`, `erlang`, `hyperexponential`, a constant, `geometric`, or a choice of these",
        OTHERWISE,
    ),
    "exact-clock": Wording(
        "the clock of `{transition}` remembers how long it has run, and a state does not",
        "use `after exp(…)` without `resume` and `repeat`, or `takes`, which may also be an erlang or a constant",
        OTHERWISE,
    ),
    "exact-delay": Wording(
        "an output of `{transition}` arrives a time after the start of its firing, and a state does not say how much of"
        " that has passed",
        "give it at once to a place of its own, from which another transition takes it for that time",
        "or simulate: `pnsim run`",
    ),
    "exact-each": Wording(
        "`{transition}` gives the tokens of a bag to a place with an order, and a state does not say which is first",
        "make the place that `each` gives to a bag; or that from which `all` takes a `fifo` place",
        OTHERWISE,
    ),
    "exact-mixed": Wording(
        "the constant time of `{transition}` passes while an exponential time does",
        "replace the constant by `erlang(20, …)`, which is nearly constant; or use constants and `geometric` alone",
        OTHERWISE,
        notes=(
            "a state with both would have to say how much of the constant is left, which can be any number; "
            "nets with one constant at a time beside exponential times (DSPN) are not solved",
        ),
    ),
    "exact-zero-clock": Wording(
        "the clock of `{transition}` has a mean of 0 in some state",
        "keep it above 0, or forbid such states by a guard; what happens at once needs no `after`, but a priority",
        OTHERWISE,
    ),
    "exact-many-outcomes": Wording(
        "one firing of `{transition}` has more than {most} outcomes", "draw from fewer values"
    ),
    "exact-many-states": Wording(
        "the exploration ended at its limit, when {states:state} had been found",
        "`{place}` has held up to {tokens:token}: give it a `cap`, if it should not grow",
        "raise the limit with --states, or make the net smaller with --set",
    ),
    "exact-much-memory": Wording(
        "the states and their arcs take 4 GiB, and the exploration ended there, when {states:state} had been found",
        "`{place}` has held up to {tokens:token}: give it a `cap`, if it should not grow",
        "make the net smaller with --set",
    ),
    "exact-many-bindings": Wording(
        "`{transition}` has more than 10 million ways to choose its tokens in one state, and the exploration ended "
        "there, when {states:state} had been found",
        "`{place}` has held up to {tokens:token}: give it a `cap`, if it should not grow",
        "let the transition look for fewer: a pattern such as `p(x), q(x)` instead of a guard `x == y`",
    ),
    "exact-stopped": Wording(
        "interrupted, when {states:state} had been found",
        "`{place}` has held up to {tokens:token}: give it a `cap`, if it should not grow",
    ),
    "exact-stopped-solving": Wording(
        "interrupted: all {states:state} and {arcs:arc} were found, but the figures were not yet known",
        "the time grows with the arcs: make the net smaller with --set",
    ),
    "exact-standstill": Wording(
        "time stands still: firings that take no time go on for ever, once they have begun",
        "give one of these a time: {transitions:or}",
    ),
    "exact-no-time": Wording(
        "no firing of the net takes time, so it has no averages over time",
        "`pnsim reach` shows its states; for averages, give transitions times",
    ),
    "exact-many-steps": Wording(
        "the solution up to that time takes more than {steps} steps",
        "ask for an earlier time, or for the long run, without --at",
    ),
    "exact-large-chain": Wording(
        "the chain has {states:state} among which it stays, and more than {most} are not solved directly",
        "build the native engine, which solves larger ones; or make the net smaller with --set, or ask for an instant "
        "with --at",
    ),
    "exact-mixed-transient": Wording(
        "constant and exponential times take turns in this net, and it can be solved in the long run alone",
        "leave --at out, or use only one kind of times",
    ),
    "exact-needs-library": Wording("exact answers need {library}, which is not installed", "run `{install}`"),
    # ---------------------------------------------------------------- conditions on states
    "condition-bare": Wording("`{name}` is a place, not a number", "write `tokens({name})`"),
    "condition-name": Wording("there is no {kind} `{name}`", "did you mean `{suggestion}`?"),
    "exact-graph-size": Wording(
        "a drawing of {states:state} would show nothing", "make the net smaller with --set, or use --graph"
    ),
    # ---------------------------------------------------------------- figures that a chain does not give
    "exact-total": Wording(
        "it grows with the length of the run", "ask for a rate, or for the total up to an instant with --at"
    ),
    "exact-passage": Wording(
        "the times that tokens take on their way are not in the states",
        "their mean is that of the tokens there, divided by the rate at which they come (Little's law)",
    ),
    "exact-order": Wording("the order in which tokens come is not in the states"),
    "exact-series": Wording("it is made of windows of a run"),
    "exact-quantile": Wording("percentiles are not computed"),
    "exact-extreme": Wording("extremes are not computed"),
    "exact-first": Wording(
        "when a condition holds first is not computed",
        "let a transition fire then that leads to the initial marking: the mean is 1 / its rate",
    ),
    "exact-chance-in-time": Wording(
        "a probability within a time is not computed, nor one after a condition",
        "let a transition fire then that can fire once: the probability is its count, with --at the end of that time",
    ),
    "exact-unseen": Wording("it depends on the time itself, or on a value that can be any of infinitely many"),
}
