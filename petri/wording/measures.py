"""Measures and expectations."""

from __future__ import annotations

from petri.wording.entry import Replace, Wording

WORDING: dict[str, Wording] = {
    "function-of-figures": Wording(
        "`{name}` does more with a figure than `+ - * /`, `min` and `max`",
        "apply it to the values of each firing: `{name}(…) at transition`, `rate(transition, {name}(…))`",
    ),
    "not-a-measure": Wording(
        "`{text}` cannot be measured",
        "examples of measures: `rate(send)`, `mean(queue)`, `now - p.born at send`, and arithmetic on them",
    ),
    "count-in-measure": Wording(
        "`{text}` changes in time, and a measure must say what of it",
        "write `mean({text})`, `max({text})` or `share({text} > 0)`",
    ),
    "firings-of-clock": Wording(
        "`{name}` has `after`: its firings take no time, so none is ever in progress",
        "count the tokens of its input places, for which its clocks run",
    ),
    "marking-not-number": Wording(
        "`{text}` is {kind}, and no number that can be averaged", "for the share of time that it holds: `{instead}`"
    ),
    "bare-in-measure": Wording(
        "`{name}` is {kind}; which figure of it?", "write for example `mean({name})` or `rate({name})`"
    ),
    "unknown-measure-function": Wording(
        "there is no measure `{name}`",
        "did you mean `{suggestion}`?",
        "use {instead}",
        notes=("the measures are {known:and}",),
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
        "the formulas of the measures have more than {limit} operations and figures of places and transitions",
        "a measure over a whole array counts each element wherever it is used; measure fewer elements",
    ),
    "measure-usage": Wording("this is not how `{name}` is used", "write `{usage}`"),
    "splitting-of-other": Wording(
        "only a probability and a share of time are split, and `{text}` is neither",
        "write `probability(tokens(place) == 8 before tokens(place) == 0) splitting on tokens(place)`",
        "write `share(tokens(place) == 8) splitting on tokens(place)`",
    ),
    "splitting-on-other": Wording(
        "`{text}` is {kind}: trials are split on a number that says how near they have come",
        "write for example `splitting on tokens(place)`",
    ),
    "splitting-on-constant": Wording(
        "`{text}` never changes, so that it does not say how near a trial has come",
        "write for example `splitting on tokens(place)`",
    ),
    "probability-with-stream": Wording(
        "this needs many trials from time 0, but the rows of `{place}` are a recording, which is read once",
        "draw what arrives, for example with `takes exp(…)` and `table(…)`",
    ),
    "within-not-positive": Wording("the time within which something is to happen must be positive"),
    "probability-setting": Wording(
        "trials have no setting `{text}`", "their settings are {known:and}, such as `precision: 5%`"
    ),
    "trials-and-precision": Wording("{given:and} say how many trials there are", "keep one of them"),
    "trials-range": Wording("the number of trials must be from 1 to {limit}, not {value}"),
    "trials-precision": Wording(
        "the precision must be from 0.01% to less than 100%, not {value}",
        "`precision: 5%` goes on until the half-width is at most 5 % of the estimate",
    ),
    "quantile-share": Wording("a quantile is from 0 to 1, as `0.95` or `95%`, not {value}"),
    "quantile-in-formula": Wording(
        "a quantile is of all replications, and a formula is computed in each",
        "write the formula within it, `quantile(2 * time_until(…), 95%)`, and give it a measure of its own",
    ),
    "trials-error": Wording(
        "the error must be from 1e-9 to 5%, not {value}",
        "`error: 1%` goes on until it is decided whether the probability is as expected",
    ),
    "nothing-to-decide": Wording(
        "`error` says how surely an expectation is decided, but nothing is expected of this probability",
        "write for example `expect < 1e-6` below the measure",
    ),
    "reorder-setting": Wording(
        "`reorder` has no setting `{text}`", "its settings are {known:and}, such as `displacement: 8`"
    ),
    "reorder-setting-twice": Wording("`{text}` is set twice"),
    "reorder-threshold": Wording("the threshold `{name}` must be from 1 to {limit}, not {value}"),
    "unknown-target": Wording(
        "there is no `{name}`; expected {wanted}", Replace("did you mean `{suggestion}`?", of="name")
    ),
    "wrong-target": Wording("`{text}` is {kind}, but {wanted} is expected here", "for {kind} there are {figures:and}"),
    "not-a-path": Wording("`{text}` is not a name of {wanted}", "names look like `send`, `link[2]`, `engine[*].alu`"),
    "nothing-inside": Wording("`{name}` is {kind}: there is no `{inside}` in it"),
    "measure-of-instance": Wording(
        "`{text}` is an instance, but {wanted} is expected here", "name a part of it: {inside:or}"
    ),
    "measure-of-port": Wording("`{text}` is a port", "measure the place connected to it"),
    "measure-of-array": Wording("`{name}` is an array", "write `{suggestion}` for all elements, or an index for one"),
    "measures-of-array": Wording(
        "`{name}` is an array of measures",
        "name one of them, by a value of {indices:and}: `{name}[…]`",
        "write `max(…)`, `min(…)`, `mean(…)` or `sum(…)` of `{all}`, for all of them",
    ),
    "measures-of-all": Wording(
        "`{text}` are several measures",
        "name one of them, by an index instead of `*`",
        "write `max({text})`, or `min`, `mean`, `sum` of them",
    ),
    "too-many-measures": Wording("an array has more than {limit} measures"),
    "measures-too-many": Wording(
        "the net has more than {limit} measures", "a measure of a module is one for each instance; use fewer of them"
    ),
    "unit-of-other-dimension": Wording("`{unit}` is a unit of {kind}, but `{name}` is {found}"),
    "stop-condition": Wording(
        "a run ends at one comparison of figures",
        "write for example `run until count(send) >= 1000`, or `run until max(queue) >= 50`",
    ),
    "run-precision": Wording(
        "`{text}` is not a precision", "write the half-width as a share of the mean, from 0 to 1: `precision 2%`"
    ),
    "index-on-single": Wording("`{name}` does not have that many indices"),
    "no-such-element": Wording("there is no `{text}` in this net"),
    "star-in-probe": Wording(
        "`{text}` is several elements, but this measure applies to one place or transition",
        "write an index instead of `*`",
    ),
    "not-an-event": Wording(
        "`{text}` is not an event", "an event is a transition, `send`, or a place with names for its tokens, `wire(p)`"
    ),
    "equality-in-event": Wording(
        "`{text}` is not a new name", "in an event, the pattern of a place only names parts of the token"
    ),
    "keys-differ": Wording(
        "the keys at the two ends have different types, {start} and {end}", "write `by key_at_start -> key_at_end`"
    ),
    "measure-without-fields": Wording(
        "`{name}` is one figure and has no parts",
        "only measures with `at`, `time(…)` and `reorder(…)` have figures such as `p99`",
    ),
    "series-not-recorded": Wording(
        "`{name}` records no series", "add `record series(1 ms)` to it, with the length of a window"
    ),
    "no-such-figure": Wording(
        "`{name}` has no figure `{field}`",
        Replace("did you mean `{suggestion}`?", of="field"),
        notes=("its figures are {known:and}",),
    ),
    "record-needs-sample": Wording(
        "`{name}` is a single figure, so its `{field}` cannot be recorded",
        "`record` is for measures with `at`, `time(…)` and `reorder(…)`; `record series(1 ms)` works with any measure",
    ),
    "not-recordable": Wording("`{text}` cannot be recorded", "write `mean`, `p99`, `histogram` or `series(1 ms)`"),
    "window-not-positive": Wording("the length of a window must be greater than 0"),
    "expect-of-nothing": Wording(
        "there is no measure before this `expect`", "name what is expected: `expect loss < 0.01`"
    ),
    "within-without-equality": Wording("`within` can only be used with `==`, not with `{comparison}`", "remove it"),
}
