"""Exact answers need the native engine."""

from petri.engine.native import available

collect_ignore_glob = [] if available() else ["test_*.py"]
