"""Second implementations of exact answers, slow and obviously right: tests compare the native engine with them."""
