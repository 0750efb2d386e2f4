"""Names and structure: declarations, modules and their instances, imports, parameters."""

from __future__ import annotations

from petri.wording.entry import Replace, Wording

WORDING: dict[str, Wording] = {
    "not-one-declaration": Wording(
        "this is not one declaration: {kind} `{name}`",
        "give a plain name, and texts that end where their clause ends; `add` takes several declarations",
        notes=("the text is `{text}`",),
    ),
    # names
    "unknown-name": Wording(
        "`{name}` is not declared",
        Replace("did you mean `{suggestion}`?"),
        "`{name}` is a unit: write `{unit}`",
        "a name on its own in an input arc binds a variable, as in `place({binding})`",
    ),
    "variable-not-allowed": Wording(
        "`{name}` is bound to a token, but {where} is the same for all tokens",
        "write one transition for each class of tokens, such as `when {name} == 1 {clause} 1`",
        "to take tokens in the order of a field, declare their place `by` that field",
    ),
    "unknown-place": Wording(
        "there is no place `{name}`",
        Replace("did you mean `{suggestion}`?"),
        "a module does not see the places outside: declare `port {outside}: …` and connect it in the instance",
    ),
    "unknown-type": Wording(
        "there is no type `{name}`",
        Replace("did you mean `{suggestion}`?"),
        notes=("there are no text values: {instead}",),
    ),
    "unknown-unit": Wording(
        "there is no unit `{unit}`",
        Replace("did you mean `{number} {suggestion}`?"),
        "write `{tokens} * token` for that many tokens",
        "a product needs its sign: write `{factor}`",
        notes=("examples of units are {units:and}",),
    ),
    "unknown-function": Wording(
        "there is no function `{name}`", Replace("did you mean `{suggestion}`?"), "use {instead}"
    ),
    "unknown-module": Wording(
        "there is no module `{name}`",
        Replace("did you mean `{suggestion}`?"),
        notes=("to use a module of the library, `import` its file",),
    ),
    "unknown-field": Wording(
        "{kind} has no field `{field}`",
        Replace("did you mean `{suggestion}`?", of="field"),
        notes=("its fields are {fields:and}",),
    ),
    "name-twice": Wording(
        "the name `{name}` is taken: it is {kind}",
        "give one of the two another name",
        "or keep the names of the import apart: `import … as {alias}` brings it as `{alias}.{name}`",
    ),
    "name-of-import": Wording(
        "`{name}` is a name of an import, so it cannot be declared",
        "to set a parameter of an import: `import … with name = value`",
    ),
    "unknown-setting": Wording(
        "`{name}` is not a parameter of `{path}`",
        Replace("did you mean `{suggestion}`?"),
        "`{constant}` is a constant; declare it with `param` to set it from outside",
        notes=("its parameters are {known:and}",),
    ),
    "not-with-as": Wording(
        "`{path}` has an `expect` line, so it cannot be imported with a name of its own",
        "move the line to the net that imports it, where its measures are `{alias}.…`",
    ),
    "import-circular": Wording(
        "`{path}` imports itself, under another name each time", "move what both need to a third file"
    ),
    "name-builtin": Wording("the name `{name}` is taken: it is {what} of the language", "choose another name"),
    "name-shadows": Wording("`{name}` hides another `{name}`", "give the variable another name"),
    "unit-exists": Wording("the unit `{unit}` is part of the language", "choose another name for yours"),
    "condition-of-token": Wording(
        "`{name}` is bound to a token, but a declaration is in the net for all tokens or for none",
        "a condition on the tokens is a guard: write `when …` after the arcs",
    ),
    "function-recursive": Wording(
        "`{name}` is called within itself",
        "a function is written out wherever it is called, so it must end: give its result without the call",
    ),
    "functions-too-large": Wording(
        "the calls of functions become more than {limit} operations",
        "call them in fewer places, or name results with `const` or `let`",
    ),
    "switched-off": Wording(
        "`{name}` is not in the net: its condition is false",
        "give what uses it the same condition, `if …`",
        "an output can have a condition of its own: `if … then {place}(…)`",
    ),
    "declared-twice": Wording("a net has only one `{keyword}` line; this is the second", "keep one of them"),
    "circular-definition": Wording("`{name}` is defined in terms of itself"),
    "not-a-type": Wording("`{name}` is {kind}, not a type"),
    "not-a-place": Wording("`{name}` is {kind}, not a place"),
    "not-a-module": Wording("`{name}` is {kind}, not a module"),
    "not-a-function": Wording("`{name}` is {kind}, not a function"),
    "not-a-value": Wording("`{name}` is {kind}, not a value"),
    # where declarations may stand
    "not-in-module": Wording(
        "`{keyword}` is not allowed in a module",
        "declare `{parameter}` in the parentheses after the module's name",
        "declare a measure in the module, and expect it of an instance outside: `{expect}`",
        "put it outside the module",
    ),
    "not-in-import": Wording(
        "`{file}` is imported, so it cannot have a `{keyword}` line", "move the line to the net that imports it"
    ),
    "port-outside-module": Wording(
        "`port` is only allowed in a module", "declare a place of the net itself with `place`"
    ),
    "clock-clause": Wording("`{word}` cannot stand here", "write `time ns`, or `time ns resolution 1 ps`"),
    "resolution-not-positive": Wording("the resolution of the clock must be greater than 0"),
    "clock-unit": Wording(
        "`{unit}` is not a unit of time",
        Replace("did you mean `time {suggestion}`?"),
        "the units of time are {units:and}",
    ),
    "only-modules": Wording(
        "`{path}` can only be imported by other nets: it has no place and no transition of its own",
        "write a net that imports it and makes instances of its modules",
    ),
    # modules and instances
    "argument-missing": Wording("the parameter `{name}` of `{module}` is not given", "add `{name} = …`"),
    "argument-twice": Wording("`{name}` is given twice", "keep one"),
    "argument-out-of-bounds": Wording("`{name}` is {value}, but must be in {low}..{high}"),
    "unknown-argument": Wording(
        "`{module}` has neither a parameter nor a port `{name}`",
        Replace("did you mean `{suggestion}`?", of="name"),
        notes=("it has {known:and}",),
    ),
    "too-many-arguments": Wording(
        "`{module}` has {wanted:parameter and port|parameters and ports}, but {given} are given"
    ),
    "positional-after-named": Wording("a positional argument follows a named one", "write `name = value`"),
    "port-unconnected": Wording("the port `{name}` of `{module}` is not connected", "add `{name} = some_place`"),
    "port-type": Wording("the port `{name}` holds {wanted}, but the place `{place}` holds {found}"),
    "port-range": Wording(
        "the port `{name}` holds values {wanted}, but its place holds values {given}",
        "a port and its place are one place, so their ranges must be equal",
    ),
    "port-shape": Wording(
        "the port `{name}` is {wanted}, but {found} is given", "write `place[i]` for one place of an array"
    ),
    "port-size": Wording(
        "the port `{name}` is an array of {wanted:place}, but {given} are given",
        "write a part of an array as `place[a..b]`",
    ),
    "port-direction": Wording(
        "`{name}` is a port `{direction}`: tokens cannot be {action} it here",
        "a port without `in` or `out` allows both directions",
    ),
    "port-passed-on": Wording(
        "`{name}` is a port `{direction}`, but the port `{inner}` needs the other direction too",
        "declare both with the same direction",
    ),
    "instance-too-deep": Wording(
        "instances are nested more than {limit} deep: `{module}` contains itself",
        "an array of instances with an empty range (`[i in 0..-1]`) ends a recursion",
    ),
    "loops-too-long": Wording("the loops of this net have more than {limit} iterations"),
    "net-too-large": Wording("the net has at least {wanted} places, transitions and instances; the limit is {limit}"),
    # files
    "import-unknown": Wording(
        "the library has no module `{name}`",
        Replace("did you mean `{suggestion}`?", of="name"),
        'import a file of your own by its path: import "part.net"',
    ),
    "import-missing": Wording("there is no file `{path}`", Replace("did you mean `{suggestion}`?", of="path")),
    "path-outside": Wording(
        "`{path}` is outside the folder of the net",
        "a net can only read files in its own folder and below; write relative paths with `/`",
    ),
    "path-without-file": Wording("`{path}` is relative to the file of the net, but this net does not come from a file"),
    "too-many-files": Wording("more than {limit} files are imported"),
    "table-needs-file": Wording("`table` draws from a file", 'write `table("sizes.csv")`'),
    "empirical-needs-file": Wording("`empirical` draws from a file", 'write `empirical("sizes.csv")`'),
    "table-not-ascending": Wording(
        "`empirical` draws between the values of `{path}`, which do not ascend",
        "sort its rows by value, each value once; `table` draws the values themselves, in any order",
    ),
    "average-needs-file": Wording(
        "`average` is the mean of a table",
        'write `average("sizes.csv")`; for the average of values or tokens in a run, use a measure with `mean`',
    ),
    "table-not-there": Wording(
        "the net does not draw from a table `{name}`",
        "did you mean `{suggestion}`?",
        notes=("it draws from {names:and}",),
    ),
    "table-missing": Wording("there is no file `{path}`", Replace("did you mean `{suggestion}`?", of="path")),
    "import-not-regular": Wording("`{path}` is {kind}, and only a regular file can be imported"),
    "table-not-regular": Wording("`{path}` is {kind}, and a table is read from a regular file"),
    "table-unreadable": Wording("`{path}` cannot be read: {reason}"),
    "table-too-large": Wording("`{path}` has {size}; a table may have at most {limit}"),
    "table-row": Wording("line {line} of `{path}` is not a row of a table: {reason}", notes=("it is `{text}`",)),
    "no-column": Wording(
        "`{path}` has no column `{title}`",
        Replace("did you mean `{suggestion}`?", of="title"),
        notes=("its columns are {known:and}",),
    ),
    "column-row": Wording("line {line} of `{path}` has no number in column {number}", notes=("it is `{text}`",)),
    "column-length": Wording("`{path}` has {rows:row}; a list has 1 to {limit} elements"),
    "table-empty": Wording("`{path}` has no row with a weight above 0", "each row is `value,weight`"),
    # parameters
    "unknown-parameter": Wording(
        "the net has no parameter `{name}`",
        "did you mean `{suggestion}`?",
        notes=("its parameters are {known:and}", "it has {none}"),
    ),
    "parameter-untyped": Wording("`{name}` has neither a type nor a default", "write `{name}: int` or `{name} = 1`"),
    "parameter-value": Wording("`{text}` is not a value for `{name}`: {reason}"),
    "parameter-out-of-bounds": Wording("`{name}` is {text}, but must be in {bounds}"),
    "bounds-of-no-number": Wording("`in` sets the bounds of a number, but this is {kind}"),
    # the run line
    "run-value": Wording("`{text}` must be {wanted}"),
    "warmup-too-long": Wording("the warm-up is longer than the run", "make `warmup` shorter than `until`"),
}

LABELS: dict[str, str] = {
    "condition": "this is false",
    "function-here": "the function",
    "first-declared": "first declared here",
    "first-given": "first given here",
    "port-declared-here": "the port is declared here",
    "parameter-declared-here": "the parameter is declared here",
    "written-by": "this line wrote it",
}
