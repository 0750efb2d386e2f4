"""Run-time errors (rules X1 to X4): what stopped a running model, or kept it from starting."""

from __future__ import annotations

from petri.wording.entry import Wording

WHEN_AND_WHERE = ("at time {time}, as transition `{transition}` was to fire", "with {binding}")


def stopped(message: str, *hints: str) -> Wording:
    """A failure of one firing: the notes tell its time, transition and binding."""
    return Wording(message, *hints, notes=WHEN_AND_WHERE)


WORDING: dict[str, Wording] = {
    "int-overflow": stopped(
        "this whole number does not fit in 64 bits",
        "keep the value in range (`mod` wraps a counter), or compute with reals (`1.0 * n`)",
    ),
    "division-by-zero": stopped("this divides by zero", "guard it: `if n == 0 then … else …`"),
    "not-finite": stopped("this result is too large for a real number", "check the magnitudes that go into it"),
    "domain": stopped("`{function}` has no value at {argument}", "guard it, or limit the argument with `max`"),
    "bad-parameter": stopped(
        "`{distribution}` cannot be drawn with these parameters",
        "means and weights are not negative, `erlang` wants 1 to 10000 stages, `pareto` a shape above 1, "
        "`lognormal` a mean above 0, `uniform(a..b)` a <= b",
    ),
    "negative-time": stopped(
        "the firing time is negative: {duration}", "a firing cannot end before it starts; limit it with `max(0, …)`"
    ),
    "negative-count": stopped("the number of tokens is negative: {count}", "limit it with `max(0, …)`"),
    "index-range": stopped(
        "there is no place number {index} (counted from 0) in this array of {size}",
        "check the index against the array's range",
    ),
    "colour-range": stopped(
        "{value} is outside the colour set of place `{place}`",
        "widen the place's type, or keep the value in range (`mod` wraps a counter)",
    ),
    "instant-limit": Wording(
        "more than {limit} firings at one instant: time does not move",
        "the loop is made of {transitions:and}: put a firing time (`takes …`) into it, or a guard that ends it",
        "if the net is meant to fire so often at once, raise the limit with `--max-instant`",
        notes=("at time {time}",),
    ),
    "token-limit": stopped(
        "the net would hold more than {limit} tokens",
        "something is produced faster than it is consumed: give the place a capacity (`cap`), or slow the source",
        "if the net is meant to hold so many, raise the limit with `--max-tokens`",
    ),
    "net-refused": Wording(
        "the engine cannot run this net: {reason}",
        "if the net comes from a file, the file is damaged or was changed: run the experiment again",
        "if a program made it, correct what the message names; `petri/net.py` says what a flat net holds",
    ),
    "no-end": Wording(
        "the net does not say when a run ends",
        "write `run until 20 ms` in the net, or give `--until` (`--until dead` runs until nothing can happen any more)",
    ),
    "warmup-beyond-end": Wording(
        "the warm-up ({warmup}) does not end before the run ({until})", "shorten the warm-up or lengthen the run"
    ),
}
