"""Random tests draw the same cases each time: a change is refused for what it breaks, not for an old fault.

`pytest --hypothesis-profile=default` draws new ones.
"""

from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.load_profile("same")
