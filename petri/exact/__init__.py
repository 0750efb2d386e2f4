"""Exact answers: the state space of a net, and the Markov chain behind it."""
