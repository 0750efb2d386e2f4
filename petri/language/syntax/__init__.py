"""From text to the syntax tree: what was written and where, and every error in how it was written.

The way of a text: `foreign` reads the file, `lexer` makes tokens, `splitting` cuts them into declarations, `driver`
runs the automaton of `grammar.lark` (its `tables`) on each, and `builder` makes the nodes of `tree`. Where a
declaration does not parse, `slips` explains why. `parser` is all of that.
"""
