"""Which distribution of the language a column of measured values follows (`fit`), by maximum likelihood."""

from petri.fit.column import read_column as read_column
from petri.fit.fitting import Fit as Fit
from petri.fit.fitting import Fitted as Fitted
from petri.fit.fitting import fit as fit
