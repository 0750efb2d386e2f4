"""From text to the syntax tree, with the position of each node and all syntax errors.

`foreign` reads the file, `lexer` makes tokens, `splitting` divides them into declarations, `driver` runs the automaton
of `grammar.lark` (its `tables`) on each, and `builder` makes the nodes of `tree`. If a declaration does not parse,
`slips` explains why. `parser` combines these steps.
"""
