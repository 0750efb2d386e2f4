"""Searches for the largest value at which a condition holds, and the study of RFC 2544."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    # ---------------------------------------------------------------- the condition
    "search-condition": Wording(
        "`{text}` is not a condition",
        "write a measure, a comparison and a number, such as 'loss == 0'; join several with `and`: "
        "'loss <= 1% and delay.p99 < 10 us'",
    ),
    "search-sign": Wording(
        "`{sign}` in `{text}` is not a comparison", "write `{suggestion}`", "the comparisons are {known:and}"
    ),
    "search-of-parameter": Wording(
        "`{name}` is a parameter: its value is known before a run",
        "a condition compares what a run measures: {measures:or}",
    ),
    "search-two-measures": Wording(
        "`{text}` compares two measures, and `{name}` has no fixed value",
        "declare their difference or their quotient as a measure of the net, and compare it with a number",
    ),
    # ---------------------------------------------------------------- the parameter and its range
    "search-not-numeric": Wording(
        "`{name}` is {kind}: there is nothing between its values",
        "use `pnsim sweep NET --grid {name}=…`",
        notes=("the parameters that are numbers are {numbers:and}",),
    ),
    "search-range": Wording(
        "`{text}` is not a range", "write both ends, such as 0.5..1 or 1..5 Gbps; the condition holds at the first"
    ),
    "search-one-value": Wording("the range `{text}` has only one value", "write two ends, such as 0.5..1"),
    "search-whole": Wording("the parameter takes whole numbers, and `{text}` has others", "write such as 1..1000"),
    "search-resolution": Wording(
        "`{text}` is not a resolution",
        "write a share of the greater end of the range such as 1%, or a length such as 0.01 or 10 Mbps",
    ),
    "search-resolution-unit": Wording(
        "the resolution `{text}` does not have the unit of the range, which is `{unit}`",
        "write it in that unit, or as a share such as 1%",
    ),
    "search-two-resolutions": Wording(
        "the range `{text}` already says which values are tried", "leave `step` or `times` out, or the resolution"
    ),
    "search-too-fine": Wording("a resolution of `{text}` makes too many values", "write a larger one"),
    "search-confidence": Wording("`{text}` is not a confidence", "write a share between 0 and 100%, such as 95%"),
    "search-option-missing": Wording(
        "`{option}` is missing", "write, for example: pnsim search NET --find load --in 0.5..1 --while 'loss == 0'"
    ),
    "search-of-sweep": Wording(
        "the experiment has no `search`",
        "run it with `pnsim sweep {path}`, or add `search: {{find: load, in: 0.5..1, while: loss == 0}}`",
    ),
    "experiment-is-search": Wording("the experiment is a search", "run it with `pnsim search {path}`"),
    "search-key": Wording("`{name}` has no meaning in a search", notes=("{reason}",)),
    # ---------------------------------------------------------------- what was found
    "search-fails-at-start": Wording(
        "`{condition}` does not hold at the first end of the range, {value}: {reason}",
        "begin the range {begin}",
        "it holds at the other end: write the range the other way round: {turned}",
        notes=("at {point}",),
    ),
    "search-holds-to-end": Wording(
        "`{condition}` still holds at the last end of the range, {value}",
        "the value searched for lies beyond: extend the range",
        notes=("at {point}",),
    ),
    "search-uncertain": Wording(
        "{values:and:} could not be decided in {count:replication}: the answer is right with a probability of {share} "
        "only",
        "allow more (--max-replications), make the runs longer (--until), or choose a coarser resolution",
        notes=("at {point}",),
    ),
    "search-grows": Wording(
        "at {value} `{condition}` holds in these runs, but `{place}` still grows at their end, from {early} to {late} "
        "on average: the value counts as failing",
        "make the runs longer (--until) to see it fail; or the warm-up, if `{place}` only fills at the start",
        notes=("at {point}",),
    ),
    "search-interrupted": Wording(
        "interrupted; {count:value} decided", notes=("so far it lies between {low} and {high}",)
    ),
    # ---------------------------------------------------------------- RFC 2544
    "rfc-role-missing": Wording(
        "the net `{net}` has no {kind} that says what the {role} is",
        "name it with `--{role} NAME`: its {kind}s are {known:and}",
        "declare one with a usual name: {usual:or}",
    ),
    "rfc-range-down": Wording("the range `{text}` of loads begins with the greater", "write the smaller end first"),
    "rfc-missing": Wording(
        "the experiment has no `rfc2544`",
        "add `rfc2544: {{sizes: [64, 512, 1518]}}`, or run it with `pnsim sweep {path}`",
    ),
    "experiment-is-rfc": Wording("the experiment is a study of RFC 2544", "run it with `pnsim rfc2544 {path}`"),
    "rfc-sizes": Wording("`--sizes {text}` has no sizes", "write such as --sizes 64,512,1518"),
}
