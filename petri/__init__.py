"""Coloured timed Petri nets: the language, two engines, and what they measure."""
