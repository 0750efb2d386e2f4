"""CPN Tools (.cpn): timed coloured nets with pages."""
