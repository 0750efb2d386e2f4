"""From checked templates to the flat net: expands parameters, loops, instances and initial tokens."""
