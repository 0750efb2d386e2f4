"""From the syntax tree to checked templates: resolves names, infers types and dimensions, reports all errors.

Start with `checker`: it collects the `declarations/`, expands the `threads/`, then reads the `nets/`: the bodies of the
net and of its modules. `measures/` checks measures and expectations. All of them read `expressions/`, which imports
none of the other rooms. `lint` reports what is allowed but probably a mistake. `state` is the interface through which
they use the whole check: `Checker` is a `CheckState`.
"""
