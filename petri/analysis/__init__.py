"""What can be said of a flat net without running it: invariants, and what each transition of a dead net lacks."""
