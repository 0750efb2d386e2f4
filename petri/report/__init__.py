"""Presentation of a net and its results: the terminal summary, explanations and pictures."""
