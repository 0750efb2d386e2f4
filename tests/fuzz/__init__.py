"""Looks for faults in random nets and damaged files: `make fuzz MINUTES=n`, explained in docs/contributing.md."""
