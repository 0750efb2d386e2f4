"""The speed of pnsim, compared with hand-written programs and with other simulators: `make bench`."""
