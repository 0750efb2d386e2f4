"""Types, units and expressions."""

from __future__ import annotations

from petri.wording.entry import Replace, Wording

WORDING: dict[str, Wording] = {
    "type-mismatch": Wording(
        "`{text}` is {found}, but {wanted} is expected here",
        Replace("write `{suggestion}`"),
        "a plain number times `{unit}` is a time, and so is a parameter whose value has a unit",
        "`{division}` divides ints; `floor(x)` gives an int",
    ),
    "dimension-mismatch": Wording("`{left}` is {left_type}, but `{right}` is {right_type}", "write `{suggestion}`"),
    "time-unit-without-clock": Wording(
        "`{text}` needs a unit of time, but the time of this net is a plain number",
        "add the line `time {unit}`",
    ),
    "not-a-number": Wording("`{text}` is {kind}, not a number"),
    "not-ordered": Wording("values of {kind} have no order", "they can be compared with `==` and `!=`"),
    "whole-division": Wording(
        "`{operator}` needs ints, but `{text}` is {kind}",
        "`/` divides reals; `floor(x)` gives an int",
    ),
    "rounding-dimension": Wording(
        "`{name}` needs a plain number, but `{text}` is {kind}",
        "divide by a unit first, such as `{name}(x / 1 ns)`",
    ),
    "root-dimension": Wording("`{text}` is {kind}, which has no square root"),
    "argument-count": Wording("`{name}` got {given:argument}", "write `{usage}`"),
    "not-callable": Wording("`{text}` is not a function", "write `{factor} * (…)`"),
    "expression-too-large": Wording("the expression is too large", "name parts of it with `const`, `param` or `draw`"),
    "misplaced-expression": Wording("{what} is not allowed in {where}"),
    "word-as-value": Wording("`{word}` is not a value, so it is not allowed in {where}", "write {instead}"),
    "place-as-value": Wording(
        "`{name}` is a place, not a value",
        "`tokens({name})` is the number of its tokens; an input arc `{name}(x)` binds the value of one token",
    ),
    "instant-not-known": Wording(
        "`{word}` is not allowed in {where}",
        notes=("`now` can be used in draws, times, outputs and measures; `end` in outputs and measures",),
    ),
    "tokens-not-allowed": Wording("`tokens(…)` is not allowed in {where}"),
    "schedule-not-allowed": Wording(
        "the value of a schedule changes with time, which {where} cannot follow",
        "a place of black tokens follows it with the initial marking `NAME * token`",
        "instead of a capacity, count in a guard: `when tokens(ward) < beds`",
    ),
    "schedule-start": Wording(
        "the first value of a schedule holds from 0, not from `{text}`",
        "write what holds at first: `schedule staff = 2 from 0 h, 6 from 8 h every 24 h`",
    ),
    "schedule-order": Wording(
        "`{text}` is not after the time before it",
        "write the values in the order in which they hold; `every` ends the last",
    ),
    "schedule-time-of-module": Wording(
        "the times of a schedule do not depend on the parameters of a module",
        "its values may; use constants, or parameters of the net, for the times",
    ),
    "firings-not-allowed": Wording(
        "`firings(…)` is not allowed in {where}",
        "measures of the marking may use it: `share(firings(send) >= 2)`, `mean(…)`, `time_until(…)`",
        "what a net does depends on tokens alone: let each firing hold one, `free, … -> free, …`, and count those left",
    ),
    "draw-not-allowed": Wording(
        "random values cannot be drawn in {where}",
        "name the draw in the transition, `{here} x ~ …`, and use `x`",
        "to choose at random, write two transitions, each with a `{weight}`",
        "to compare a random value, `{earlier} x ~ …` in the transition before, and store x in the token",
        notes=("distributions are only allowed in `takes`, `after` and `draw`",),
    ),
    "dist-called": Wording("the distribution `{name}` takes no arguments", Replace("write `{name}`")),
    "draw-of-record": Wording(
        "a draw must be a number, a bool or a value of an enumeration, not a record or a list",
        "draw its parts one by one",
    ),
    "drawn-later": Wording(
        "`{draw}` is not drawn yet, so {where} cannot use it",
        "draws are made in the order written: write `{first}` first",
        "`{fired}` is drawn when the transition fires, after its clock has run down; write its distribution in `after`",
        "`{early}` is drawn when the firing starts; draw it in the transition before, and store it in the token",
        "to choose at random without `{early}`, write two transitions, each with a `weight`",
        notes=("`{name}` is computed from `{draw}`",),
    ),
    "drawn-twice": Wording("`{name}` is drawn twice", "give the second draw another name"),
    "uniform-needs-range": Wording("`uniform` needs a range", "write `uniform(a..b)`"),
    "choice-needs-weights": Wording(
        "`choice` needs values with weights", "write `choice(64 B: 7, 1518 B: 1)`", notes=("`{text}` has no weight",)
    ),
    "choice-of-records": Wording("`choice` takes numbers, bools or values of an enumeration, not records"),
    # lists
    "list-of-scalars": Wording("a list holds numbers, bools or values of an enumeration, not {kind}"),
    "index-of-no-list": Wording(
        "`{text}` is {kind}, not a list or a vector", "a list is declared as a constant: `const quota = [4, 1, 1]`"
    ),
    "list-index": Wording("there is no element {index}: the elements are 0 to {last}"),
    "empty-list": Wording("there is nothing in this range to list or to add up"),
    "too-many-elements": Wording("these are {count:value}; a list has at most {limit}"),
    "too-much-repeated": Wording(
        "what is read for each element of vectors, lists and ranges is read more than {limit} times",
        "use shorter ranges, and fewer of them within others",
    ),
    "not-each": Wording(
        "`{name}` in an expression is of the elements of a vector or a list, or of the values of a range",
        "write `{usage}`, or `{name}(i in 0..3: …)`",
    ),
    "nothing-to-count": Wording(
        "`{text}` is {kind}: it has no elements", "`x in` is followed by a vector, a list, a range or a type"
    ),
    "vector-type": Wording(
        "this is not a type of vectors",
        "write the name of the elements' type, and how many there are: `State[4]`, `State[0..3]`, `State[Proc]`",
        "elements that are records or numbers of a range: declare their type first, `type Count = 0..7`",
    ),
    "vector-from-zero": Wording("the elements of a vector are numbered from 0, not from {low}", "write `0..…`"),
    "vector-empty": Wording("a vector has at least one element"),
    "vector-too-long": Wording(
        "the vector contains {values:value}; a token has at most {limit}",
        "put the elements into tokens of their own, each with its index: `place cell : { i: int, … }`",
    ),
    "length-not-constant": Wording(
        "the length of a vector, and a range in an expression, are constants of the net: they cannot depend on the "
        "parameters of a module or on the indices of an array",
        "use a `param` or a `const` outside of the module",
    ),
    "vector-length": Wording(
        "{kind} has {wanted:element}, but here are {given}",
        "`[… for i in 0..n-1]` gives one for each index",
    ),
    "element-of-no-vector": Wording("this is {kind}, not a vector, so it has no elements"),
    "element-alone": Wording(
        "a new record needs all elements of `{name}`",
        "write `{name}: [a, b, c]`, or `{name}: [… for i in 0..n-1]`; a single element is changed with `with`",
    ),
    "element-not-constant": Wording(
        "the index in a pattern is a constant of the net",
        "bind the vector, as in `{{s}}`, and test its element in the guard: `when s[p] == shared`",
    ),
    "stream-vector": Wording(
        "the tokens of `{name}` contain a vector, but a row of a file fills single fields",
        "take the row into a record of single fields, and let a transition make the vector: `[a, b, c]`",
    ),
    "list-needs-file": Wording(
        "`list` takes a file, and perhaps the title of a column", 'write `list("costs.csv", "cycles")`'
    ),
    "length-of-place": Wording("`{name}` is a place, not a list", "the number of its tokens is `tokens({name})`"),
    # records
    "no-fields": Wording("`{text}` is {kind}, which has no field `{field}`"),
    "record-type-unknown": Wording(
        "the type of this record is unknown here", "write the name of its type: `Packet(…)`"
    ),
    "record-not-wanted": Wording("this is a record, but {wanted} is expected here"),
    "fields-missing": Wording(
        "{kind} also needs {names:and}", "to change some fields of a record `p`, write `p with {{…}}`"
    ),
    "field-count": Wording(
        "`{kind}` has {wanted:field}, but {given} are given", notes=("its fields are {fields:and}",)
    ),
    "not-a-record-type": Wording("`{name}` is {kind}, which has no fields"),
    "with-on-scalar": Wording("`with` changes fields of a record, but `{text}` is {kind}"),
    "type-too-deep": Wording(
        "types nest more than {limit} deep here", "put the fields of the inner types into one record"
    ),
    "record-too-large": Wording("the record contains more than {limit} values"),
    "token-field": Wording(
        "the field `{field}` cannot be a `token`", "a field must be a number, a bool, an enumeration or a record"
    ),
    "constant-not-scalar": Wording("expected a number, a bool or a value of an enumeration, not {kind}"),
    # constants
    "constant-overflow": Wording("the value is out of range: {reason}"),
    "constant-zero-division": Wording("division by zero"),
    "constant-domain": Wording("`{function}` is not defined at {argument}"),
    "distribution-parameter": Wording("the parameter {parameter} of `{distribution}` must be {wanted}, not {value}"),
    "choice-weights": Wording("the weights of a `choice` must be at least 0, and not all 0"),
    "empty-range": Wording("the range {low}..{high} is empty", "write the smaller bound first"),
    "value-outside": Wording(
        "{value} is not in {low}..{high}",
        notes=("this is the range of `{name}`", "the field is `{field}`"),
    ),
    "index-of-no-type": Wording(
        "no index can run over the values of `{name}`",
        "an index runs over a range, `0..3`, an enumeration, `gold | silver`, or a type that is a range",
    ),
    "index-not-int": Wording("an index must be an int, not {kind}"),
}

LABELS: dict[str, str] = {
    "left-side": "{left_type}",
    "right-side": "{right_type}",
    "drawn-here": "drawn here",
    "scheduled-here": "declared here",
    "waits-too": "and this",
}
