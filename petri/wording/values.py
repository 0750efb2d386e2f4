"""Types, units and expressions."""

from __future__ import annotations

from petri.wording.checks import IN_INSTANCE
from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    "type-mismatch": Wording(
        "`{text}` is {found}, but {wanted} is wanted here",
        "write `{suggestion}`",
        "a plain number times `{unit}` is a time; so is a parameter that is given with its unit",
    ),
    "dimension-mismatch": Wording("`{left}` is {left_type}, `{right}` is {right_type}: they do not go together"),
    "time-unit-without-clock": Wording(
        "`{text}` needs a unit of time, but this net has none: its time is a plain number",
        "add the line `time {unit}`",
    ),
    "not-a-number": Wording("`{text}` is {kind}, not a number"),
    "not-ordered": Wording("values of {kind} have no order", "they can be compared with `==` and `!=`"),
    "whole-division": Wording(
        "`{operator}` is for whole numbers, but `{text}` is {kind}",
        "`/` is the division of reals; `floor(x)` gives a whole number",
    ),
    "rounding-dimension": Wording(
        "`{name}` needs a plain number, but `{text}` is {kind}",
        "divide by a unit first, such as `{name}(x / 1 ns)`",
    ),
    "root-dimension": Wording("`{text}` is {kind}, which has no square root"),
    "argument-count": Wording("`{name}` is given {given:argument}", "write `{usage}`"),
    "not-callable": Wording("`{text}` is no function"),
    "expression-too-large": Wording("the expression is too large", "name parts of it with `const`, `param` or `draw`"),
    "misplaced-expression": Wording("{what} cannot stand in {where}"),
    "word-as-value": Wording("`{word}` is no value, so it cannot stand in {where}", "write {instead}"),
    "place-as-value": Wording(
        "`{name}` is a place, not a value",
        "`tokens({name})` is the number of its tokens; an input arc `{name}(x)` names the value of one",
    ),
    "instant-not-known": Wording(
        "`{word}` cannot stand in {where}",
        notes=("`now` is known in draws, firing times, outputs and measures; `end` in outputs and measures",),
    ),
    "tokens-not-allowed": Wording("`tokens(…)` cannot stand in {where}"),
    "draw-not-allowed": Wording(
        "nothing can be drawn in {where}",
        "name the draw in the transition, `draw x ~ …`, and use `x`",
        notes=("distributions stand in `takes` and `draw` only",),
    ),
    "dist-called": Wording("the distribution `{name}` takes no arguments", "write `{name}`"),
    "draw-of-record": Wording(
        "a draw is a number, a bool or a value of an enumeration, not a record", "draw its fields one by one"
    ),
    "drawn-twice": Wording("`{name}` is drawn twice", "give the second draw another name"),
    "uniform-needs-range": Wording("`uniform` needs a range", "write `uniform(a..b)`"),
    "choice-needs-weights": Wording(
        "`choice` needs values with weights", "write `choice(64 B: 7, 1518 B: 1)`", notes=("`{text}` has no weight",)
    ),
    "choice-of-records": Wording("`choice` is of numbers, bools or values of an enumeration, not of records"),
    # records
    "no-fields": Wording("`{text}` is {kind}, which has no field `{field}`"),
    "record-type-unknown": Wording(
        "the type of this record cannot be told from here", "write its type's name: `Packet(…)`"
    ),
    "record-not-wanted": Wording("a record, but {wanted} is wanted here"),
    "fields-missing": Wording(
        "{kind} needs {names:and} as well", "to change some fields of a record `p`: `p with {{…}}`"
    ),
    "field-count": Wording(
        "`{kind}` has {wanted:field}, but {given} are given", notes=("its fields are {fields:and}",)
    ),
    "not-a-record-type": Wording("`{name}` is {kind}, which has no fields"),
    "with-on-scalar": Wording("`with` changes fields of a record, but `{text}` is {kind}"),
    "type-too-deep": Wording(
        "types nest more than {limit} deep here", "put the fields of the inner types into one record"
    ),
    "record-too-large": Wording("the record has more than {limit} numbers in it"),
    "token-field": Wording(
        "the field `{field}` cannot be a `token`", "a field is a number, a bool, an enumeration or a record"
    ),
    "constant-not-scalar": Wording("a number, a bool or a value of an enumeration is wanted here, not {kind}"),
    # constants
    "constant-overflow": Wording("the value is out of range: {reason}", notes=IN_INSTANCE),
    "constant-zero-division": Wording("division by zero", notes=IN_INSTANCE),
    "constant-domain": Wording("`{function}` of {argument} does not exist", notes=IN_INSTANCE),
    "distribution-parameter": Wording(
        "the parameter {parameter} of `{distribution}` must be {wanted}, not {value}", notes=IN_INSTANCE
    ),
    "choice-weights": Wording("the weights of a `choice` are at least 0, and not all of them are 0", notes=IN_INSTANCE),
    "empty-range": Wording(
        "the range {low}..{high} is empty", "a range goes from the smaller to the greater", notes=IN_INSTANCE
    ),
    "value-outside": Wording(
        "{value} is not in {low}..{high}",
        notes=("these are the values of `{name}`", "the field is `{field}`", *IN_INSTANCE),
    ),
    "index-not-int": Wording("indices are whole numbers, not {kind}"),
}

LABELS: dict[str, str] = {
    "left-side": "{left_type}",
    "right-side": "{right_type}",
    "drawn-here": "drawn here",
    "waits-too": "and this",
}
