"""Places, arcs and the clauses of transitions."""

from __future__ import annotations

from petri.wording.checks import IN_INSTANCE
from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    # places
    "initial-of-black": Wording(
        "`{name}` holds black tokens, which have no value",
        "write `{suggestion}`",
        "black tokens are `token` or `3 * token`; a place of values has a type, `place {name} : int`",
    ),
    "initial-black-in-coloured": Wording(
        "`{name}` holds {kind}, not black tokens", "write a value, such as `{name} : … = 0`"
    ),
    "initial-ambiguous": Wording(
        "`{left} * {right}` can be one token or {left} of them",
        "write `({left} * {right})` for one token of that value",
        "write `{left} * ({right})` for {left} tokens of value {right}",
    ),
    "initial-over-capacity": Wording(
        "`{name}` starts with {held:token}, but its capacity is {capacity}", notes=IN_INSTANCE
    ),
    "all-of-infinite": Wording(
        "`all` needs a type with finitely many values, but `{name}` holds {kind}",
        "such are ranges (`0..7`), bool, enumerations, and records of these",
    ),
    "all-too-many": Wording("`all` would be {values:token}; the limit is {limit}"),
    "too-many-tokens": Wording("`{name}` starts with more than {limit:token}"),
    "too-many-valued": Wording(
        "with those of `{name}` the places of the net start with more than {limit:token} that have values",
        "tokens without values are only counted: those of places without a type do not add to this",
    ),
    "capacity-negative": Wording("a capacity cannot be {value}", notes=IN_INSTANCE),
    "key-of-black": Wording("`{name}` holds black tokens, which have no key to order them by"),
    "key-not-number": Wording("a key is a number, not {kind}", "name a field, such as `by seq`"),
    # which place
    "arc-not-place": Wording(
        "`{text}` is no place", "an arc is a place with a pattern or a value, such as `queue(p)` or `2 * credit`"
    ),
    "place-of-instance": Wording(
        "`{text}` is inside an instance; arcs cannot reach into it",
        "give the module a port, and connect it to a place out here",
    ),
    "array-without-index": Wording("`{name}` is an array of places", "write `{name}[i]`"),
    "index-on-place": Wording("`{name}` is one place, not an array"),
    "index-not-constant": Wording(
        "the place of {where} must be known beforehand",
        "an index of constants, parameters and loop variables is; only an output may compute its place from a token",
    ),
    "index-outside": Wording("there is no `{name}[{index}]`: its indices are {low}..{high}", notes=IN_INSTANCE),
    "place-missing": Wording("the array `{name}` is empty", notes=IN_INSTANCE),
    "star-outside-measure": Wording("`[*]` stands for all elements in measures only", "write an index"),
    # input arcs
    "too-many-arcs": Wording(
        "`{name}` has {arcs:arc} on its input side; the limit is {limit}",
        "several tokens of one place are one arc, `3 * place`",
    ),
    "no-input": Wording(
        "`{name}` takes no token, so it would fire without end",
        "give it a place to take from and give back to: `place idle = token`   `transition {name}: idle -> idle, …`",
    ),
    "pattern-on-black": Wording("`{name}` holds black tokens, which have no value", "write it without parentheses"),
    "one-pattern": Wording(
        "`{name}` holds one value in each token, so there is one in the parentheses", "write `{suggestion}`"
    ),
    "binding-cycle": Wording(
        "{names:and} wait for one another: no order of the arcs binds them before they are used",
        "a variable is bound where its name stands alone; move one of the expressions to `when`",
    ),
    "drawn-in-pattern": Wording(
        "`{name}` is drawn when the firing starts; which tokens are taken is settled before that",
        "draw it in the transition before, and keep it in the token",
    ),
    "unbound-in-no": Wording(
        "`{name}` is bound nowhere: an arc with `no` binds nothing",
        "write `_` for any value, or bind `{name}` in an arc that takes or reads",
    ),
    "count-on-coloured": Wording(
        "an arc takes one token of `{name}`, which holds {kind}",
        "write an arc for each: `{name}(a), {name}(b)`",
    ),
    "count-after-place": Wording("in `{text}` the number stands behind the place", "write `2 * place`"),
    "count-with-no": Wording("with `no` the number is a threshold", "write `no place >= {count}`"),
    "count-negative": Wording("a number of tokens cannot be {value}", notes=IN_INSTANCE),
    "threshold-without-no": Wording(
        "`{text}` compares, but an arc takes", "a guard does: `when tokens(place) >= 3`", "to forbid: `no place >= 3`"
    ),
    "threshold-comparison": Wording(
        "a threshold is written with `>=`, not `{operator}`", "write `no place >= 3`: fewer than 3 tokens"
    ),
    "reset-takes-all": Wording(
        "`reset` empties the whole place: neither a number nor a pattern", "write `reset place`"
    ),
    # outputs and clauses
    "value-missing": Wording("`{name}` holds {kind}, and no value is given", "write `{name}(…)`"),
    "ignored-in-output": Wording("`_` is no value to put in `{name}`", "write the value"),
    "capacity-uncertain": Wording(
        "`{name}` has a capacity, so the {what} may not depend on {word}",
        "whether there is room must be known before the firing starts; use an immediate transition after it",
        notes=IN_INSTANCE,
    ),
    "time-negative": Wording("a firing time cannot be {value}", notes=IN_INSTANCE),
    "weight-not-positive": Wording("a weight must be greater than 0, not {value}", notes=IN_INSTANCE),
    "priority-range": Wording("the priority {value} is out of range", notes=IN_INSTANCE),
}

LABELS: dict[str, str] = {}
