"""Random draws against theory: `make verify` (docs/verification.md)."""
