"""From checked templates to the flat net: parameters, loops and instances filled in, and initial tokens counted out."""
