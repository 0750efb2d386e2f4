"""PNML and what tools write in its form: TAPAAL, PIPE, TINA, ProM."""
