"""Nets for other tools: PNML, GreatSPN, PRISM, JANI."""
