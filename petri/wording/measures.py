"""Measures and expectations."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    "not-a-measure": Wording(
        "`{text}` is nothing that can be measured",
        "measures are such as `rate(send)`, `mean(queue)`, `now - p.born at send`, and arithmetic over them",
    ),
    "bare-in-measure": Wording(
        "`{name}` is {kind}; what of it is to be measured?", "write `mean({name})`, `rate({name})` or the like"
    ),
    "unknown-measure-function": Wording(
        "there is no measure `{name}`",
        "did you mean `{suggestion}`?",
        "instead: {instead}",
        notes=("there are {known:and}",),
    ),
    "measure-too-large": Wording(
        "with the measures that it uses, the formula has more than {limit} operations",
        "a measure is written out wherever it is used; use fewer of the other measures here",
    ),
    "measure-too-deep": Wording(
        "with the measures that it uses, the formula nests more than {limit} deep",
        "let each measure use places and transitions rather than the measure before it",
    ),
    "measures-too-large": Wording(
        "the formulas of the measures have more than {limit} figures of places and transitions",
        "a measure over a whole array counts each element wherever it is used; measure fewer elements",
    ),
    "measure-usage": Wording("`{name}` is not written like this", "write `{usage}`"),
    "unknown-target": Wording("there is no `{name}`, where {wanted} is wanted", "did you mean `{suggestion}`?"),
    "wrong-target": Wording("`{text}` is {kind}, but {wanted} is wanted here", "of {kind} there are {figures:and}"),
    "not-a-path": Wording("`{text}` is no name of {wanted}", "names are such as `send`, `link[2]`, `engine[*].alu`"),
    "nothing-inside": Wording("`{name}` is {kind}: there is no `{inside}` in it"),
    "measure-of-instance": Wording(
        "`{text}` is an instance, but {wanted} is wanted here", "name something in it: {inside:or}"
    ),
    "measure-of-port": Wording("`{text}` is a port", "measure the place that it is connected to"),
    "measure-of-array": Wording("`{name}` is an array", "write `{suggestion}` for all of it, or an index for one"),
    "index-on-single": Wording("`{name}` is no array of that many dimensions"),
    "no-such-element": Wording("there is no `{text}` in this net"),
    "star-in-probe": Wording(
        "`{text}` is many, but this measure is of one place or transition", "write an index instead of `*`"
    ),
    "not-an-event": Wording(
        "`{text}` is no event", "an event is a transition, `send`, or a place with names for its tokens, `wire(p)`"
    ),
    "equality-in-event": Wording(
        "`{text}` is no fresh name", "in an event, a place's pattern only names parts of the token"
    ),
    "keys-differ": Wording(
        "the keys at both ends are of different types, {start} and {end}", "write `by key_at_start -> key_at_end`"
    ),
    "measure-without-fields": Wording(
        "`{name}` is one figure and has no parts",
        "figures such as `p99` are of measures with `at`, `time(…)` and `reorder(…)`",
    ),
    "no-such-figure": Wording(
        "`{name}` has no figure `{field}`", "did you mean `{suggestion}`?", notes=("there are {known:and}",)
    ),
    "record-needs-sample": Wording(
        "`{name}` is one figure, so `{field}` of it cannot be recorded",
        "`record` is for measures with `at`, `time(…)` and `reorder(…)`; `record series(1 ms)` goes with any",
    ),
    "not-recordable": Wording("`{text}` cannot be recorded", "write `mean`, `p99`, `histogram` or `series(1 ms)`"),
    "window-not-positive": Wording("the length of a window must be greater than 0"),
    "expect-of-nothing": Wording(
        "there is no measure before this `expect`", "write what is expected: `expect loss < 0.01`"
    ),
    "within-without-equality": Wording("`within` goes with `==`, not with `{comparison}`", "leave it out"),
}

LABELS: dict[str, str] = {}
