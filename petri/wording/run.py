"""Run-time errors (rules X1 to X4): why a model stopped or could not start."""

from __future__ import annotations

from petri.wording.entry import Wording

WHEN_AND_WHERE = (
    "at time {time}, when transition `{transition}` was about to fire",
    "with {binding}",
    "at time {measured}, when the instant was over and the marking was measured",
)

CLOCK_OF = "at time {time}, of the transition `{transition}`"


def stopped(message: str, *hints: str, notes: tuple[str, ...] = ()) -> Wording:
    """A failure of one firing: the notes show its time, transition and binding, after those that are given."""
    return Wording(message, *hints, notes=(*notes, *WHEN_AND_WHERE))


WORDING: dict[str, Wording] = {
    "int-overflow": stopped(
        "this int does not fit in 64 bits",
        "keep the value in range (`mod` wraps a counter), or use reals (`1.0 * n`)",
    ),
    "division-by-zero": stopped("division by zero", "guard it: `if n == 0 then … else …`"),
    "not-finite": stopped("this result is too large for a real number", "check the magnitude of its operands"),
    "domain": stopped("`{function}` is not defined at {argument}", "guard it, or limit the argument with `max`"),
    "bad-parameter": stopped(
        "`{distribution}` has a parameter outside its domain",
        "it needs {needs:and:}",
        notes=("here {parameters:and:}",),
    ),
    "beyond-horizon": stopped(
        "the run goes on after {horizon}, where the model time of this net ends: 2^53 ticks",
        "a coarser tick allows longer runs: write `time {unit} resolution 1 ns`, or the like",
    ),
    "trial-hits-at-once": Wording(
        "every trial hits at once, because what is asked for holds at the start",
        "ask for something that happens later, or change the initial marking",
    ),
    "trial-endless": Wording(
        "a trial has had 100,000,000 firings, and neither hit nor ended",
        "say when it ends: `probability(A before B)`, or `probability(A within 5 s)`",
    ),
    "negative-time": stopped(
        "the firing time is negative: {duration}", "a firing cannot end before it starts; limit it with `max(0, …)`"
    ),
    "negative-speed": Wording(
        "the speed of the clock is negative: {speed}",
        "a clock cannot run backwards; limit its speed with `max(0, …)`, where 0 lets it stand still",
        notes=(CLOCK_OF,),
    ),
    "negative-weight": stopped("the weight is negative: {weight}", "limit it with `max(0, …)`"),
    "no-weight": stopped(
        "one of several transitions is to be chosen, and their weights have no sum to choose by: they are all 0, or too"
        " great",
        "a transition with the weight 0 is never chosen; give at least one a weight above 0, or keep them from being"
        " enabled with `when`",
    ),
    "clock-limit": Wording(
        "the net would have more than {limit} clocks",
        "each binding of a transition with `after` has a clock; fewer tokens, or patterns that pair each token with few"
        " others, make fewer bindings",
        "an exponential time that does not depend on the tokens, without `prefer` and `resume`, is one clock for all",
        "if this is intended, raise the limit with `--max-tokens`",
        notes=(CLOCK_OF,),
    ),
    "negative-count": stopped("the number of tokens is negative: {count}", "limit it with `max(0, …)`"),
    "index-range": stopped(
        "there is no place number {index} (counted from 0) in this array of {size}",
        "check the index against the array's range",
    ),
    "list-range": stopped(
        "there is no element {index}: the elements are numbered from 0, and there are {size}",
        "guard it, or keep the index in range (`mod` wraps a counter)",
    ),
    "colour-range": stopped(
        "{value} is outside the colour set of place `{place}`",
        "widen the place's type, or keep the value in range (`mod` wraps a counter)",
    ),
    "instant-limit": Wording(
        "more than {limit} firings at one instant: time does not advance",
        "the loop consists of {transitions:and}: add a firing time (`takes …`), or a guard that ends the loop",
        "if this is intended, raise the limit with `--max-instant`",
        notes=("at time {time}",),
    ),
    "token-limit": stopped(
        "the net would hold more than {limit} tokens",
        "tokens are produced faster than they are consumed: give the place a capacity (`cap`), or slow the source down",
        "if this is intended, raise the limit with `--max-tokens`",
    ),
    "net-refused": Wording(
        "the engine cannot run this net: {reason}",
        "if the net comes from a file, the file is damaged or was changed: run the experiment again",
        "if a program made it, correct what the message names; `petri/net.py` says what a flat net holds",
    ),
    "rounded-times": Wording(
        "constant times are rounded to ticks of {tick}: {times:and:}", notes=("`pnsim check` says where and why",)
    ),
    "no-end": Wording(
        "the net does not specify when a run ends",
        "write `run until 20 ms` in the net, or use `--until` (`--until dead` runs until no transition can fire)",
    ),
    "share-no-end": Wording(
        "trials of a share of time are as long as the run, and this run has no fixed end",
        "write for example `run until 20 ms` in the net, or use `--until`",
    ),
    "run-below-zero": Wording(
        "`{name}` is {text}, and time begins at 0", "write a time of 0 or more, such as --{name} '20 ms'"
    ),
    "save-beyond-end": Wording(
        "the state cannot be saved at {text}, as the run goes from 0 to its end",
        "save it within the run: `--save-at '20 ms' FILE`",
    ),
    "state-beyond-end": Wording(
        "the saved state is of {time}, and the run ends at {until}", "choose a later end with `--until`"
    ),
    "state-other-time": Wording(
        "the net measures time in other ticks than the saved state",
        "give both nets the same `time` line: times in the state are whole numbers of its ticks",
    ),
    "state-unfit": Wording("the net cannot go on from this state: {reason}"),
    "state-unreadable": Wording(
        "`{path}` is not a saved state: {reason}", "`pnsim run NET --save-at '20 ms' FILE` saves one"
    ),
    "state-too-large": Wording("the state cannot be saved in `{path}`: {reason}"),
    "state-not-reached": Wording(
        "no replication came to {time}, so no state was saved", "save it earlier, with `--save-at`"
    ),
    "state-in-part": Wording(
        "{ended} of {count} replications ended before {time}, and are not in the saved state",
        "save it earlier, with `--save-at`, to go on with all of them",
    ),
    "state-left-out": Wording(
        "the state was saved from another net, and not all of it fits this one", notes=("not kept: {parts:and:}",)
    ),
    "state-with-parameters": Wording(
        "the net of a saved state has its parameters already",
        "name the net too: `pnsim run NET --set … --from FILE`",
    ),
    "state-with-precision": Wording(
        "a precision decides how many replications are run, which a saved state has decided", "choose their number (-n)"
    ),
    "warmup-beyond-end": Wording(
        "the warm-up ({warmup}) must be shorter than the run ({until})", "shorten the warm-up or lengthen the run"
    ),
}
