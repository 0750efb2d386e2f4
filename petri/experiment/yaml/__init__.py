"""Experiments written as YAML."""
