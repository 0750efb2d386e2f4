"""Syntax: what does not read as a declaration."""

from __future__ import annotations

from petri.wording.entry import Wording

_FORM = "it reads `{form}`"

WORDING: dict[str, Wording] = {
    # ---------------------------------------------------------------- characters and numbers
    "stray-character": Wording("the character `{found}` ({code}) has no meaning here"),
    "foreign-symbol": Wording("`{found}` is not a sign of this language", "write `{instead}`"),
    "semicolon": Wording(
        "`;` is not needed: a declaration ends where the next one begins", "leave it out; separate lists with `,`"
    ),
    "slash-comment": Wording("`//` does not begin a comment", "write `#`; `##` documents the declaration it stands at"),
    "stray-percent": Wording("`%` stands right behind its number", "write `5%` for 0.05; the remainder is `x mod y`"),
    "percent-modulo": Wording("`%` means percent, not the remainder", "write `{number} mod …`"),
    "open-string": Wording("the text is not closed on its line", 'end it with `"`'),
    "number-point": Wording("a number needs digits on both sides of its point", "write `{number}`"),
    "number-too-long": Wording("the number is out of all bounds; it may have up to {digits:digit}, or powers of ten"),
    "two-numbers": Wording("two numbers in a row", "for one number write `{number}`; in a list separate them with `,`"),
    # ---------------------------------------------------------------- names and words
    "name-begins": Wording(
        "`{name}` is not a name: names begin with a letter", "`_` alone is the pattern that does not care"
    ),
    "name-in-quotes": Wording("a name stands without quotes", "write `{name}`"),
    "missing-name": Wording("`{word}` needs a name after it, but {found} follows", _FORM),
    "reserved-name": Wording(
        "`{name}` is a word of the language and cannot be a name", "call it something else, such as `my_{name}`"
    ),
    "misspelt-word": Wording("`{found}` is not a declaration word", "did you mean `{suggestion}`?"),
    "misspelt-clause": Wording("`{found}` cannot stand here", "did you mean `{suggestion}`?"),
    "unknown-clause": Wording("`{found}` is not a clause of a transition", "the clauses are {words:and}"),
    "not-a-declaration": Wording(
        "`{found}` does not begin a declaration",
        "did you mean `{suggestion}`?",
        "the words that do are {words}",
    ),
    "before-declaration": Wording(
        "a file begins with a declaration, not with {found}", "declarations begin with a word such as `place` or `net`"
    ),
    "no-race": Wording(
        "there are no timers that race: `after` is not a clause",
        "`takes 5` holds the tokens for the firing time; the tokens that a firing has taken cannot be lost to another",
    ),
    # ---------------------------------------------------------------- brackets, modules
    "unclosed-bracket": Wording("`{opening}` is not closed before {found}", "add `{closing}`"),
    "unopened-bracket": Wording("`{closing}` closes nothing", "take it out, or add its opening bracket"),
    "wrong-bracket": Wording("{found} does not close `{opening}`", "write `{closing}`"),
    "brace-block": Wording(
        "declarations have no blocks in braces", _FORM, "only a module has a body; it ends with the word `end`"
    ),
    "module-without-end": Wording("this `{word}` has no `end`", "write `end` after its last declaration"),
    "stray-end": Wording("this `{word}` closes no module", "only modules end with `end`; take it out"),
    "after-end": Wording(
        "{found} cannot follow `end`", "`end` stands alone; the next declaration begins with its word"
    ),
    "modules-too-deep": Wording("modules nest more than {limit} deep", "is an `end` missing above?"),
    "too-deep": Wording("operations nest more than {limit} deep here", "name parts of it with `const` or `param`"),
    # ---------------------------------------------------------------- transitions
    "missing-colon": Wording(
        "`:` is missing after the transition's name `{name}`", "write `transition {name}: inputs -> outputs`"
    ),
    "missing-arrow": Wording(
        "transition `{name}` has no `->`: inputs stand before it, outputs after it",
        "where it gives nothing, write `-> nothing`",
    ),
    "missing-outputs": Wording("no output follows `->`", "where the transition gives nothing, write `-> nothing`"),
    "second-arrow": Wording("a transition has one `->`", "separate arcs with `,`"),
    "input-only": Wording("`{word}` is an input arc", "write it before `->`"),
    "clause-twice": Wording("`{word}` stands twice in this {declaration}", "keep one"),
    "two-disciplines": Wording(
        "this place already has a discipline", "a place is `bag` (the default), `fifo`, `lifo` or `by key`"
    ),
    # ---------------------------------------------------------------- signs
    "single-equals": Wording(
        "`=` does not compare", "write `==` to compare", "the fields of a record are given as `{{{field}: …}}`"
    ),
    "double-equals": Wording("`==` compares; a value is given with `=`", "write `=`"),
    "field-equals": Wording("a field is given with `:`, not `=`", "write `{field}: …`"),
    "colon-equals": Wording("`:` is followed by a type, `=` by a value", "write `=` alone"),
    "missing-equals": Wording("`=` is missing after `{word} {name}`", _FORM),
    "missing-type-colon": Wording("`:` is missing before the type", "write `{name} : {type}`"),
    "type-before-name": Wording("the name stands before its type", "write `{name}: {type}`"),
    "type-in-parentheses": Wording(
        "a record type stands in braces, not in parentheses", "write `type {name} = {{ seq: int, size: Bytes }}`"
    ),
    "enumeration-brackets": Wording("an enumeration stands without brackets", "write `red | green`"),
    "if-in-expression": Wording("an `if` within an expression stands in parentheses", "write `(if … then … else …)`"),
    "missing-comma": Wording(
        "a comma or an operator is missing after `{before}`", "separate the items of a list with `,`"
    ),
    "stray-comma": Wording("nothing stands before this `,`", "take it out, or add what was to stand there"),
    "decimal-comma": Wording("a number has a point, not a comma", "write `{number}`"),
    "enumeration-comma": Wording("the values of an enumeration are separated by `|`", "write `red | green`"),
    "one-name": Wording("a `{word}` declaration declares one name", "write another `{word}` declaration"),
    "trailing-comma": Wording("nothing follows this `,`", "take it out, or add what was to follow"),
    "missing-value": Wording("a value is missing after `{before}`", "write for example `{example}`", _FORM),
    "chained-comparison": Wording("comparisons cannot be chained", "write `a < b and b < c`"),
    "missing-then": Wording("`then` is missing after the condition of `if`", "it reads `if condition then a else b`"),
    "missing-else": Wording(
        "this `if` has no `else`",
        "it reads `if condition then a else b`; only in the outputs of a transition may `else` be left out",
    ),
    # ---------------------------------------------------------------- measures and runs
    "expect-comparison": Wording(
        "`expect` needs a comparison, but {found} follows",
        "write for example `expect loss < 0.01` or `expect delay.mean == 4.0 within 5%`",
    ),
    "run-until": Wording(
        "{found} cannot follow `run`",
        "write `run until {length}`",
        "its clauses are `until`, `warmup`, `replications` and `seed`",
    ),
    # ---------------------------------------------------------------- records and types
    "field-twice": Wording("the field `{name}` stands twice"),
    "value-twice": Wording("the value `{name}` stands twice in this type"),
    # ---------------------------------------------------------------- anything else
    "unexpected": Wording("{found} cannot stand here; expected {expected}", _FORM),
    "unfinished": Wording("the declaration ends too early; expected {expected}", _FORM),
    "and-more": Wording("{count:more problem} in `{path}`", "mend the first ones and check again"),
}

LABELS: dict[str, str] = {
    "opened-here": "opened here",
    "first-here": "first here",
}
