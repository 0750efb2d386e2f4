"""Places, arcs and the clauses of transitions."""

from __future__ import annotations

from petri.wording.entry import Replace, Wording

WORDING: dict[str, Wording] = {
    # places
    "initial-of-black": Wording(
        "`{name}` holds black tokens, which have no value",
        Replace("write `{suggestion}`"),
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
    "initial-over-capacity": Wording("`{name}` starts with {held:token}, but its capacity is {capacity}"),
    "line-over-capacity": Wording(
        "`{name}` starts with {held:token} of one key, but its capacity is {capacity} for each"
    ),
    "all-of-infinite": Wording(
        "`all` needs a type with finitely many values, but `{name}` holds {kind}",
        "finite types are ranges (`0..7`), bool, enumerations, and records of these",
    ),
    "all-too-many": Wording("`all` would make {values:token}; the limit is {limit}"),
    "too-many-tokens": Wording("`{name}` starts with more than {limit:token}"),
    "too-many-valued": Wording(
        "with `{name}`, the places of the net start with more than {limit:token} that have values",
        "tokens of places without a type have no values and do not count towards this limit",
    ),
    "capacity-negative": Wording("a capacity cannot be {value}"),
    "capacity-of-what": Wording(
        "`{text}` is {kind}, but a capacity is a number of tokens, unless it says what each of them counts",
        "write `{suggestion}`",
    ),
    "key-of-black": Wording("`{name}` holds black tokens: they have no value of which to make {what}"),
    "key-not-number": Wording(
        "{what} must be a number, not {kind}",
        "name a field, such as `by seq`, `cap 32 KB of size` or `mean(queue, size)`",
    ),
    "token-has-no-name": Wording(
        "`{name}` is not declared: in {what}, the fields of the token are names", Replace("write `{field}`")
    ),
    "per-of-bag": Wording(
        "`{name}` shows all its tokens in any case: it is a `bag`",
        "write `fifo per {text}` to show the oldest token of each key (other disciplines can have a key as well)",
    ),
    "per-of-weight": Wording(
        "`{name}` has a capacity for each key, which is a number of tokens, not a sum of weights",
        "write `cap 8`; or leave `per` out, and make an array of places: `place {name}[0..3] … cap 32 KB of size`",
    ),
    "per-not-field": Wording(
        "`{text}` is not a field: after `per` are fields of the tokens, whose values make a key",
        "put the value into a field of its own",
        notes=("the fields are {names:and}",),
    ),
    # which place
    "arc-not-place": Wording(
        "`{text}` is not a place", "an arc is a place with a pattern or a value, such as `queue(p)` or `2 * credit`"
    ),
    "place-of-instance": Wording(
        "`{text}` is inside an instance, which arcs cannot reach",
        "give the module a port, and connect it to a place outside",
    ),
    "array-without-index": Wording("`{name}` is an array of places", "write `{form}`"),
    "index-on-place": Wording("`{name}` is one place, not an array"),
    "index-not-constant": Wording(
        "the place of {where} must be constant",
        "use constants, parameters and loop variables as its index; only an output may compute its place from a token",
    ),
    "index-outside": Wording("there is no `{name}[{index}]`: the indices of `{name}` are {low}..{high}"),
    "place-missing": Wording("the array `{name}` is empty"),
    "star-outside-measure": Wording("`[*]` may only be used in measures", "write an index"),
    # input arcs
    "too-many-arcs": Wording(
        "`{name}` has {arcs:input arc}; the limit is {limit}",
        "to take several tokens of one place, use one arc: `3 * place`",
    ),
    "no-input": Wording(
        "`{name}` takes no token, so it would fire forever",
        "let it fire `after` a time, or take a token and give it back: `place idle = token`   `transition {name}: "
        "idle -> idle, …`",
    ),
    "pattern-on-black": Wording("`{name}` holds black tokens, which have no value", "remove the parentheses"),
    "one-pattern": Wording(
        "a token of `{name}` has one value, so the parentheses must contain one", Replace("write `{suggestion}`")
    ),
    "binding-cycle": Wording(
        "{names:and} depend on each other: no order of the arcs binds them before they are used",
        "a name on its own binds a variable; move one of the expressions to `when`",
    ),
    "drawn-in-pattern": Wording(
        "`{name}` is drawn when the firing starts, but its tokens are chosen before that",
        "draw it in the transition before, and store it in the token",
    ),
    "unbound-in-no": Wording(
        "`{name}` is not bound: an arc with `no` binds nothing",
        "write `_` for any value, or bind `{name}` in an arc that takes or reads a token",
    ),
    "count-on-coloured": Wording(
        "an arc takes one token of `{name}`, which holds {kind}",
        "write one arc for each token: `{name}(a), {name}(b)`",
    ),
    "count-after-place": Wording("in `{text}` the number follows the place", "write `2 * place`"),
    "count-with-no": Wording("with `no` the number is a threshold", "write `no place >= {count}`"),
    "count-negative": Wording("a number of tokens cannot be {value}"),
    "threshold-without-no": Wording(
        "`{text}` is a comparison, but an arc takes tokens",
        "to require 3 tokens: `when tokens(place) >= 3`",
        "to forbid 3 tokens: `no place >= 3`",
    ),
    "threshold-comparison": Wording(
        "a threshold is written with `>=`, not `{operator}`", "write `no place >= 3` for fewer than 3 tokens"
    ),
    "reset-takes-all": Wording(
        "`reset` empties the whole place, so it has no number and no pattern", "write `reset place`"
    ),
    "keep-discipline": Wording(
        "tokens of `{name}` cannot be kept: it shows them in an order, and a kept one would stand in the way",
        "make `{name}` a `bag`, and choose with `prefer least …`",
    ),
    "keep-and-read": Wording(
        "a transition that takes or keeps tokens of `{name}` cannot read others of them, since some firing keeps tokens"
        " of `{name}`",
        "to require free tokens, take them and give them back",
        "to require a number of them, kept or not: `when tokens({name}) >= 3`",
    ),
    "keep-and-reset": Wording(
        "`{name}` cannot be emptied, since some firing keeps tokens of it",
        "take the free tokens one by one, in an immediate transition",
    ),
    "keep-and-all": Wording(
        "`all` cannot take the tokens of `{name}`, since some firing keeps tokens of it",
        "take the free tokens one by one, in an immediate transition",
    ),
    "all-twice": Wording(
        "a transition empties `{name}` twice, by `all` or `reset`",
        "write one `all {name}`, with a condition that joins both",
    ),
    "set-on-per": Wording(
        "`all` cannot look behind the tokens that `{name}` shows, one for each key",
        "make `{name}` a place without `per`",
    ),
    "set-not-known": Wording(
        "what `all` takes of `{name}` is not known in {where}: the firing takes it when it has started",
        "use it in a draw, the time or an output; to require tokens, `when tokens({name}) >= 3`",
    ),
    "set-of-later": Wording(
        "this depends on a draw, or on another count of what `all` takes, which are known only later",
        "use variables of the input arcs alone",
    ),
    "set-in-thread": Wording(
        "a step of a thread cannot have `{word}`: it takes tokens one by one", "write a transition for this"
    ),
    "value-of-set": Wording(
        "`{name}` belongs to each token that `all` takes, and there may be several of them",
        "use it in an output with `each`, or behind `when` of the arc; `count` and `sum` say what was taken",
    ),
    "each-of-nothing": Wording(
        "`each` gives one token for each that an arc `all` takes, and there is none",
        "write `all place(…)` before the `->`; or remove `each`",
    ),
    "each-of-several": Wording(
        "it is not clear for which tokens `each` stands here: `all` takes those of {places:and:}",
        "use a name that only one of their patterns has",
    ),
    "any-on-bag": Wording(
        "`{name}` shows all its tokens in any case: it is a `bag`",
        "remove `any`; it is for places with another discipline, which show only one of their tokens",
    ),
    "any-on-black": Wording(
        "`{name}` holds black tokens, which are all alike, so `any` says nothing",
        "remove `any`; to count them, write `2 * {name}`",
    ),
    "any-on-per": Wording(
        "`any` cannot look behind the tokens that `{name}` shows, one for each key",
        "remove `any`; or make `{name}` a bag, and choose with `prefer least …`",
    ),
    "clock-on-per": Wording(
        "a transition with `after` cannot look at `{name}`, which shows one token for each key",
        "let an immediate transition move the token that is shown to a bag, and take it from there",
    ),
    "any-on-stream": Wording(
        "`{name}` is a recording, whose rows are read one after the other: those behind the first are not there yet",
        "remove `any`; or move the rows to a `fifo` place, and write `any` there",
    ),
    # outputs and clauses
    "value-missing": Wording("the value for `{name}` is missing: it holds {kind}", "write `{name}(…)`"),
    "ignored-in-output": Wording("`_` is not a value that can be put in `{name}`", "write the value"),
    "capacity-uncertain": Wording(
        "`{name}` has a capacity, so the {what} may not depend on {word}",
        "whether there is room must be known before the firing starts; choose in an immediate transition after it",
    ),
    "delay-of-nothing": Wording("`nothing` does not arrive", "leave `in` out"),
    "prefer-not-number": Wording("bindings are preferred by a number, not by {kind}", "name a field, such as `p.born`"),
    "too-many-keys": Wording(
        "of these keys, more than two are numbers without bounds",
        "keys with bounds count as one with those beside them: enumerations, bools, ints in a range",
        "the last key is not needed if it is the order of arrival, which decides in any case between tokens of a place",
    ),
    "time-negative": Wording("a firing time cannot be {value}"),
    "delay-negative": Wording("the delay of an output cannot be {value}"),
    "after-with-takes": Wording(
        "a transition has `takes` or `after`, not both",
        "`takes` holds its tokens while the time passes; with `after`, they stay, and another transition may take them"
        " first",
        "to wait and then to work, write two transitions, with a place between them",
    ),
    "clause-without-after": Wording(
        "`{word}` says something of a clock, and this transition has none",
        "write `after` and a time: the transition then fires when that time has passed, unless it is disabled before",
        notes=("`{held}` holds the tokens until it is over: nothing can disable it, or change how fast it is",),
    ),
    "servers-of-tokens": Wording(
        "each token of `{name}` has a clock of its own already",
        "remove `servers`; it says how many clocks a transition over black tokens has",
        "to limit how many run at once, let a transition without `after` bring so many tokens into the place",
    ),
    "servers-not-positive": Wording(
        "a transition has 1 server or more, not {value}",
        "`servers all` is one for each firing that the tokens suffice for",
    ),
    "speed-of-binding": Wording(
        "`{name}` is bound to a token, but the clocks of a transition run at one speed",
        "divide the time instead: `after j.work / j.share` for `after j.work speed j.share`",
    ),
    "speed-negative": Wording("a clock cannot run at the speed {value}", "with the speed 0 it stands still"),
    "weight-not-positive": Wording("a weight must be greater than 0, not {value}"),
    "priority-range": Wording("the priority {value} is out of range"),
}

LABELS: dict[str, str] = {"coloured-arc": "this arc takes or reads a token with a value"}
