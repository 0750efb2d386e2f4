"""Syntax errors."""

from __future__ import annotations

from petri.wording.entry import Remove, Replace, Wording

_FORM = "for example: `{form}`"

WORDING: dict[str, Wording] = {
    # ---------------------------------------------------------------- characters and numbers
    "stray-character": Wording("the character `{found}` ({code}) has no meaning here"),
    "foreign-symbol": Wording("`{found}` is not part of this language", Replace("write `{instead}`")),
    "semicolon": Wording(
        "`;` is not needed: a declaration ends where the next one starts",
        Remove("remove it; separate the items of a list with `,`"),
    ),
    "slash-comment": Wording("`//` does not start a comment", "write `#`, or `##` to document a declaration"),
    "foreign-comment": Wording(
        "`{found}` does not start a comment",
        "write `#`, or `##` to document a declaration",
        notes=("`#` goes before {each}",),
    ),
    "conditional-operator": Wording("there is no operator `?`", "write `if condition then a else b`"),
    "multiset": Wording(
        "a number of tokens is written with `*`, not with a backquote",
        "arcs: `place(x)` for a token with the value x, `{count} * place` for {count} black ones",
        "an initial marking lists its tokens: `= 3, 5, 5` or `= {count} * token`",
    ),
    "foreign-quotes": Wording(
        "`{found}` is not a quotation mark of this language",
        'write `"{text}"` for a file; names have no quotes',
    ),
    "stray-percent": Wording("`%` must directly follow its number", "write `5%` for 0.05; the remainder is `x mod y`"),
    "percent-modulo": Wording("`%` means percent, not the remainder", "write `{number} mod …`"),
    "open-string": Wording("the text does not end on its line", 'end it with `"`'),
    "number-point": Wording("a number needs digits on both sides of its point", Replace("write `{number}`")),
    "number-too-long": Wording("the number is too long; it may have up to {digits:digit}, and an exponent"),
    "two-numbers": Wording("two numbers in a row", "for one number write `{number}`; in a list separate them with `,`"),
    # ---------------------------------------------------------------- names and words
    "name-begins": Wording(
        "`{name}` is not a name: names start with a letter", "`_` alone is the pattern that matches anything"
    ),
    "name-in-quotes": Wording("a name is written without quotes", Replace("write `{name}`")),
    "missing-name": Wording("`{word}` needs a name after it, but {found} follows", _FORM),
    "reserved-name": Wording("`{name}` is a keyword and cannot be a name", "choose another name, such as `my_{name}`"),
    "misspelt-word": Wording("`{found}` does not start a declaration", Replace("did you mean `{suggestion}`?")),
    "misspelt-clause": Wording("`{found}` is not allowed here", Replace("did you mean `{suggestion}`?")),
    "unknown-clause": Wording("`{found}` is not a clause of a transition", "the clauses are {words:and}"),
    "not-a-declaration": Wording(
        "`{found}` does not start a declaration",
        Replace("did you mean `{suggestion}`?"),
        "declarations start with {words}",
    ),
    "before-declaration": Wording(
        "a file starts with a declaration, not with {found}",
        "declarations start with a keyword such as `place` or `net`",
    ),
    # ---------------------------------------------------------------- brackets, modules
    "unclosed-bracket": Wording("`{opening}` is not closed before {found}", Replace("add `{closing}`")),
    "unopened-bracket": Wording("`{closing}` has no opening bracket", Remove("remove it, or add the opening bracket")),
    "wrong-bracket": Wording("{found} does not close `{opening}`", Replace("write `{closing}`")),
    "brace-block": Wording(
        "declarations have no blocks in braces", _FORM, "only a module has a body; it ends with `end`"
    ),
    "module-without-end": Wording("this `{word}` has no `end`", "write `end` after its last declaration"),
    "stray-end": Wording("this `{word}` does not belong to a module", "only modules end with `end`; remove it"),
    "after-end": Wording(
        "{found} cannot follow `end`", "write `end` alone; the next declaration starts with its keyword"
    ),
    "modules-too-deep": Wording("modules are nested more than {limit} deep", "is an `end` missing above?"),
    "too-deep": Wording(
        "operations are nested more than {limit} deep here", "name parts of it with `const` or `param`"
    ),
    # ---------------------------------------------------------------- steps of threads
    "misspelt-step": Wording("`{found}` is not a step", Replace("did you mean `{suggestion}`?")),
    "unknown-step": Wording(
        "`{found}` is not a step", "steps are {words:and}", "a label ends with `:`, `{found}: take …`"
    ),
    "set-missing": Wording(
        "a step that changes a value begins with `set`", "write `set {name} = {value}`; `let` is for a new value"
    ),
    "no-for": Wording(
        "a thread has no `for`",
        "write `let {variable} = 1`, then `while {variable} <= N … end` with the last step"
        " `set {variable} = {variable} + 1`",
        "`repeat N … end` does the same steps N times",
        "`for each place(x) … end` takes the tokens of a place, one in each turn",
    ),
    "each-in": Wording(
        "`for each` is followed by the tokens that it takes, as `take` is",
        Replace("write `for each {place}({variable})`"),
    ),
    "no-break": Wording(
        "a thread has no `break`",
        "a loop ends when its condition is false: write `while going`, and `set going = false` here",
    ),
    "no-continue": Wording("a thread has no `continue`", "write the steps that it would skip within `if … then … end`"),
    "no-return": Wording(
        "a thread has no `return`: it ends after its last step",
        "write the steps that it would skip within `if … then … end`",
        "to give something back, write `give`",
    ),
    "else-if": Wording("this `if` within `else` has no `end`", "write `elif` instead of `else if`"),
    "block-without-end": Wording("this `{word}` has no `end`", "write `end` after its last step"),
    "stray-branch": Wording(
        "this `{word}` is not in `{block} … end`",
        "an `if` has `elif` and `else`; a `choose` has `or`; a `do` has `unless`",
    ),
    "step-with-time": Wording(
        "`{verb}` has no `for`",
        "write `wait TIME`, or `take … for TIME`, `hold … for TIME`, `use … for TIME`",
    ),
    "step-with-clock": Wording(
        "`{verb}` has no `after`",
        "a branch of a choice has one: `choose … or after TIME … end`",
        "to go on elsewhere when a step takes too long, write `{verb} … within TIME else LABEL`",
    ),
    "step-with-limit": Wording(
        "`{verb}` waits for nothing that may come too late",
        "write a time limit at the step that waits for tokens: `take … within TIME else LABEL`",
    ),
    "limit-without-label": Wording(
        "this time limit does not say where the thread goes on when it is over",
        "write `within TIME else LABEL`, and `LABEL:` before the step with which it goes on",
    ),
    "use-without-time": Wording(
        "how long does this `use` last?",
        "write `use … for TIME`",
        "to keep the tokens over several steps, write `hold …`, and later `release`",
    ),
    # ---------------------------------------------------------------- transitions
    "missing-colon": Wording(
        "`:` is missing after the transition's name `{name}`", "write `transition {name}: inputs -> outputs`"
    ),
    "missing-arrow": Wording(
        "transition `{name}` has no `->` between its inputs and outputs",
        "write `transition {name}: inputs -> outputs`; if it has no output, `-> nothing`",
    ),
    "arrow-sign": Wording("{found} compares; the arrow of a transition is `->`", Replace("write `->`")),
    "missing-takes": Wording(
        "`takes` is missing before the time of the firing",
        "write `takes {time}`; or `after {time}`, if another transition may take the tokens before that",
    ),
    "inhibitor-not": Wording(
        "`not` does not forbid tokens in a place", "write `no {place}`: the transition waits until the place is empty"
    ),
    "two-brackets": Wording("the indices of `{name}` are declared within one pair of brackets", "write `{form}`"),
    "array-size": Wording("an array of places is declared with the range of each index", "write `{form}`"),
    "array-variable": Wording("an array of ports is declared without a variable", "write `{form}`"),
    "missing-outputs": Wording("no output follows `->`", "if the transition has no output, write `-> nothing`"),
    "second-arrow": Wording("a transition has one `->`", "separate arcs with `,`"),
    "input-only": Wording("`{word}` is an input arc", "write it before `->`"),
    "preference-word": Wording(
        "`prefer {word}` says nothing: a binding is preferred for the least or the most of something",
        "write `prefer least p.born`, or `prefer most p.class`",
    ),
    "clause-twice": Wording("this {declaration} has two `{word}` clauses", "keep one"),
    "two-disciplines": Wording(
        "this place already has a discipline", "a place is `bag` (the default), `fifo`, `lifo` or `by key`"
    ),
    "two-memories": Wording(
        "this transition says already what becomes of its clock",
        "keep one of `restart` (the default), `resume` and `repeat`",
    ),
    "any-with-mode": Wording(
        "an arc with `{mode}` looks at all tokens of its place in any case", Remove("remove `any`")
    ),
    "any-before-read": Wording("`any` stands behind `read`", Replace("write `read any`")),
    # ---------------------------------------------------------------- signs
    "single-equals": Wording(
        "`=` does not compare", Replace("write `==` to compare"), "the fields of a record are written `{{{field}: …}}`"
    ),
    "double-equals": Wording("`==` compares; `=` sets a value", Replace("write `=`")),
    "field-equals": Wording("a field is written with `:`, not `=`", "write `{field}: …`"),
    "assignment": Wording(
        "nothing is assigned in a net: values are declared",
        "write `const {name} = …`, or `let {name} = …` within a transition",
    ),
    "draw-equals": Wording(
        "`draw` is followed by a name, `~` and a distribution",
        "write `let {name} = …` for a value that is not random",
        "write `draw {name} ~ …` for a random one",
    ),
    "colon-equals": Wording("`:` is followed by a type, `=` by a value", "write only `=`"),
    "missing-equals": Wording("`=` is missing after `{word} {name}`", _FORM),
    "missing-type-colon": Wording("`:` is missing before the type", "write `{name} : {type}`"),
    "type-before-name": Wording("the name comes before its type", "write `{name}: {type}`"),
    "type-in-parentheses": Wording(
        "a record type is written in braces, not in parentheses", "write `type {name} = {{ seq: int, size: Bytes }}`"
    ),
    "enumeration-brackets": Wording("an enumeration is written without brackets", "write `red | green`"),
    "if-in-expression": Wording("an `if` within an expression needs parentheses", "write `(if … then … else …)`"),
    "missing-comma": Wording(
        "a comma or an operator is missing after `{before}`", "separate the items of a list with `,`"
    ),
    "loop-comma": Wording(
        "the loops of a marking stand one behind another, without a comma", "write `for {name} in …` instead of `, {name} in …`"
    ),
    "stray-comma": Wording("there is nothing before this `,`", Remove("remove it, or add the missing item")),
    "decimal-comma": Wording("a number has a decimal point, not a comma", Replace("write `{number}`")),
    "enumeration-comma": Wording("the values of an enumeration are separated by `|`", "write `red | green`"),
    "one-name": Wording("a `{word}` declaration declares one name", "write another `{word}` declaration"),
    "trailing-comma": Wording("nothing follows this `,`", Remove("remove it, or add the missing item")),
    "missing-value": Wording("a value is missing after `{before}`", "write for example `{example}`", _FORM),
    "chained-comparison": Wording("comparisons cannot be chained", "write `a < b and b < c`"),
    "condition-late": Wording(
        "`if` cannot stand here",
        "a condition on the tokens is a guard: `when …`",
        "to leave the transition out of the net, write the condition before the colon: `transition {name} if …:`",
    ),
    "if-after-value": Wording("the condition comes before the two values", "write `if condition then a else b`"),
    "missing-then": Wording(
        "`then` is missing after the condition of `{word}`",
        "write `{step} condition then`",
        "write `if condition then {both}`",
    ),
    "missing-else": Wording(
        "this `if` has no `else`",
        "write `if condition then a else b`; `else` is optional only in the outputs of a transition",
    ),
    # ---------------------------------------------------------------- measures and runs
    "expect-comparison": Wording(
        "`expect` needs a comparison, but {found} follows",
        "write for example `expect loss < 0.01` or `expect delay.mean == 4.0 within 5%`",
    ),
    "run-until": Wording(
        "{found} cannot follow `run`",
        "write `run until {length}`",
        "its clauses are {words:and}",
    ),
    # ---------------------------------------------------------------- records and types
    "field-twice": Wording("the type has two fields `{name}`"),
    "value-twice": Wording("the type has two values `{name}`"),
    # ---------------------------------------------------------------- anything else
    "unexpected": Wording("unexpected {found}; expected {expected}", _FORM),
    "unfinished": Wording("the declaration ends too early; expected {expected}", _FORM),
    "and-more": Wording("{count:more problem} in `{path}`", "fix these first and check again"),
}

LABELS: dict[str, str] = {
    "opened-here": "opened here",
    "first-here": "first here",
}
