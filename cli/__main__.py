"""`python -m pnsim`."""

from .main import main

main()
