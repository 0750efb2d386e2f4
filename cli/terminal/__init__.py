"""What people see besides results: progress, refusals, the ends of commands."""
