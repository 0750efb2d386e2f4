"""The largest value of a parameter at which a condition holds: `pnsim search`, `search:` in a file, `petri.search`."""
