"""Tools for assistants: each call runs one command in a process of its own, under limits."""
