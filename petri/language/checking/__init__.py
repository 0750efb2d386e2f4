"""From the syntax tree to checked templates: names found, types and dimensions inferred, everything wrong told.

`checker` is where to begin: it gathers `declarations`, then reads the `bodies` of the net and of its modules, whose
parts are modules of the same names here; `measures` is about what is observed, and `lint` about what is allowed and
probably not meant. `state` is what all of them know of the whole: `Checker` stands on top and is a `CheckState`.
"""
