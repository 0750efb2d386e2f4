"""Tables of what the language has: each thing once, for all rooms that name it."""
