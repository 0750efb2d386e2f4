"""Results on disk, and references to them."""
