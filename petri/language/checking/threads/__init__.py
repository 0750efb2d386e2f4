"""Threads: a program of steps becomes places and transitions, which are then checked as written ones are.

`graph` has the data, `compile` makes them from the steps, `live` finds the values that each place must keep, and
`expand` writes the declarations.
"""
