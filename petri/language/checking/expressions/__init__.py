"""Expressions: their types and dimensions, the functions they call, index ranges, and `let`."""
