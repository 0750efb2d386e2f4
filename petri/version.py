"""The version of the distribution, defined once."""

VERSION = "0.1.0"
