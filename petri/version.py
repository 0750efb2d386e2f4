"""The version of the distribution, in its one place."""

VERSION = "0.1.0"
