"""A net that answers while its parameters are changed: what `pnsim live` serves to a browser.

watching.py    which files a net reads, and whether one of them has changed
refine.py      replications of several settings on threads, as many as are wanted, until they are stopped
source.py      loading the net with other values, and a setting as texts to take away
knobs.py       the range of each parameter
answer.py      the figures of a setting as JSON for the page
desk.py        what is set, and what is known of it
preview.py     drawing and measures of a short run, for an editor
site.py        what the server answers: the page, its parts, and files to take away
notebook.py    the same with the widgets of a notebook
server.py      HTTP on this machine alone, for those who have the token
"""
