"""Measures and expectations: which figures they name, and what they are computed from."""
