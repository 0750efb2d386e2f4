"""From the syntax tree to checked templates: resolves names, infers types and dimensions, reports all errors.

Start with `checker`: it collects the `declarations`, then reads the `bodies` of the net and of its modules. Each part
of a body has a module of its name here. `measures` checks measures, and `lint` reports what is allowed but probably a
mistake. `state` is the interface through which they use the whole check: `Checker` is a `CheckState`.
"""
