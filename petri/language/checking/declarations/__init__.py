"""What a file declares: names, imports, parameters, units, and how a run begins and ends."""
