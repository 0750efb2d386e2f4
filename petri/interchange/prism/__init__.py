"""PRISM's modules, as far as they are Markov chains of bounded variables."""
