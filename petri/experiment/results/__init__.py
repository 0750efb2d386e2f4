"""What an experiment found: points with their intervals, comparisons, tables."""
