"""How fast pnsim is, side by side with programs written by hand and with other simulators: `make bench`."""
