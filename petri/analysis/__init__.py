"""What can be said of a flat net and a state: what each transition lacks, what would help, and what makes it slow."""
