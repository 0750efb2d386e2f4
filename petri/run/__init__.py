"""Runs of a net on either engine: a session begun, replications on threads."""
