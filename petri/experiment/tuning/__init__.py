"""The best setting of a net's parameters, and that of measured figures."""
